"""What a text holds, character by character."""

import codecs
import itertools
import re
import unicodedata
from collections import Counter


def _one_surrogate(error):
    return "\ud800", error.end


codecs.register_error("reference-one-surrogate", _one_surrogate)


def _is_letter(character):
    return unicodedata.category(character)[0] in "LM" or character in "\u200c\u200d"


def _is_han(character):
    name = unicodedata.name(character, "")
    return name.startswith(("CJK UNIFIED", "HIRAGANA LETTER", "KATAKANA LETTER", "IDEOGRAPHIC ITERATION"))


def survey_text(raw):
    """Count what a checker of corpora counts in one file: a dict of counts by name.

    Each run of bytes that Python's decoder rejects together is one character without properties.
    """
    text = raw.decode("utf-8", "reference-one-surrogate")
    if text and not text.endswith("\n"):
        text += "\n"
    lines = text.split("\n")[:-1]
    found = Counter(invalid=text.count("\ud800"), lines=len(lines), tabs=text.count("\t"))
    found["carriage_returns"] = len(re.findall("\r(?!\n)", text))
    kinds = {"Cc": "controls", "Cf": "invisibles"}
    for before, character in itertools.pairwise("\n" + text):
        if character in " \t\r\n":
            continue
        if character == "\ufffd":
            found["replaced"] += 1
        elif character.isspace() and ord(character) > 127:
            found["unicode_spaces"] += 1
        elif character not in "\u200c\u200d":
            found[kinds.get(unicodedata.category(character), "others")] += 1
        after_accent = before in "\u00c2\u00c3" and "\u0080" <= character <= "\u00bf"
        found["misread"] += after_accent or before + character == "\u00e2\u20ac"
    seen, types = set(), set()
    found["longest_line"] = found["longest_token"] = 0
    for line in lines:
        tokens = tuple(token for token in re.split("[ \t\r]", line) if token)
        found["crlf"] += line.endswith("\r")
        found["empty"] += not tokens
        found["of_one"] += len(tokens) == 1
        found["repeated"] += bool(tokens) and tokens in seen
        found["tokens"] += len(tokens)
        found["longest_line"] = max(found["longest_line"], len(tokens))
        seen.add(tokens)
        types.update(tokens)
        found["wiki"] += len(re.findall(r"(?=\[\[|\{\{)", line))
        found["addresses"] += len(re.findall("https?://", line))
        found["entities"] += len(re.findall("&(?:#[A-Za-z0-9]{1,8}|[A-Za-z0-9]{2,9});", line))
        tags = re.findall(r"<([^<>]{1,199})>", line)
        found["tags"] += sum(tag[0] in "/!?" or _is_letter(tag[0]) for tag in tags)
        for token in tokens:
            categories = [unicodedata.category(character)[0] for character in token]
            letters = [_is_letter(character) for character in token]
            digits = [category == "N" for category in categories]
            marks = [category in "PS" for category in categories]
            if token[0] == "\ufffd" or token[-1] == "\ufffd":
                marks[0] &= token[0] != "\ufffd"
                marks[-1] &= token[-1] != "\ufffd"
            found["punctuated"] += any(letters + digits) and (marks[0] or marks[-1])
            found["with_digits"] += any(digits)
            found["capitalised"] += any(unicodedata.category(c) in ("Lu", "Lt") for c in token)
            found["of_han"] += _is_han(token[0])
            found["han_characters"] += len(token) * _is_han(token[0])
            for sign, name in ((",", "commas"), (";", "semicolons"), ("|", "bars")):
                found[name] += sum(
                    token[i] == sign and letters[i - 1] and letters[i + 1] for i in range(1, len(token) - 1)
                )
    found["types"] = len(types)
    return dict(found)
