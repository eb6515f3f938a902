"""`manyhands audit`: who decided what about a session's tool calls."""

from __future__ import annotations

import click

from manyhands.cli.answers import pass_on_list
from manyhands.cli.options import connection, json_option, session_argument


@click.command("audit")
@session_argument
@json_option
def command(session: str, as_json: bool) -> None:
    """List every decision on a tool call: when, who, what, and by which rule."""
    data = connection().fetch_of(session, "audit")
    heads = ("AT", "BY", "DECISION", "TOOL", "WHAT", "RULE")
    pass_on_list(data, as_json, heads, lambda line: [line[head.lower()] for head in heads])
