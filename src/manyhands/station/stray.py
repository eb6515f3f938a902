"""Whether a tool call changed files outside of its own worktree: by name, or by their times."""

from __future__ import annotations

import functools
import logging
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from manyhands.errors import ManyhandsError
from manyhands.git.diff.diff import shown
from manyhands.git.runner import Git
from manyhands.model.ids import SessionId
from manyhands.station.threads import in_thread

log = logging.getLogger(__name__)
MOMENT_SECONDS = 10.0
TICK_SECONDS = 0.01
"""A file's time is that of the kernel's last tick, and an event's is cut to its millisecond."""


class Checkout(msgspec.Struct, frozen=True):
    """Somewhere that is not the session's own to change."""

    root: str
    owner: SessionId = SessionId("")
    """Empty for the main checkout."""
    busy: bool = False
    """Whether its owner's agent is at work there."""


class EndedCall(msgspec.Struct, frozen=True, kw_only=True):
    """A tool call to be judged by what changed between two moments."""

    session: SessionId
    worktree: str
    files: tuple[str, ...] | None
    """What a file tool was told to change; None for a shell's command."""
    doubtful: bool = False
    """It failed, or never said how it ended: what it named counts only where it did change."""
    command: str
    since: float
    until: float
    checkouts: list[Checkout]


class Strayed(msgspec.Struct, frozen=True):
    call: int
    """Which of those that were asked about."""
    checkout: Checkout
    paths: list[str]
    fresh: list[str] = []
    """Those of them that git does not follow there."""


@in_thread
def find_strays(calls: Sequence[EndedCall]) -> list[Strayed]:
    """Every checkout is read once for all of them."""
    return list(_find(calls))


def _find(calls: Sequence[EndedCall]) -> Iterator[Strayed]:
    load = functools.cache(_load_touched)
    for number, call in enumerate(calls):
        try:
            found = _changed(call, load) if call.files is None else _named(call, call.files)
            yield from [
                Strayed(number, checkout, paths, _fresh(Path(checkout.root), paths))
                for checkout, paths in found
            ]
        except (ManyhandsError, OSError) as error:
            log.info("whether session %s strayed cannot be told: %s", call.session, error)


def _fresh(checkout: Path, paths: list[str]) -> list[str]:
    """What a `git restore` would not know."""
    known = Git(checkout).run("ls-files", "-z", "--", *(path.rstrip("/") for path in paths))
    followed = {shown(path) for path in known.records}
    return [path for path in paths if path not in followed]


def _named(call: EndedCall, names: tuple[str, ...]) -> Iterator[tuple[Checkout, list[str]]]:
    """The files that a tool was told to change; links are followed."""
    own = Path(call.worktree)
    files = [(own / name).resolve() for name in names]
    outside = [file for file in files if not file.is_relative_to(own.resolve())]
    for checkout in call.checkouts:
        root = Path(checkout.root).resolve()
        inside = [file.relative_to(root) for file in outside if file.is_relative_to(root)]
        outside = [file for file in outside if not file.is_relative_to(root)]
        paths = [str(path) for path in inside if ".git" not in path.parts]
        if call.doubtful:
            times = {path: _changed_at(root, os.fsencode(path)) for path in paths}
            paths = [path for path in paths if _is_within(call, times[path])]
        if paths:
            yield checkout, paths


def _is_within(call: EndedCall, at: float) -> bool:
    return call.since - TICK_SECONDS <= at <= call.until + TICK_SECONDS


def _changed(
    call: EndedCall, load: Callable[[Path], dict[str, float]]
) -> Iterator[tuple[Checkout, list[str]]]:
    for checkout in call.checkouts:
        root, named = Path(checkout.root), checkout.root in call.command
        is_brief = not checkout.owner and call.until - call.since <= MOMENT_SECONDS
        if not (named or is_brief) or not root.is_dir():
            continue
        if checkout.busy and not named:
            continue
        if paths := [path for path, at in load(root).items() if _is_within(call, at)]:
            yield checkout, paths


def _load_touched(checkout: Path) -> dict[str, float]:
    """Uncommitted and untracked paths, and when each was changed last, by the wall clock."""
    argv = ("status", "--porcelain=v2", "-z", "--no-renames", "--ignore-submodules=dirty")
    records = Git(checkout).run(*argv, "--untracked-files=normal").records
    paths = [record.split(b" ", _FIELDS[record[:1]])[-1] for record in records]
    return {shown(path): _changed_at(checkout, path) for path in paths}


_FIELDS = {b"1": 8, b"u": 10, b"?": 1}


def _changed_at(checkout: Path, path: bytes) -> float:
    """A deleted file leaves its time on the folder that it was in."""
    file = checkout / os.fsdecode(path.rstrip(b"/"))
    for place in (file, *file.parents):
        try:
            return place.lstat().st_ctime
        except OSError:
            continue
    return 0.0
