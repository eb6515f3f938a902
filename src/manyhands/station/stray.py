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
    file: str | None
    """What a file tool was told to write; None for a shell's command."""
    command: str
    since: float
    until: float
    checkouts: list[Checkout]


class Strayed(msgspec.Struct, frozen=True):
    call: int
    """Which of those that were asked about."""
    checkout: Checkout
    paths: list[str]


@in_thread
def find_strays(calls: Sequence[EndedCall]) -> list[Strayed]:
    """Every checkout is read once for all of them."""
    return list(_find(calls))


def _find(calls: Sequence[EndedCall]) -> Iterator[Strayed]:
    load = functools.cache(_load_touched)
    for number, call in enumerate(calls):
        try:
            found = _named(call, call.file) if call.file is not None else _changed(call, load)
            yield from (Strayed(number, checkout, paths) for checkout, paths in list(found))
        except (ManyhandsError, OSError) as error:
            log.info("whether session %s strayed cannot be told: %s", call.session, error)


def _named(call: EndedCall, named: str) -> Iterator[tuple[Checkout, list[str]]]:
    """The file that a tool was told to write; links are followed."""
    own = Path(call.worktree)
    file = (own / named).resolve()
    if file.is_relative_to(own.resolve()):
        return
    for checkout in call.checkouts:
        root = Path(checkout.root).resolve()
        if file.is_relative_to(root) and ".git" not in file.relative_to(root).parts:
            yield checkout, [str(file.relative_to(root))]
            return


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
        if paths := [path for path, at in load(root).items() if call.since <= at <= call.until]:
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
