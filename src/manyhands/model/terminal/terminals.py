"""A session's terminals as its log has them, in the order in which they are listed."""

from __future__ import annotations

from typing import assert_never

import msgspec
from msgspec.structs import replace

from manyhands.model.clock import Instant
from manyhands.model.ids import TerminalId
from manyhands.model.terminal.events import (
    TerminalChanged,
    TerminalClosed,
    TerminalEvent,
    TerminalExited,
    TerminalOpened,
)


class TerminalState(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    id: TerminalId
    name: str
    command: tuple[str, ...] = ()
    pid: int = 0
    bell: bool = False
    """Whether a person is told when it rings."""
    takes: bool = False
    started_at: Instant = ""
    exit_code: int | None = None
    seconds: float | None = None

    @property
    def runs(self) -> bool:
        return self.exit_code is None


Terminals = tuple[TerminalState, ...]


def fold(terminals: Terminals, event: TerminalEvent) -> Terminals:
    at = next((n for n, one in enumerate(terminals) if one.id == event.terminal), None)
    if isinstance(event, TerminalOpened):
        return _opened(terminals, event, at)
    if at is None:
        return terminals
    known, others = terminals[at], (*terminals[:at], *terminals[at + 1 :])
    match event:
        case TerminalClosed():
            return others
        case TerminalExited():
            ended = replace(known, exit_code=event.exit_code, seconds=event.seconds)
            return _placed(others, ended, at)
        case TerminalChanged():
            changed = replace(known, name=event.name, bell=event.bell)
            return _placed(others, changed, event.position)
        case _:
            assert_never(event)


def _opened(terminals: Terminals, event: TerminalOpened, at: int | None) -> Terminals:
    fresh = TerminalState(
        id=event.terminal,
        name=event.name,
        command=event.command,
        pid=event.pid,
        takes=event.takes,
        started_at=event.at,
    )
    if at is None:
        return (*terminals, fresh)
    known = terminals[at]
    again = replace(fresh, name=known.name, bell=known.bell)
    return (*terminals[:at], again, *terminals[at + 1 :])


def _placed(others: Terminals, one: TerminalState, at: int) -> Terminals:
    return (*others[:at], one, *others[at:])
