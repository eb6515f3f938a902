"""`manyhands restore`: bring an archived session back."""

from __future__ import annotations

import click

from manyhands.cli.answers import pass_on_session
from manyhands.cli.options import connection, json_option, session_argument


@click.command("restore")
@session_argument
@json_option
def command(session: str, as_json: bool) -> None:
    """Bring an archived session back, at its old path."""
    pass_on_session(connection().send_to(session, "restore"), as_json)
