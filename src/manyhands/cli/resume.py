"""`manyhands resume`: start a dead agent again by its id."""

from __future__ import annotations

import click

from manyhands.cli.answers import pass_on_session
from manyhands.cli.options import json_option, ready, session_argument


@click.command("resume")
@session_argument
@json_option
def command(session: str, as_json: bool) -> None:
    """Start a session's dead agent again, where it left off."""
    hub, found = ready(session)
    pass_on_session(hub.send_to(found.id, "resume"), as_json)
