"""`manyhands log`: what happened in a session, and what happens."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

import click

from manyhands.cli.options import client, json_option, session_argument

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
    # The first frame is asked for here, so that a wrong name is told before any output.
    first = next(frames, None)
    if first is None:
        return
    if as_json:
        _write_lines(chain([first], frames))
    else:
        _write_text(chain([first], frames))


def _frames(ref: str, after: int, follow: bool) -> Iterator[msgspec.Raw]:
    hub = client()
    if not follow:
        yield from hub.events(ref, after)
        return
    from manyhands.client.feed import follow as follow_feed

    yield from follow_feed(hub.home, hub.session(ref).id, after)


def _write_lines(frames: Iterator[msgspec.Raw]) -> None:
    from manyhands.cli.output import emit

    for frame in frames:
        emit(bytes(frame))


def _write_text(frames: Iterator[msgspec.Raw]) -> None:
    from manyhands.cli.output import put
    from manyhands.cli.transcript import Transcript

    transcript = Transcript()
    for frame in frames:
        put(transcript.text(frame).encode("utf-8", "backslashreplace"))
