"""`manyhands status`: the hub and its counts."""

from __future__ import annotations

import click

from manyhands.cli.options import connection, json_option


@click.command("status")
@json_option
def command(as_json: bool) -> None:
    """Show the hub and how many sessions are in which status."""
    from manyhands.cli.output import emit, write

    data = connection().fetch("/api/status")
    if as_json:
        emit(data)
        return
    import msgspec

    from manyhands.client.calls import HubStatus

    hub = msgspec.json.decode(data, type=HubStatus)
    write(f"hub {hub.version} at {hub.url}, process {hub.pid}")
    for status, count in hub.sessions.items():
        if count:
            write(f"  {count:>4} {status}")
