"""Push a session's own branch: looked through first, never the default branch, never by force."""

from __future__ import annotations

import asyncio
from functools import partial

import msgspec

from manyhands.errors import NotPossible
from manyhands.forges.scan import scan
from manyhands.hub.core import Hub, agent_surroundings, worktree_of
from manyhands.hub.fleet.secrets import clean_views
from manyhands.hub.forge.forge import Forge
from manyhands.hub.landing.hooks import require_trusted_push
from manyhands.model.landing import events as le
from manyhands.model.landing.events import ScanFinding
from manyhands.model.landing.landing import Pushed
from manyhands.model.session.session import Session
from manyhands.station.landing.push import Destination, load_sending, push_branch

KEPT_OUTPUT = 64 * 1024


async def findings(hub: Hub, s: Session, forge: Forge) -> list[ScanFinding]:
    return await findings_of(hub, s, forge.remote.name, forge.token)


async def findings_of(hub: Hub, s: Session, remote: str, token: str) -> list[ScanFinding]:
    """What a push would send and a person must have seen."""
    largest = int(hub.settings.landing.largest_mb * 1e6)
    tip, out = await load_sending(worktree_of(hub, s), remote)
    known = (await clean_views(hub, s)).known
    search = partial(scan, tip, out, largest=largest, own=token, known=known)
    return await asyncio.to_thread(search)


def require_accepted(found: list[ScanFinding], accepted: tuple[str, ...]) -> None:
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


def _place(f: ScanFinding) -> str:
    return f"{f.path}:{f.line}: " if f.line else f"{f.path}: " if f.path else ""


def require_own_branch(s: Session, default: str) -> None:
    if not s.workspace.branch:
        raise NotPossible(f"{s.slug} is on no branch that could be pushed")
    if s.workspace.branch == default:
        raise NotPossible(
            f"{s.workspace.branch} is the default branch, which is never pushed to",
            hint="make a session with a branch of its own",
        )


def destination(forge: Forge) -> Destination:
    return Destination(
        remote=forge.remote.name,
        urls=forge.address.push,
        slug=forge.repo.slug,
        token_hint=forge.token_hint,
    )


async def push(hub: Hub, s: Session, forge: Forge) -> tuple[Pushed, list[le.BranchPushed]]:
    """Safe to repeat: a push that went through before is only recorded, and that once."""
    seconds, remote = hub.last_settings.landing.push_seconds, forge.remote
    await require_trusted_push(hub, s)
    to = destination(forge)
    within = await agent_surroundings(hub, s)
    pushed = await push_branch(
        worktree_of(hub, s), to, token=forge.push_token, within=within, seconds=seconds
    )
    pushed = msgspec.structs.replace(pushed, output=pushed.output[-KEPT_OUTPUT:])
    if s.landing.pushed == pushed.commit:
        return pushed, []
    event = le.BranchPushed(
        session=s.id,
        remote=remote.name,
        branch=s.workspace.branch,
        **msgspec.structs.asdict(pushed),
    )
    return pushed, [event]
