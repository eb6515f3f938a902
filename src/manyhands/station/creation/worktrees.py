"""From a name to a worktree with its files: added, handed over, adopted, seeded, filled."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import msgspec

from manyhands.config import Home
from manyhands.errors import BadInput
from manyhands.git import refs, worktrees
from manyhands.git.bases import load_base_now
from manyhands.git.recovery import recover_half_made
from manyhands.git.refs import load_ref_table
from manyhands.git.runner import Git
from manyhands.git.snapshot.parts import load_snapshot
from manyhands.git.snapshot.private import PrivateStore
from manyhands.git.spares import hand_over
from manyhands.git.submodules import complete
from manyhands.keeper.checkpoint import BEGINNING, checkpoint_ref
from manyhands.model.ids import Oid, SessionId
from manyhands.station.boxing import clear_bench
from manyhands.station.checkpoints import restore_files
from manyhands.station.creation.start import merge_base, require_commit
from manyhands.station.threads import in_thread
from manyhands.station.worktree import Worktree
from manyhands.workspace.carrying import Carried, carry_over
from manyhands.workspace.leases import lease_among_homes, note_ports
from manyhands.workspace.ports import lease
from manyhands.workspace.repo_config import load_repo_config


@in_thread
def add_worktree(
    home: Home,
    at: Worktree,
    tip: Oid,
    *,
    new_branch: bool,
    recover: bool,
    env: Mapping[str, str],
) -> list[str]:
    """Add it, with what is inside it; notes for the user. With `recover`, what an earlier try left
    is finished or taken back first, by our own record."""
    named = (at.repository, at.root, at.branch, tip)
    mend = partial(recover_half_made, session=at.session, lock_dir=home.locks)
    if not recover or mend(*named, new_branch=new_branch) != "whole":
        add = partial(worktrees.add_worktree, session=at.session, lock_dir=home.locks)
        add(*named, new_branch=new_branch, env=env)
    return complete(at.root, Git(at.root, hardened=False).within(env))


@in_thread
def take_spare(home: Home, at: Worktree, env: Mapping[str, str]) -> list[str]:
    """Give a spare, at the base, its branch and its session; notes for the user."""
    named = (at.repository, at.root, at.branch, at.base)
    clear_bench(home, at.repository, at.root)
    return hand_over(*named, session=at.session, lock_dir=home.locks, env=env)


@in_thread
def take_as_it_is(at: Worktree) -> list[str]:
    """A place that was there before: the main checkout, or a worktree that becomes a session."""
    found = refs.require_worktree(at.root)
    if at.in_place:
        return [f"Works in the main checkout itself, {found.toplevel}"]
    entry = worktrees.find_worktree(at.repository, at.root)
    # Another tool's lock says whose it is; where there is none, `prune` must not take it.
    if entry is not None and entry.locked is None:
        worktrees.set_lock(at.repository, at.root, worktrees.lock_reason(at.session))
    return []


@in_thread
def plant_seed(at: Worktree, seed: Oid, origin: SessionId) -> None:
    """Give a fork's worktree the files of its checkpoint."""
    # By a ref and a store of its own: its origin may be removed.
    theirs, ours = PrivateStore(at.private_of(origin)), PrivateStore(at.private)
    now = theirs.current(seed)
    found = load_snapshot(at.repository, now)
    repository = refs.require_worktree(at.root)
    kept = [found.manifest.private, *(n.packed for n in found.manifest.nested.values())]
    ours.take_in(theirs.seen_by(Git(at.root)), repository, kept)
    if now != seed:
        ours.set_current(seed, now)
    refs.put_ref(at.repository, checkpoint_ref(at.session, BEGINNING), now)
    restore_files(at, seed)


@in_thread
def carry_files(at: Worktree, limit_bytes: int) -> Carried:
    """Ignored and untracked files of the main checkout that the repository wants along."""
    if not (at.repository / ".git").exists():
        return Carried()  # a bare repository has no checkout
    patterns = load_repo_config(at.root).worktree.copy
    return carry_over(at.repository, at.root, patterns, limit_bytes=limit_bytes)


@in_thread
def load_port_names(at: Worktree) -> tuple[str, ...]:
    return load_repo_config(at.root).ports.names


@in_thread
def find_ports(
    home: Home,
    names: tuple[str, ...],
    bounds: tuple[int, int],
    *,
    taken: frozenset[int],
    remembered: frozenset[int],
    wanted: dict[str, int],
) -> dict[str, int]:
    """`taken` are this home's own; those of other homes on the machine are left out too."""

    def choose(others: frozenset[int]) -> dict[str, int]:
        return lease(names, bounds, taken=taken | others, remembered=remembered, wanted=wanted)

    return lease_among_homes(home, taken, choose) if names else {}


set_ports = in_thread(note_ports)


class Adopted(msgspec.Struct, frozen=True, kw_only=True):
    """A worktree that was there before, and what a session of it would start from."""

    path: str
    repo: str
    branch: str
    """Empty when detached."""
    base: str
    base_commit: Oid
    base_tip: Oid
    """The base as it is now, here or at the remote."""
    same: frozenset[str]
    """Those of the paths asked about that lead to it, and its own."""


@in_thread
def find_adoptable(path: str, others: frozenset[str]) -> Adopted:
    """The linked worktree at or around `path`; nothing is changed by looking."""
    found = refs.find_repository(Path(path))
    if found is None or found.bare:
        raise BadInput(f"{path} is not inside a git worktree", hint="name one that git knows")
    here = found.toplevel
    if found.git_dir.resolve() == found.common_dir:
        raise BadInput(
            f"{here} is the main checkout, not a worktree of it",
            hint="`manyhands new --in-place` works there",
        )
    head = refs.resolve(here, "HEAD")
    if head is None:
        raise BadInput(f"{here} has no commits yet", hint="make a first commit there")
    repo = found.common_dir.parent if found.common_dir.name == ".git" else found.common_dir
    table = load_ref_table(repo)
    base = table.default_base
    same = (other for other in others if Path(other).resolve() == here.resolve())
    return Adopted(
        path=str(here),
        repo=str(repo),
        branch=refs.current_branch(here) or "",
        base=base,
        base_commit=merge_base(repo, require_commit(repo, table, base), head),
        base_tip=load_base_now(repo, base).tip,
        same=frozenset({str(here), *same}),
    )
