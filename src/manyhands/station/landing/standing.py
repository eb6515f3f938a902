"""Whether a worktree stands where its session does: on the session's own branch, and at rest."""

from __future__ import annotations

from manyhands.errors import NotPossible
from manyhands.git import refs
from manyhands.git.worktrees import way_to_branch
from manyhands.model.ids import Oid
from manyhands.model.quoting import quoted
from manyhands.station.threads import in_thread
from manyhands.station.twins import require_twin_on_branch, under_way
from manyhands.station.worktree import Worktree


def require_on_branch(at: Worktree) -> None:
    """Raises where the agent is in the middle of something, or works elsewhere: what it did there
    is not on the branch that lands."""
    if doing := under_way(at):
        raise NotPossible(f"a {doing} is in progress in {at.root}: finish or abort it first")
    require_twin_on_branch(at)
    here = refs.current_branch(at.root) or ""
    if here == at.branch:
        return
    head = refs.resolve(at.root, "HEAD")
    place = f"the branch {here}" if here else f"no branch (HEAD is detached at {_short(head)})"
    raise NotPossible(
        f"{at.root} is on {place}, not on its own branch {at.branch}: "
        "what was done there is not on the branch that lands",
        hint=f"there: {_way(at, here, head)}",
    )


require_standing = in_thread(require_on_branch)


def _way(at: Worktree, here: str, head: Oid | None) -> str:
    if refs.branch_tip(at.root, at.branch) is None:
        _, way = way_to_branch(at.repository, at.root, at.branch, here)
        return f"`{quoted('git', *way)}`, since {at.branch} is gone"
    return f"`{quoted('git', 'switch', at.branch)}`{_taking_in(at, here, head)}"


def _taking_in(at: Worktree, here: str, head: Oid | None) -> str:
    """How to keep what was committed elsewhere."""
    if head is None or refs.is_part_of(at.root, head, f"refs/heads/{at.branch}"):
        return ""
    merge = quoted("git", "merge", here or _short(head))
    return f", then `{merge}` for what was committed there"


def _short(commit: Oid | None) -> str:
    return (commit or "")[:12]
