"""`manyhands stop`: interrupt the turn."""

from __future__ import annotations

import click

from manyhands.cli.answers import pass_on_session
from manyhands.cli.options import connection, json_option, session_argument


@click.command("stop")
@session_argument
@json_option
def command(session: str, as_json: bool) -> None:
    """Interrupt the running turn; the session stays as it is."""
    pass_on_session(connection().send_to(session, "stop"), as_json)
