"""`manyhands diff`: everything a session changed against its base."""

from __future__ import annotations

import click

from manyhands.cli.answers import unless_json
from manyhands.cli.options import connection, json_option, session_argument
from manyhands.cli.output import put, write
from manyhands.cli.table import print_table
from manyhands.cli.terminal import inert, is_terminal, styled

_COLOURS = {"+": "green", "-": "red", "@": "cyan"}
_HEADS = ("diff ", "index ", "--- ", "+++ ", "new ", "deleted ", "rename ", "similarity ", "old ")


@click.command("diff")
@session_argument
@click.option("--stat", is_flag=True, help="Only the files and their numbers of lines.")
@click.option("--turn", type=click.IntRange(min=0), help="Only what changed in that turn.")
@json_option
def command(session: str, stat: bool, turn: int | None, as_json: bool) -> None:
    """Show the changes against base, uncommitted and untracked ones included."""
    from manyhands.model.workspace.diff import Diff

    data = connection().fetch_of(session, "diff", patch=not stat, turn=turn, timeout=300.0)
    diff = unless_json(data, as_json, Diff)
    if diff and stat:
        rows = [
            (f.status, f.path, "binary" if f.binary else f"+{f.added} -{f.removed}")
            for f in diff.files
        ]
        print_table(("STATUS", "PATH", "LINES"), rows)
    elif diff:
        _print_patch(diff.patch)


def _print_patch(patch: str) -> None:
    if not is_terminal():
        put(patch.encode("utf-8", "surrogateescape"))
        return
    for line in patch.split("\n")[:-1]:
        write(_coloured(inert(line)))


def _coloured(line: str) -> str:
    if line.startswith(_HEADS):
        return styled(line, bold=True)
    colour = _COLOURS.get(line[:1])
    return styled(line, fg=colour) if colour else line
