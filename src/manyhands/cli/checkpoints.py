"""`manyhands checkpoints`: the states that a session can be brought back to."""

from __future__ import annotations

import click

from manyhands.cli.answers import pass_on_list
from manyhands.cli.options import connection, json_option, session_argument


@click.command("checkpoints")
@session_argument
@json_option
def command(session: str, as_json: bool) -> None:
    """List a session's checkpoints, oldest first: one per turn, and some in between."""
    data = connection().fetch_of(session, "checkpoints")
    pass_on_list(
        data,
        as_json,
        ("CHECKPOINT", "TURN", "AT", "COMMIT"),
        lambda c: (c["id"], str(c["turn"]), c["at"], c["commit"][:12]),
    )
