"""A session's twin where its repository lies: how it stands, what is to come over, and its rest."""

from __future__ import annotations

from pathlib import Path

from manyhands.box.twins import has_twin, twin_at
from manyhands.errors import NotPossible
from manyhands.git import refs
from manyhands.git.rescue import survey
from manyhands.git.twin import state
from manyhands.git.twin.fetching import fetch_objects
from manyhands.git.twin.given import load_given
from manyhands.git.twin.making import remake_twin
from manyhands.git.twin.place import Twin
from manyhands.model.ids import Oid, SessionId
from manyhands.model.quoting import quoted
from manyhands.model.surroundings import Surroundings
from manyhands.station.worktree import Worktree, agents_git

_QUIT = ("rebase", "merge", "cherry-pick", "revert")


def find_twin(at: Worktree) -> Twin | None:
    """None where nothing of the session ever ran in a box."""
    own = Path(at.kept)
    is_there = not at.in_place and has_twin(own)
    return twin_at(own, at.root, at.session, at.branch) if is_there else None


def under_way(at: Worktree) -> str | None:
    """What git is in the middle of, here or in the box."""
    here = survey.operation(refs.require_worktree(at.root).git_dir)
    twin = find_twin(at)
    return here or (state.operation(twin.twin) if twin else None)


def require_twin_on_branch(at: Worktree) -> None:
    """Raises where what the agent does in its box is not on the branch that lands."""
    twin = find_twin(at)
    if twin is None:
        return
    found = state.load_state(twin.twin, load_given(twin))
    if found.branch == twin.head:
        return
    on = (found.branch or "").removeprefix("refs/heads/")
    place = f"the branch {on}" if on else f"no branch (HEAD is detached at {found.head[:12]})"
    raise NotPossible(
        f"in its box the agent of {at.branch} is on {place}: "
        "what was done there is not on the branch that lands",
        hint=f"tell it to `{quoted('git', 'switch', at.branch)}`, and to merge what it did there",
    )


def bring_tree(at: Worktree, within: Surroundings, tree: Oid, known: Oid) -> None:
    """Have here what git in the box has made."""
    twin = find_twin(at)
    if twin is not None and within.prefix:
        fetch_objects(twin, within.prefix, [tree], [known])


def set_at_rest(at: Worktree, within: Surroundings) -> None:
    """Git in the box is in the middle of nothing, and on the session's branch; files stay."""
    twin = find_twin(at)
    if twin is None or not within.prefix:
        return
    git = agents_git(at, within)
    if (doing := state.operation(twin.twin)) in _QUIT:
        git.run(doing, "--quit", check=False)
    if state.load_state(twin.twin, load_given(twin)).branch != twin.head:
        git.run("symbolic-ref", "HEAD", twin.head)


def make_anew(at: Worktree) -> None:
    """From the branch as it is here; the old one is kept beside it."""
    if (twin := find_twin(at)) is not None:
        remake_twin(twin)


def forget_twin(repo: Path, session: SessionId | str) -> None:
    """What is kept of a twin that is gone for good."""
    for ref, oid in refs.private_refs(repo, f"twins/{session}").items():
        refs.delete_ref(repo, ref, oid)
