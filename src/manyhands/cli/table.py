"""Tables: by rich on a terminal, as plain aligned columns anywhere else."""

from __future__ import annotations

from collections.abc import Sequence

from manyhands.cli.output import write
from manyhands.cli.terminal import inert, is_terminal

Row = Sequence[str]


def print_table(heads: Row, rows: Sequence[Row]) -> None:
    """Cells may hold anything; they are made inert here."""
    safe = [[inert(cell) for cell in row] for row in rows]
    if is_terminal():
        _print_rich(heads, safe)
    else:
        _print_plain(heads, safe)


def _print_rich(heads: Row, rows: Sequence[Row]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for head in heads:
        table.add_column(head)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    Console().print(table)


def _print_plain(heads: Row, rows: Sequence[Row]) -> None:
    lines = [heads, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(heads))]
    for line in lines:
        write(
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        )
