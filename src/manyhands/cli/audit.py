"""`manyhands audit`: who decided what about a session's tool calls."""

from __future__ import annotations

from typing import Any

import click

from manyhands.cli.answers import pass_on_list
from manyhands.cli.asker import asker_text
from manyhands.cli.options import connection, json_option, session_argument


@click.command("audit")
@session_argument
@json_option
def command(session: str, as_json: bool) -> None:
    """List every decision on a tool call: when, who, what, and by which rule."""
    data = connection().fetch_of(session, "audit")
    heads = ("AT", "BY", "DECISION", "TOOL", "WHAT", "RULE", "ASKED")
    pass_on_list(data, as_json, heads, _row)


def _row(line: dict[str, Any]) -> list[str]:
    told = [line[name] for name in ("at", "by", "decision", "tool", "what", "rule")]
    return [*told, asker_text(line.get("asked_by"))]
