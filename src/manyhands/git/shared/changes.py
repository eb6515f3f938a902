"""What became of the things that worktrees share, from one moment to another: only losses count.

New branches and tags, and branches that went forward, are everyday work. What a session does to its
own branch is its own business.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal

import msgspec

from manyhands.git import refs
from manyhands.git.diff.diff import shown as as_text
from manyhands.git.runner import Git
from manyhands.git.shared.state import HEADS, TAGS, SharedState, StashEntry

Kind = Literal["branch", "tag", "note", "stash", "config"]
MOST_COMPARED = 100
_SILENT = ("branch.", "submodule.")
"""Settings that git writes of its own accord when somebody pushes, switches or updates."""


class ShareChange(msgspec.Struct, frozen=True):
    """Something that is not any more what it was."""

    kind: Kind
    name: str
    before: str = ""
    """A commit, or the text of a setting."""
    now: str = ""
    """Empty where it is gone."""


class Settled(msgspec.Struct, frozen=True):
    """Which branches are of no interest."""

    sessions: frozenset[str] = frozenset()
    """Sessions' own, that may go anywhere."""
    free: frozenset[str] = frozenset()
    """Those of them that may be deleted, too."""


def find_changes(
    repo: Path, before: SharedState, now: SharedState, settled: Settled
) -> list[ShareChange]:
    return [
        *_lost_refs(repo, before, now, settled),
        *_dropped(before, now),
        *_changed_settings(repo, before, now),
    ]


def with_pending(before: SharedState, now: SharedState, sessions: Collection[str]) -> SharedState:
    """The same, where what agents put on the stash in a turn that runs is not counted yet."""
    known = {entry.oid for entry in before.stash}
    new = {e for e in now.stash if e.oid not in known and e.branch in sessions}
    settled = tuple(entry for entry in now.stash if entry not in new)
    return replace(now, stash=settled, pending=tuple(e for e in now.stash if e in new))


def added_entries(before: SharedState, now: SharedState, branch: str) -> list[StashEntry]:
    """What was put on the stash from that branch, newest first."""
    known = {entry.oid for entry in before.stash}
    return [entry for entry in now.stash if entry.oid not in known and entry.branch == branch]


def _lost_refs(
    repo: Path, before: SharedState, now: SharedState, settled: Settled
) -> Iterator[ShareChange]:
    compared = 0
    for ref, old in before.refs.items():
        new = now.refs.get(ref)
        kind, name = _named(ref)
        if new == old or (kind == "branch" and name in settled.free):
            continue
        if new is None:
            yield ShareChange(kind, as_text(name.encode("utf-8", "surrogateescape")), old)
        elif not (kind == "branch" and name in settled.sessions):
            compared += 1
            # What cannot be told in reasonable time counts as lost.
            if kind == "tag" or compared > MOST_COMPARED or not refs.is_part_of(repo, old, new):
                yield ShareChange(kind, as_text(name.encode("utf-8", "surrogateescape")), old, new)


def _named(ref: str) -> tuple[Kind, str]:
    if ref.startswith(HEADS):
        return "branch", ref.removeprefix(HEADS)
    if ref.startswith(TAGS):
        return "tag", ref.removeprefix(TAGS)
    return "note", ref.removeprefix("refs/")


def full_name(change: ShareChange) -> str:
    return {"branch": HEADS, "tag": TAGS}.get(change.kind, "refs/") + change.name


def _dropped(before: SharedState, now: SharedState) -> Iterator[ShareChange]:
    there = {entry.oid for entry in (*now.stash, *now.pending)}
    for entry in before.stash:
        if entry.oid not in there:
            text = as_text(entry.message.encode("utf-8", "surrogateescape"))
            yield ShareChange("stash", text, entry.oid)


def _changed_settings(repo: Path, before: SharedState, now: SharedState) -> Iterator[ShareChange]:
    if before.config == now.config or not before.config:
        return
    old, new = load_settings(repo, before.config), load_settings(repo, now.config)
    for name in sorted({*old, *new}):
        if old.get(name) != new.get(name) and not name.startswith(_SILENT):
            was, became = (", ".join(some.get(name, ())) for some in (old, new))
            yield ShareChange("config", name, was, became)


def load_settings(repo: Path, config: bytes) -> dict[str, list[str]]:
    """Every setting of a config, by git's own reading; what it cannot read has none."""
    argv = ("config", "--no-includes", "--file", "-", "--list", "-z")
    found: dict[str, list[str]] = {}
    for record in Git(repo).run(*argv, stdin=config, check=False).records:
        name, _, value = record.decode("utf-8", "replace").partition("\n")
        found.setdefault(name, []).append(value)
    return found


def unchanged(before: SharedState, now: SharedState) -> bool:
    """Whether there is nothing new to keep."""
    mine = (before.refs, before.stash, before.pending, before.config_digest, before.head)
    return mine == (now.refs, now.stash, now.pending, now.config_digest, now.head)
