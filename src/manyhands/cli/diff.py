"""`manyhands diff`: everything a session changed against its base."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from manyhands.cli.options import connection, json_option, session_argument

if TYPE_CHECKING:
    from manyhands.client.calls import Diff

_COLOURS = {"+": "green", "-": "red", "@": "cyan"}
_HEADS = ("diff ", "index ", "--- ", "+++ ", "new ", "deleted ", "rename ", "similarity ", "old ")


@click.command("diff")
@session_argument
@click.option("--stat", is_flag=True, help="Only the files and their numbers of lines.")
@click.option("--turn", type=click.IntRange(min=0), help="Only what changed in that turn.")
@json_option
def command(session: str, stat: bool, turn: int | None, as_json: bool) -> None:
    """Show the changes against base, uncommitted and untracked ones included."""
    from manyhands.cli.output import emit
    from manyhands.client.connection import session_path

    asked = {"patch": not stat, **({} if turn is None else {"turn": turn})}
    data = connection().fetch(session_path(session, "diff"), timeout=300.0, **asked)
    if as_json:
        emit(data)
        return
    import msgspec

    from manyhands.client.calls import Diff

    diff = msgspec.json.decode(data, type=Diff)
    if stat:
        _print_stat(diff)
    else:
        _print_patch(diff.patch)


def _print_stat(diff: Diff) -> None:
    from manyhands.cli.table import print_table

    rows = [
        (f.status, f.path, "binary" if f.binary else f"+{f.added} -{f.removed}") for f in diff.files
    ]
    print_table(("STATUS", "PATH", "LINES"), rows)


def _print_patch(patch: str) -> None:
    from manyhands.cli.output import put, write
    from manyhands.cli.terminal import inert, is_terminal

    if not is_terminal():
        put(patch.encode("utf-8", "surrogateescape"))
        return
    for line in patch.split("\n")[:-1]:
        write(_coloured(inert(line)))


def _coloured(line: str) -> str:
    from manyhands.cli.terminal import styled

    if line.startswith(_HEADS):
        return styled(line, bold=True)
    colour = _COLOURS.get(line[:1])
    return styled(line, fg=colour) if colour else line
