"""Push a session's own branch: looked through first, never the default branch, never by force."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from manyhands.errors import ForgeFailed, GitFailed, NotPossible
from manyhands.forges.scan import Finding, scan
from manyhands.git.outgoing import load_outgoing
from manyhands.git.pushing import Push, Pushed, explain
from manyhands.git.refs import branch_tip
from manyhands.hub.failpoint import reach
from manyhands.hub.forge import Forge
from manyhands.model import landing_events as le
from manyhands.model.clock import now
from manyhands.model.session import Session

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub

KEPT_OUTPUT = 64 * 1024


async def findings(hub: Hub, s: Session, forge: Forge) -> list[Finding]:
    """What a push would send and a person must have seen."""
    largest = int(hub.settings.landing.largest_mb * 1e6)

    def look() -> list[Finding]:
        tip = branch_tip(Path(s.repo), s.branch)
        if tip is None:
            raise NotPossible(f"the branch {s.branch} does not exist (any more)")
        out = load_outgoing(Path(s.repo), forge.remote.name, tip)
        found = scan(out.added, out.files, largest=largest, own=forge.token)
        if out.cut:
            said = "too much to look through: the rest of it was not searched for secrets"
            found.append(Finding(id=f"cut-{tip[:8]}", kind="secret", path="", detail=said))
        return found

    return await asyncio.to_thread(look)


def require_accepted(found: list[Finding], accepted: tuple[str, ...]) -> None:
    """Every finding needs a yes of its own, by its id."""
    left = [f for f in found if f.id not in accepted]
    if not left:
        return
    lines = [f"  {f.id}  {f.kind}: {_place(f)}{f.detail}" for f in left]
    raise NotPossible(
        "nothing was pushed, because of what it holds:\n" + "\n".join(lines),
        hint="take it out of the commits, or say yes: "
        + " ".join(f"--accept {f.id}" for f in left),
    )


def _place(f: Finding) -> str:
    return f"{f.path}:{f.line}: " if f.line else f"{f.path}: " if f.path else ""


def require_own_branch(s: Session, default: str) -> None:
    if not s.branch:
        raise NotPossible(f"{s.slug} is on no branch that could be pushed")
    if s.branch == default:
        raise NotPossible(
            f"{s.branch} is the default branch, which is never pushed to",
            hint="make a session with a branch of its own",
        )


async def push(hub: Hub, s: Session, forge: Forge) -> Pushed:
    """Safe to repeat: a push that went through before is only recorded."""
    seconds = hub.settings.landing.push_seconds
    where = Path(s.worktree) if Path(s.worktree).is_dir() else Path(s.repo)
    doing = Push(where, forge.remote.name, s.branch, token=forge.push_token, seconds=seconds)
    reach(hub.home, "before:push")
    try:
        pushed = await asyncio.to_thread(doing.push)
    except GitFailed as error:
        sentence, hint = explain(error, s.branch, forge.remote.slug)
        hidden = doing.hidden(sentence.encode())
        raise ForgeFailed(hidden, hint=hint, status=403) from None
    reach(hub.home, "done:push")
    if s.landing.pushed != pushed.commit:
        await hub.record(_event(s, forge, pushed))
    reach(hub.home, "after:push")
    return pushed


def _event(s: Session, forge: Forge, pushed: Pushed) -> le.BranchPushed:
    return le.BranchPushed(
        session=s.id,
        at=now(),
        remote=forge.remote.name,
        branch=s.branch,
        commit=pushed.commit,
        forced=pushed.forced,
        output=pushed.output[-KEPT_OUTPUT:],
    )
