"""The directive ``command-help``: a section for every command, with what its ``--help`` prints."""

import click
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from w2v.cli.app import COMMANDS, app

_WIDTH = 100


class CommandHelp(SphinxDirective):
    """Write out the help of all commands, which click makes from their options."""

    def run(self) -> list[nodes.Node]:
        """Return the sections."""
        group = click.Context(app, info_name="w2v", terminal_width=_WIDTH, max_content_width=_WIDTH)
        commands = ((name, app.get_command(group, name)) for name in COMMANDS)
        return [self._section(name, command, group) for name, command in commands if command is not None]

    def _section(self, name: str, command: click.Command, group: click.Context) -> nodes.section:
        section = nodes.section(ids=[f"w2v-{name}"], names=[f"w2v {name}"])
        section += nodes.title(text=f"w2v {name}")
        context = command.context_class(
            command, info_name=name, parent=group, terminal_width=_WIDTH, **command.context_settings
        )
        help_text = command.get_help(context)
        section += nodes.literal_block(help_text, help_text, language="text")
        self.state.document.note_explicit_target(section, section)
        return section


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("command-help", CommandHelp)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
