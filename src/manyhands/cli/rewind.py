"""`manyhands rewind`: bring a session's files back to a checkpoint."""

from __future__ import annotations

import click

from manyhands.cli.answers import pass_on_session
from manyhands.cli.options import connection, json_option, session_argument


@click.command("rewind")
@session_argument
@click.argument("checkpoint", metavar="CHECKPOINT")
@json_option
def command(session: str, checkpoint: str, as_json: bool) -> None:
    """Bring a session back to CHECKPOINT: files, and the dialogue where the agent can.

    What is there now becomes a checkpoint first, so a rewind can itself be undone.
    """
    data = connection().send_to(session, "rewind", {"checkpoint": checkpoint})
    pass_on_session(data, as_json)
