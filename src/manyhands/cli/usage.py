"""`manyhands usage`: cost, tokens and time, by day or by what they were spent on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import click

from manyhands.cli.answers import unless_json
from manyhands.cli.options import connection, json_option
from manyhands.cli.output import put, tell
from manyhands.cli.table import print_table

if TYPE_CHECKING:
    from manyhands.model.agent.usage import Cell

GROUPS = ("day", "repo", "agent", "model", "session")


@click.command("usage")
@click.option("--by", type=click.Choice(GROUPS), default="day", help="What a line stands for.")
@click.option("--since", metavar="DAY", default="", help="From this day on, such as 2026-01-31.")
@click.option("--csv", "as_csv", is_flag=True, help="Write every record as CSV to stdout.")
@json_option
def command(by: str, since: str, as_csv: bool, as_json: bool) -> None:
    """Show what was used: cost, tokens, and time working and waiting."""
    from manyhands.model.agent.usage import Cell

    cells = unless_json(connection().fetch("/api/usage", since=since), as_json, list[Cell])
    if cells is None:
        return
    if as_csv:
        _write_csv(cells)
    else:
        _print(cells, by)


def _write_csv(cells: Iterable[Cell]) -> None:
    import csv
    import io

    from manyhands.model.agent.usage import Cell

    text = io.StringIO()
    rows = csv.writer(text)
    rows.writerow(Cell.__struct_fields__)
    rows.writerows([_inert_cell(getattr(c, n)) for n in Cell.__struct_fields__] for c in cells)
    put(text.getvalue().encode("utf-8", "backslashreplace"))


def _inert_cell(value: object) -> object:
    """A title that begins like a formula is text to a spreadsheet too."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@") else value


def _print(cells: Sequence[Cell], by: str) -> None:
    from manyhands.model.agent.usage import SUMS

    if not cells:
        tell("nothing was used yet")
        return
    groups: dict[str, list[float]] = {}
    for cell in cells:
        name = f"{cell.session}  {cell.title}" if by == "session" else str(getattr(cell, by))
        sums = groups.setdefault(name or "unknown", [0.0] * len(SUMS))
        for n, field in enumerate(SUMS):
            sums[n] += getattr(cell, field)
    total = [sum(sums) for sums in zip(*groups.values(), strict=True)]
    rows = [_row(name, sums) for name, sums in [*groups.items(), ("total", total)]]
    print_table((by.upper(), "TURNS", "IN", "OUT", "COST", "WORKING", "WAITING"), rows)


def _row(name: str, sums: Sequence[float]) -> tuple[str, ...]:
    turns, tokens_in, tokens_out, cost, working, waiting = sums
    counts = (f"{turns:.0f}", f"{tokens_in:.0f}", f"{tokens_out:.0f}", f"${cost:.2f}")
    return (name, *counts, _time(working), _time(waiting))


def _time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"
