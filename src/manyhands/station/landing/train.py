"""What a train does where its repository lies: it looks, and builds cars in object space."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from manyhands.errors import Conflicted
from manyhands.git import refs
from manyhands.model.ids import Oid
from manyhands.model.landing.merges import Merge
from manyhands.station.landing.merge import make_landing
from manyhands.station.landing.merge_message import MergeWords
from manyhands.station.threads import in_thread
from manyhands.station.worktree import Worktree

PINS = "refs/manyhands/train/"
"""What was built and has not landed yet, safe from a collector."""


class Tips(msgspec.Struct, frozen=True):
    target: Oid | None
    cars: dict[str, Oid | None]


@in_thread
def load_tips(repo: str, into: str, remote: str, branches: Mapping[str, str]) -> Tips:
    """Of the branch, here or as a remote was last known to have it, and of each car's own."""
    table = refs.load_ref_table(Path(repo))
    target = table.remotes.get(f"{remote}/{into}") if remote else table.heads.get(into)
    return Tips(target, {car: table.heads.get(name) for car, name in branches.items()})


class Built(msgspec.Struct, frozen=True, kw_only=True):
    """Without a commit: nothing is new, or, with paths, it is in conflict."""

    commit: Oid = Oid("")
    tree: Oid = Oid("")
    paths: tuple[str, ...] = ()
    error: str = ""


@in_thread
def build(at: Worktree, merge: Merge, told: MergeWords) -> Built:
    """The same each time it is asked for, and pinned under the merge's id."""
    try:
        made = make_landing(at, merge, told)
    except Conflicted as error:
        return Built(paths=error.paths, error=error.message)
    if made is None:
        return Built()
    refs.put_ref(at.repository, PINS + merge.id, made.commit)
    return Built(commit=made.commit, tree=made.tree)


@in_thread
def unpin(repo: str, kept: Iterable[str]) -> None:
    """Forget what was built for cars that are not among these."""
    if not Path(repo).is_dir():
        return
    wanted = {PINS + car for car in kept}
    for ref, commit in refs.private_refs(Path(repo), "train").items():
        if ref not in wanted:
            refs.delete_ref(Path(repo), ref, commit)


@in_thread
def has_landed(repo: str, commit: Oid, target: Oid) -> bool:
    return refs.is_part_of(Path(repo), commit, target)
