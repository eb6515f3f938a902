"""`manyhands audit`: who decided what about a session's tool calls."""

from __future__ import annotations

import click

from manyhands.cli.options import connection, json_option, session_argument


@click.command("audit")
@session_argument
@json_option
def command(session: str, as_json: bool) -> None:
    """List every decision on a tool call: when, who, what, and by which rule."""
    from manyhands.cli.output import emit
    from manyhands.client.connection import session_path

    data = connection().fetch(session_path(session, "audit"))
    if as_json:
        emit(data)
        return
    import msgspec

    from manyhands.cli.table import print_table

    found = msgspec.json.decode(data)
    rows = [(a["at"], a["by"], a["decision"], a["tool"], a["what"], a["rule"]) for a in found]
    print_table(("AT", "BY", "DECISION", "TOOL", "WHAT", "RULE"), rows)
