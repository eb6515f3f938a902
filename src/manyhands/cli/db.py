"""`manyhands db`: the sessions' own branches of the data."""

from __future__ import annotations

from typing import Any

import click

from manyhands.cli.options import complete_session, connection, json_option, session_argument


@click.group("db", no_args_is_help=False)
@json_option
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """Reset, drop and list the databases of sessions."""
    ctx.obj = as_json


@command.command("list")
@click.argument("session", metavar="[S]", required=False, shell_complete=complete_session)
@json_option
@click.pass_obj
def list_(json_before: bool, session: str | None, as_json: bool) -> None:
    """List the databases that were branched for S, or for all sessions."""
    import msgspec

    from manyhands.cli.output import emit
    from manyhands.client.connection import session_path

    path = "/api/databases" if session is None else session_path(session, "db")
    data = connection().fetch(path)
    if as_json or json_before:
        emit(data)
    else:
        _print(msgspec.json.decode(data))


@command.command("reset")
@session_argument
@json_option
@click.pass_obj
def reset(json_before: bool, session: str, as_json: bool) -> None:
    """Make the database of S anew from its source; what S did to it is thrown away."""
    _send(session, "db/reset", as_json or json_before)


@command.command("drop")
@session_argument
@json_option
@click.pass_obj
def drop(json_before: bool, session: str, as_json: bool) -> None:
    """Drop the database of S, never its source; `db reset` makes it again.

    S may also be the name of a leaked database that `manyhands doctor` found.
    """
    if session.startswith("mh_"):
        _answer(connection().send("/api/databases/drop", {"name": session}), as_json or json_before)
    else:
        _send(session, "db/drop", as_json or json_before)


def _send(session: str, operation: str, as_json: bool) -> None:
    from manyhands.client.connection import session_path

    _answer(connection().send(session_path(session, operation)), as_json)


def _answer(data: bytes, as_json: bool) -> None:
    import msgspec

    from manyhands.cli.output import emit, tell

    if as_json:
        emit(data)
    elif (view := msgspec.json.decode(data)) is None:
        tell("it has no database")
    else:
        _print([view])


def _print(views: list[dict[str, Any]]) -> None:
    from manyhands.cli.table import print_table

    rows = [
        (v["slug"], v["kind"], v["name"], v["place"], "ready" if v["ready"] else "none")
        for v in views
    ]
    print_table(("SESSION", "KIND", "NAME", "PLACE", "STATE"), rows)
