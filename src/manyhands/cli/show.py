"""`manyhands show`: everything about one session."""

from __future__ import annotations

import click

from manyhands.cli.answers import pass_on_session
from manyhands.cli.options import connection, json_option, session_argument


@click.command("show")
@session_argument
@json_option
def command(session: str, as_json: bool) -> None:
    """Show a session and what it waits for."""
    pass_on_session(connection().fetch_of(session), as_json, whole=True)
