"""Manual pages made from the commands themselves: `python -m manyhands.cli.man DIR`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from manyhands import __version__
from manyhands.cli.main import manyhands
from manyhands.cli.output import tell

EXIT_CODES = (
    ("0", "ok"),
    ("1", "failed"),
    ("2", "wrong usage"),
    ("3", "a bug; a report file is named"),
    ("4", "not trusted or not authorised"),
    ("5", "not found"),
    ("6", "a session needs attention"),
    ("7", "no hub answers"),
    ("130", "interrupted"),
)


def pages() -> Iterator[tuple[str, str]]:
    """Every page's file name and roff text: one for the program, one for each command."""
    with click.Context(manyhands, info_name="manyhands") as root:
        yield "manyhands.1", _page(root)
        for context in _below(root):
            yield f"{context.command_path.replace(' ', '-')}.1", _page(context)


def _below(parent: click.Context) -> Iterator[click.Context]:
    group = parent.command
    if not isinstance(group, click.Group):
        return
    for name in group.list_commands(parent):
        command = group.get_command(parent, name)
        assert command is not None
        context = click.Context(command, info_name=name, parent=parent)
        yield context
        yield from _below(context)


def _page(context: click.Context) -> str:
    command = context.command
    name = context.command_path.replace(" ", "-")
    usage = " ".join(command.collect_usage_pieces(context))
    lines = [
        f'.TH "{name.upper()}" "1" "" "Manyhands {__version__}" "Manyhands Manual"',
        *(".SH NAME", f"{_roff(name)} \\- {_roff(command.get_short_help_str(200))}"),
        *(".SH SYNOPSIS", f".B {_roff(context.command_path)}", _roff(usage)),
        *(".SH DESCRIPTION", *_paragraphs(command.help or "")),
        *_options(context),
        *_commands(context),
        *_exit_codes(),
    ]
    return "\n".join(line for line in lines if line) + "\n"


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        yield ".PP"
        yield _roff(" ".join(paragraph.split()))


def _options(context: click.Context) -> Iterator[str]:
    options = [p for p in context.command.get_params(context) if isinstance(p, click.Option)]
    yield ".SH OPTIONS"
    for words, meaning in filter(None, (option.get_help_record(context) for option in options)):
        yield from (".TP", f".B {_roff(words)}", _roff(meaning))


def _commands(context: click.Context) -> Iterator[str]:
    below = list(_below(context))
    if below:
        yield ".SH COMMANDS"
    for child in below:
        yield from (".TP", f".B {_roff(child.command_path)}")
        yield _roff(child.command.get_short_help_str(200))


def _exit_codes() -> Iterator[str]:
    yield ".SH EXIT STATUS"
    for code, meaning in EXIT_CODES:
        yield from (".TP", f".B {code}", meaning)


def _roff(text: str) -> str:
    """Nothing in the text may be taken for a request or an escape."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return f"\\&{escaped}" if escaped.startswith(".") else escaped


def main(directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    for name, text in pages():
        (directory / name).write_text(text, "utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        tell("usage: python -m manyhands.cli.man DIR")
        sys.exit(2)
    main(Path(sys.argv[1]))
