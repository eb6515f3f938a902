"""`manyhands resume`: start a dead agent again by its id."""

from __future__ import annotations

import click

from manyhands.cli.options import client, json_option, session_argument


@click.command("resume")
@session_argument
@json_option
def command(session: str, as_json: bool) -> None:
    """Start a session's dead agent again, where it left off."""
    from manyhands.cli.answers import pass_on_session
    from manyhands.cli.rehearsing import rehearse_for
    from manyhands.client.connection import session_path

    hub = client()
    found = hub.session(session)
    rehearse_for(hub.home, found.agent)
    pass_on_session(hub.send(session_path(found.id, "resume")), as_json)
