"""`manyhands db`: the sessions' own branches of the data."""

from __future__ import annotations

from typing import Any

import click

from manyhands.cli.answers import pass_on_list, unless_json
from manyhands.cli.options import complete_session, connection, json_option, session_argument
from manyhands.cli.output import tell
from manyhands.cli.table import print_table

HEADS = ("SESSION", "KIND", "NAME", "PLACE", "STATE")


@click.group("db", no_args_is_help=False)
@json_option
def command(as_json: bool) -> None:
    """Reset, drop and list the databases of sessions."""


@command.command("list")
@click.argument("session", metavar="[S]", required=False, shell_complete=complete_session)
@json_option
def list_(session: str | None, as_json: bool) -> None:
    """List the databases that were branched for S, or for all sessions."""
    hub = connection()
    data = hub.fetch("/api/databases") if session is None else hub.fetch_of(session, "db")
    pass_on_list(data, as_json, HEADS, _row)


@command.command("reset")
@session_argument
@json_option
def reset(session: str, as_json: bool) -> None:
    """Make the database of S anew from its source; what S did to it is thrown away."""
    _pass_on(connection().send_to(session, "db/reset"), as_json)


@command.command("drop")
@session_argument
@json_option
def drop(session: str, as_json: bool) -> None:
    """Drop the database of S, never its source; `db reset` makes it again.

    S may also be the name of a leaked database that `manyhands doctor` found.
    """
    if session.startswith("mh_"):
        _pass_on(connection().send("/api/databases/drop", {"name": session}), as_json)
    else:
        _pass_on(connection().send_to(session, "db/drop"), as_json)


def _pass_on(data: bytes, as_json: bool) -> None:
    if data == b"null" and not as_json:
        tell("it has no database")
    elif found := unless_json(data, as_json, dict[str, Any]):
        print_table(HEADS, [_row(found)])


def _row(v: dict[str, Any]) -> tuple[str, ...]:
    return (v["slug"], v["kind"], v["name"], v["place"], "ready" if v["ready"] else "none")
