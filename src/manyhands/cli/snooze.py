"""`manyhands snooze`: put an open item off."""

from __future__ import annotations

import click

from manyhands.cli.options import client, json_option, session_argument
from manyhands.cli.output import emit, write
from manyhands.errors import NotPossible


@click.command("snooze")
@session_argument
@click.option("--minutes", type=click.FloatRange(0, 43200), default=60, show_default=True)
@click.option("--item", default="", metavar="ID", help="Default: the session's oldest open item.")
@json_option
def command(session: str, minutes: float, item: str, as_json: bool) -> None:
    """Put an open item off; with 0 minutes it is back at once."""
    from urllib.parse import quote

    hub = client()
    found = hub.session(session)
    if not item and not found.attention:
        raise NotPossible(f"{found.slug} has nothing open to put off")
    chosen = item or min(found.attention, key=lambda i: (bool(i.snoozed_until), i.raised_at)).id
    data = hub.send(f"/api/attention/{quote(chosen, safe='')}/snooze", {"minutes": minutes})
    if as_json:
        emit(data)
    else:
        write(f"put off for {minutes:g} minutes" if minutes else "back again")
