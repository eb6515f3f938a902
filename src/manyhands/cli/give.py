"""`manyhands give`: the conversation back from the agent's own program."""

from __future__ import annotations

import click

from manyhands.cli.answers import pass_on_session
from manyhands.cli.options import connection, json_option, session_argument


@click.command("give")
@session_argument
@json_option
def command(session: str, as_json: bool) -> None:
    """End the agent's own program and give the conversation back; messages go to it again.

    A turn that runs there is stopped first. What was said meanwhile is in the log.
    """
    pass_on_session(connection().send_to(session, "give"), as_json)
