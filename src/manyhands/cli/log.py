"""`manyhands log`: what happened in a session, and what happens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from manyhands.cli.options import client, json_option, session_argument
from manyhands.cli.output import emit, put

if TYPE_CHECKING:
    import msgspec


@click.command("log")
@session_argument
@click.option("--after", type=click.IntRange(min=0), default=0, metavar="N", help="From there on.")
@click.option("--follow", is_flag=True, help="Go on with what happens, text as it is written.")
@json_option
def command(session: str, after: int, follow: bool, as_json: bool) -> None:
    """Show a session's events; with --json one per line."""
    frames = _frames(session, after, follow)
    if as_json:
        for frame in frames:
            emit(bytes(frame))
        return
    from manyhands.cli.transcript import Transcript

    transcript = Transcript()
    for frame in frames:
        put(transcript.text(frame).encode("utf-8", "backslashreplace"))


def _frames(ref: str, after: int, follow: bool) -> Iterator[msgspec.Raw]:
    hub = client()
    if not follow:
        return hub.events(ref, after)
    from manyhands.client.feed import follow as follow_feed

    return follow_feed(hub.home, hub.session(ref).id, after)
