"""Terminals of a session over HTTP; what passes through one is in `model/terminal/stream.py`."""

from __future__ import annotations

import msgspec

from manyhands.model.clock import Instant


class TerminalView(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    """Unique in its session."""
    command: tuple[str, ...]
    title: str = ""
    """What the program calls itself, as far as somebody has looked."""
    pid: int
    rows: int = 0
    columns: int = 0
    viewers: int = 0
    exit_code: int | None
    """None while it runs."""
    started_at: Instant
    seconds: float | None
    position: int
    bell: bool = False
    """Whether a person is told when it rings."""


class TerminalOpening(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: str = ""
    command: tuple[str, ...] = ()
    """Empty: the user's shell."""
    rows: int = 24
    columns: int = 80


class TerminalChange(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: str | None = None
    position: int | None = None
    bell: bool | None = None


class TakeRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The size in which the agent's own program begins."""

    rows: int = 24
    columns: int = 80


class CommandRun(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first words on the socket of a command."""

    command: tuple[str, ...]
