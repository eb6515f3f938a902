"""What the hub answered, passed on: as the JSON it is, or as text for a reader."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from manyhands.cli.output import emit, write
from manyhands.cli.table import Row, print_table

T = TypeVar("T")


def unless_json(data: bytes, as_json: bool, kind: type[T]) -> T | None:
    """The answer, for the caller to put in words; nothing where it went out as it came."""
    if as_json:
        emit(data)
        return None
    import msgspec

    return msgspec.json.decode(data, type=kind)


def pass_on_list(data: bytes, as_json: bool, heads: Row, row: Callable[[Any], Row]) -> None:
    """A list: a row for each of its things."""
    things = unless_json(data, as_json, list[Any])
    if things is not None:
        print_table(heads, [row(thing) for thing in things])


def pass_on_session(data: bytes, as_json: bool, *, whole: bool = False) -> None:
    """A session: one line, or `whole` with everything it waits for."""
    if as_json:
        emit(data)
        return
    import msgspec

    from manyhands.cli.session_text import print_session, session_line
    from manyhands.contract.sessions import SessionView

    session = msgspec.json.decode(data, type=SessionView)
    if whole:
        print_session(session)
    else:
        write(session_line(session))
