"""`manyhands conflicts`: who is in whose way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from manyhands.cli.options import client, json_option

if TYPE_CHECKING:
    from manyhands.client.calls import ConflictLine


@click.command("conflicts")
@click.option("--overlaps", is_flag=True, help="Also pairs that merely changed the same file.")
@json_option
def command(overlaps: bool, as_json: bool) -> None:
    """List sessions whose work would conflict when merged, uncommitted work included."""
    from manyhands.cli.output import emit, tell

    hub = client()
    data = hub.fetch("/api/conflicts", overlaps=overlaps, fresh=True, timeout=None)
    if as_json:
        emit(data)
        return
    import msgspec

    from manyhands.cli.table import print_table
    from manyhands.client.calls import ConflictLine

    found = msgspec.json.decode(data, type=tuple[ConflictLine, ...])
    names = {str(s.id): s.slug for s in hub.sessions(archived=True)} if found else {}
    rows = [row for conflict in found for row in _rows(conflict, names)]
    if rows:
        print_table(("SESSION", "WITH", "KIND", "WHY", "PATH"), rows)
    else:
        tell("nobody is in anybody's way")
    for conflict in found:
        if conflict.suggestion:
            tell(conflict.suggestion)


def _rows(conflict: ConflictLine, names: dict[str, str]) -> list[tuple[str, ...]]:
    a, b = (names.get(name, name) for name in (conflict.a, conflict.b))
    return [(a, b, p.kind, p.reason, p.path) for p in conflict.paths]
