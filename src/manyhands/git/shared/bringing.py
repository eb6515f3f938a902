"""Bringing back what worktrees share and lost: by compare-and-swap, or beside what is there.

Nothing that somebody made meanwhile is overwritten. Each deed is harmless to repeat, and has words
for what came of it; the same can be done by hand with `commands`.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from manyhands.errors import NotPossible
from manyhands.git import refs, worktrees
from manyhands.git.diff.diff import shown
from manyhands.git.replacing import replace_file
from manyhands.git.runner import Git
from manyhands.git.shared.changes import ShareChange, full_name
from manyhands.git.shared.keeping import Keep, config_copy, load_config_copy, load_kept, load_tag
from manyhands.git.shared.state import SharedState, config_file, load_config, load_shared
from manyhands.model.ids import Oid

_REASON = "manyhands: brought back"


def secure(place: Keep, kept: Oid, changes: Iterable[ShareChange], day: str) -> None:
    """Write annotated tags anew whose objects `git gc` may have taken, and hold them by a ref."""
    for change in changes:
        if change.kind == "tag":
            raw = load_tag(place, kept, Oid(change.before))
            if raw is not None:
                argv = ("hash-object", "-w", "-t", "tag", "--stdin", "--literally")
                oid = Oid(place.git.run(*argv, stdin=raw).line)
                refs.put_ref(place.repo, f"{place.tags_under}/{day}/{oid}", oid)


def commands(place: Keep, kept: SharedState, changes: Iterable[ShareChange]) -> list[str]:
    """The way back for a person's own shell, each line by itself."""
    lines = [line for change in changes for line in _lines(place, change)]
    if any(change.kind == "config" for change in changes):
        copy = config_copy(place, kept.config_digest)
        lines.append(_quoted("cp", str(copy), str(config_file(place.repo))))
    return lines


def _lines(place: Keep, change: ShareChange) -> Iterator[str]:
    at = ("git", "-C", str(place.repo))
    match change.kind:
        case "branch" if not change.now:
            yield _quoted(*at, "branch", change.name, change.before)
        case "branch":
            yield _quoted(*at, "branch", _beside(change), change.before)
        case "tag" | "note":
            yield _quoted(*at, "update-ref", full_name(change), change.before)
        case "stash":
            yield _quoted(*at, "stash", "store", "-m", change.name, change.before)
        case "config":
            return


def _quoted(*words: str) -> str:
    return shlex.join(words)


def _beside(change: ShareChange) -> str:
    return f"{change.name}-before-{change.before[:8]}"


class LostShare(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be brought back, and from where."""

    kept: Oid
    """The state that held it."""
    changes: tuple[ShareChange, ...]
    config_before: str = ""
    config_now: str = ""
    """Digests of the config that is kept, and of the one that was seen in its place."""


def bring_back(place: Keep, lost: LostShare, day: str) -> list[str]:
    """What became of each, in words."""
    said = []
    # First, and without git: with a config that cannot be read no git works.
    if any(change.kind == "config" for change in lost.changes):
        said.append(_put_config(place, lost))
    named = [change for change in lost.changes if change.kind != "config"]
    if named:
        then = load_kept(place, lost.kept)
        if then is None:
            raise NotPossible(f"what {place.repo} had then is not kept any more")
        now = load_shared(place.repo, place.under)
        secure(place, lost.kept, named, day)
        said += [_put_ref(place, then, now, change) for change in named if change.kind != "stash"]
        said += _put_stash(place, now, [change for change in named if change.kind == "stash"])
    return said


def _put_ref(place: Keep, then: SharedState, now: SharedState, change: ShareChange) -> str:
    """The name as it is; a name that is no text is found by how it is shown."""
    wanted = full_name(change)
    ref = next((r for r in then.refs if shown(os.fsencode(r)) == wanted), wanted)
    old, there = Oid(change.before), now.refs.get(ref)
    what = f"the {change.kind} {change.name}"
    if there == old:
        return f"{what} is there already"
    if there is None:
        refs.set_ref(place.repo, ref, old, None, reason=_REASON)
        return f"{what} is back at {old[:12]}"
    if change.kind == "branch" and _is_checked_out(place.repo, change.name):
        beside = _beside(change)
        if now.refs.get(f"refs/heads/{beside}") != old:
            refs.set_ref(place.repo, f"refs/heads/{beside}", old, None, reason=_REASON)
        return f"{what} is checked out and was left alone; what it held is {beside}"
    if there != change.now:
        raise NotPossible(f"{what} has moved again, to {there[:12]}, and was left alone")
    refs.set_ref(place.repo, ref, old, there, reason=_REASON)
    return f"{what} is back at {old[:12]}"


def _is_checked_out(repo: Path, branch: str) -> bool:
    return any(found.branch == branch for found in worktrees.list_worktrees(repo))


def _put_stash(place: Keep, now: SharedState, dropped: list[ShareChange]) -> list[str]:
    """The oldest first, so that they lie in the order they had."""
    there = {entry.oid for entry in now.stash}
    missing = [change for change in dropped if change.before not in there]
    for change in reversed(missing):
        argv = ("stash", "store", "--quiet", "-m", change.name, change.before)
        Git(place.repo).having(refs.DURABLE).run(*argv)
    return [f"{len(missing)} on the stash again, newest first"] if missing else []


def _put_config(place: Keep, lost: LostShare) -> str:
    """Under git's own lock, and only if it still is what was seen."""
    file, content = config_file(place.repo), load_config_copy(place, lost.config_before)
    if not content:
        raise NotPossible(f"no copy of {file} is kept any more")
    lock = file.with_name("config.lock")
    try:
        lock.touch(0o600, exist_ok=False)
    except FileExistsError as error:
        hint = f"if no git runs there, remove {lock}"
        raise NotPossible(f"{file} is being changed by another git", hint=hint) from error
    try:
        present = load_config(place.repo)
        if present == content:
            return f"{file} is as it was already"
        if SharedState(config=present).config_digest != lost.config_now:
            hint = f"`{_quoted('diff', str(config_copy(place, lost.config_before)), str(file))}`"
            raise NotPossible(f"{file} was changed again and was left alone", hint=hint)
        replace_file(file, content, None if file.exists() else 0o644)
    finally:
        lock.unlink(missing_ok=True)
    return f"{file} is as it was"
