"""`manyhands status`: the hub and its counts."""

from __future__ import annotations

import click

from manyhands.cli.answers import unless_json
from manyhands.cli.options import connection, json_option
from manyhands.cli.output import tell, write


@click.command("status")
@json_option
def command(as_json: bool) -> None:
    """Show the hub and how many sessions are in which status."""
    from manyhands.contract.box import box_words
    from manyhands.contract.hub import HubStatus

    data = connection().fetch("/api/status")
    if hub := unless_json(data, as_json, HubStatus):
        write(f"hub {hub.version} at {hub.url}, process {hub.pid}")
        if hub.problem:
            tell(f"  nothing can be stored: {hub.problem}")
            tell(f"  {hub.hint}")
        if hub.faults:
            tell(f"  {hub.faults} faults in the background: `manyhands doctor` tells of them")
        if hub.box_detail:
            write(f"  box: {box_words(hub.box_detail)}")
        for status, count in hub.sessions.items():
            if count:
                write(f"  {count:>4} {status}")
