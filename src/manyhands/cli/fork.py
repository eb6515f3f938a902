"""`manyhands fork`: a new session that goes on from another one's checkpoint."""

from __future__ import annotations

import click

from manyhands.cli.answers import pass_on_session
from manyhands.cli.options import connection, json_option, session_argument


@click.command("fork")
@session_argument
@click.argument("checkpoint", metavar="[CHECKPOINT]", default="", required=False)
@json_option
def command(session: str, checkpoint: str, as_json: bool) -> None:
    """Fork a session at CHECKPOINT, or as it is now, with a branch and worktree of its own."""
    data = connection().send_to(session, "fork", {"checkpoint": checkpoint})
    pass_on_session(data, as_json)
