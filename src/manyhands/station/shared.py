"""What worktrees share, where it lies: looked at, kept, and brought back from what was kept."""

from __future__ import annotations

import hashlib
import os
import shlex
from collections.abc import Collection, Iterable
from pathlib import Path

import msgspec

from manyhands.config import Home
from manyhands.errors import ManyhandsError
from manyhands.git.diff.diff import shown
from manyhands.git.refs import common_dir
from manyhands.git.shared import bringing, keeping
from manyhands.git.shared.bringing import LostShare
from manyhands.git.shared.changes import (
    Settled,
    ShareChange,
    added_entries,
    find_changes,
    unchanged,
    with_pending,
)
from manyhands.git.shared.keeping import Keep
from manyhands.git.shared.state import SharedState, StashEntry, load_config, load_shared
from manyhands.model.ids import Oid
from manyhands.station.threads import in_thread

__all__ = ["LostShare", "Settled", "ShareChange"]


class Known(msgspec.Struct, frozen=True):
    """A state that is kept."""

    commit: Oid
    shared: SharedState


class Looked(msgspec.Struct, kw_only=True):
    before: Known | None = None
    now: SharedState
    config_now: str = ""
    """The digest of a config that keeps git from telling anything."""
    changes: list[ShareChange] = []
    """What was lost."""
    way_back: list[str] = []
    """Commands for a person's own shell."""
    left: dict[str, list[ShareChange]] = {}
    """What the turns that ended have left on the stash, by branch."""

    @property
    def lost(self) -> LostShare | None:
        if self.before is None or not self.changes:
            return None
        return LostShare(
            kept=self.before.commit,
            changes=tuple(self.changes),
            config_before=self.before.shared.config_digest,
            config_now=self.config_now or self.now.config_digest,
        )

    @property
    def is_new(self) -> bool:
        return self.before is None or not unchanged(self.before.shared, self.now)


def _place(home: Home, repo: str) -> Keep:
    owner = hashlib.sha256(os.fsencode(home.root)).hexdigest()[:10]
    of_repo = hashlib.sha256(os.fsencode(repo)).hexdigest()[:16]
    return Keep(Path(repo), owner, home.kept / of_repo)


@in_thread
def look(
    home: Home,
    repo: str,
    known: Known | None,
    settled: Settled,
    day: str,
    *,
    told: Collection[LostShare],
    working: frozenset[str],
    ended: frozenset[str],
) -> Looked:
    """How it is now against what is kept. `told` are the losses that a person knows of, `working`
    the branches of turns that run, `ended` of those that ended since the last look."""
    place = _place(home, repo)
    try:
        now = load_shared(place.repo, place.under)
    except ManyhandsError:
        if known is None or (found := _broken_config(place, known)) is None:
            raise
        return found
    before = known or _load_known(place, now)
    if before is None:
        return Looked(now=now)
    left = {branch: _left(before.shared, now, branch) for branch in ended}
    now = with_pending(before.shared, now, working - ended)
    looked = Looked(before=before, now=now, left={b: found for b, found in left.items() if found})
    if looked.is_new:
        changes = find_changes(place.repo, before.shared, now, settled)
        looked.changes = [c for c in changes if not _is_return(c, now, told)]
        looked.way_back = bringing.commands(place, before.shared, looked.changes)
        bringing.secure(place, before.commit, looked.changes, day)
    return looked


def _is_return(change: ShareChange, now: SharedState, told: Iterable[LostShare]) -> bool:
    """Whether it is again as it was before a loss: who goes the way back is not told of that."""
    of_kind = ((lost, c) for lost in told for c in lost.changes if c.kind == change.kind)
    if change.kind == "config":
        return any(lost.config_before == now.config_digest for lost, _ in of_kind)
    return any((c.name, c.before) == (change.name, change.now) for _, c in of_kind)


def _load_known(place: Keep, now: SharedState) -> Known | None:
    commit = keeping.latest(now)
    found = keeping.load_kept(place, commit) if commit else None
    return Known(commit, found) if commit and found else None


def _broken_config(place: Keep, known: Known) -> Looked | None:
    """No git works where the config cannot be read: that much can be said without one."""
    config = load_config(place.repo)
    if config == known.shared.config or not (common_dir(place.repo) / "HEAD").exists():
        return None
    change = ShareChange("config", "which git cannot read any more")
    seen = SharedState(config=config).config_digest
    found = Looked(before=known, now=known.shared, changes=[change], config_now=seen)
    found.way_back = bringing.commands(place, known.shared, [change])
    return found


def _left(before: SharedState, now: SharedState, branch: str) -> list[ShareChange]:
    return [_entry(entry) for entry in added_entries(before, now, branch)]


def _entry(entry: StashEntry) -> ShareChange:
    return ShareChange("stash", shown(os.fsencode(entry.message)), now=entry.oid)


@in_thread
def keep(home: Home, repo: str, looked: Looked, day: str) -> Known:
    """From now on this is what the next look compares with."""
    before = looked.before.commit if looked.before else None
    return Known(keeping.keep(_place(home, repo), looked.now, day, before), looked.now)


@in_thread
def bring_back(home: Home, repo: str, lost: LostShare, day: str) -> list[str]:
    """What became of each, in words."""
    return bringing.bring_back(_place(home, repo), lost, day)


@in_thread
def forget(home: Home, repo: str, day: str) -> None:
    """Let go of what was kept before that day."""
    keeping.forget_before(_place(home, repo), day)


def stash_commands(repo: str, worktree: str, left: list[ShareChange]) -> list[str]:
    """How a person looks at what is on the stash, and takes it back to where it came from."""
    lines = [shlex.join(("git", "-C", repo, "stash", "list"))]
    for entry in left:
        lines.append(shlex.join(("git", "-C", repo, "stash", "show", "-p", entry.now)))
        lines.append(shlex.join(("git", "-C", worktree, "stash", "apply", entry.now)))
    return lines
