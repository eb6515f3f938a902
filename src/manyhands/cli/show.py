"""`manyhands show`: everything about one session."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import click

from manyhands.cli.answers import pass_on_session
from manyhands.cli.options import connection, json_option, session_argument
from manyhands.cli.output import write
from manyhands.cli.terminal import inert
from manyhands.errors import ManyhandsError

if TYPE_CHECKING:
    from manyhands.client.connection import Connection


@click.command("show")
@session_argument
@json_option
def command(session: str, as_json: bool) -> None:
    """Show a session and what it waits for."""
    hub = connection()
    pass_on_session(hub.fetch_of(session), as_json, whole=True)
    if not as_json:
        _print_base(hub, session)


def _print_base(hub: Connection, session: str) -> None:
    """What its base here is to the remote's."""
    import msgspec

    from manyhands.contract.landing import BaseView

    # A repository that cannot be read is told of with the session.
    with suppress(ManyhandsError):
        base = msgspec.json.decode(hub.fetch_of(session, "base"), type=BaseView)
        if base.words:
            write(f"base: {inert(base.words)}")
