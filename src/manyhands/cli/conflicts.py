"""`manyhands conflicts`: who is in whose way."""

from __future__ import annotations

import click

from manyhands.cli.answers import unless_json
from manyhands.cli.options import client, json_option
from manyhands.cli.output import tell
from manyhands.cli.table import print_table


@click.command("conflicts")
@click.option("--overlaps", is_flag=True, help="Also pairs that merely changed the same file.")
@json_option
def command(overlaps: bool, as_json: bool) -> None:
    """List sessions whose work would conflict when merged, uncommitted work included."""
    from manyhands.contract.landing import ConflictView

    hub = client()
    data = hub.fetch("/api/conflicts", overlaps=overlaps, fresh=True, timeout=None)
    found = unless_json(data, as_json, list[ConflictView])
    if found is None:
        return
    names = hub.slugs() if found else {}
    rows = [
        (names.get(c.a, c.a), names.get(c.b, c.b), p.kind, p.reason, p.path)
        for c in found
        for p in c.paths
    ]
    if rows:
        print_table(("SESSION", "WITH", "KIND", "WHY", "PATH"), rows)
    else:
        tell("nobody is in anybody's way")
    for conflict in found:
        if conflict.suggestion:
            tell(conflict.suggestion)
