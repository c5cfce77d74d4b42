"""Writing RESULTS.md: tables in Markdown, each program replacing the section that is its own."""

import re


def table(header, rows):
    """Return the lines of a Markdown table."""
    return [f"| {' | '.join(map(str, row))} |" for row in (header, ["---"] * len(header), *rows)]


def replace_section(path, title, text):
    """Replace the section `title` of a Markdown file between its two marks, or append it."""
    begin, end = f"<!-- begin {title} -->", f"<!-- end {title} -->"
    section = f"{begin}\n## {title}\n\n{text.strip()}\n{end}"
    old = (
        path.read_text(encoding="utf-8") if path.exists() else "# Results\n\nWritten by the programs in this folder.\n"
    )
    pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    new = pattern.sub(lambda _: section, old) if pattern.search(old) else f"{old.rstrip()}\n\n{section}\n"
    path.write_text(new, encoding="utf-8")
