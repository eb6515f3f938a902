"""`manyhands follow-ups`: what waits for the turn's end, to be looked over."""

from __future__ import annotations

import click

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
    from manyhands.cli.message import read_message
    from manyhands.cli.output import emit
    from manyhands.client.connection import session_path

    if edit and delete:
        raise click.UsageError("--edit or --delete, one at a time")
    if bool(edit) != (text is not None):
        raise click.UsageError("--edit ID and --text TEXT go together")
    place = session_path(session, "follow-ups")
    if edit:
        data = connection().send(f"{place}/{_part(edit)}", {"text": read_message(text or "")})
    elif delete:
        data = connection().send(f"{place}/{_part(delete)}/delete")
    else:
        data = connection().fetch(place)
    if as_json:
        emit(data)
    else:
        _print(data)


def _part(id: str) -> str:
    from urllib.parse import quote

    return quote(id, safe="")


def _print(data: bytes) -> None:
    import msgspec

    from manyhands.cli.table import print_table

    rows = [(waiting["id"], waiting["text"]) for waiting in msgspec.json.decode(data)]
    print_table(("ID", "TEXT"), rows)
