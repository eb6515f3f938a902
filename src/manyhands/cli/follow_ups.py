"""`manyhands follow-ups`: what waits for the turn's end, to be looked over."""

from __future__ import annotations

import click

from manyhands.cli.answers import pass_on_list
from manyhands.cli.message import read_message
from manyhands.cli.options import connection, json_option, session_argument


@click.command("follow-ups")
@session_argument
@click.option("--edit", metavar="ID", help="Say --text in its place.")
@click.option("--text", help="The new words (or standard input, by -).")
@click.option("--delete", metavar="ID", help="Do not say it at all.")
@json_option
def command(
    session: str, edit: str | None, text: str | None, delete: str | None, as_json: bool
) -> None:
    """List the messages that wait for the end of the turn, in order; edit or delete one."""
    if edit and delete:
        raise click.UsageError("--edit or --delete, one at a time")
    if bool(edit) != (text is not None):
        raise click.UsageError("--edit ID and --text TEXT go together")
    if edit:
        said = {"text": read_message(text or "")}
        data = connection().send_to(session, f"follow-ups/{_part(edit)}", said)
    elif delete:
        data = connection().send_to(session, f"follow-ups/{_part(delete)}/delete")
    else:
        data = connection().fetch_of(session, "follow-ups")
    pass_on_list(data, as_json, ("ID", "TEXT"), lambda waiting: (waiting["id"], waiting["text"]))


def _part(id: str) -> str:
    from urllib.parse import quote

    return quote(id, safe="")
