"""Commit a session's work as the user: hooks run, a subset or all, once however often it is asked.

Before git runs, the commit is on record with an id, and the commit itself carries that id in
its reflog entry. Whoever finds such a record without an end looks there what came of it.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import msgspec

from manyhands.errors import BadInput, GitFailed, ManyhandsError, NotPossible
from manyhands.git import committing, refs
from manyhands.git.runner import Git
from manyhands.hub.commit_message import ask_agent, propose, refers
from manyhands.hub.desk import is_at_work, place_of, require_landable
from manyhands.hub.diff import require_inside
from manyhands.hub.failpoint import reach
from manyhands.hub.names import require_session
from manyhands.model import landing_events as le
from manyhands.model.clock import now
from manyhands.model.ids import CommandId, Oid, SessionId, fresh_id
from manyhands.model.landing import CommitUnderWay
from manyhands.model.session import Session
from manyhands.store import Decision

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub

LONGEST_MESSAGE = 64 * 1024
KEPT_OUTPUT = 256 * 1024
"""How much of what the hooks said goes into the log; the answer holds all of it."""


class Commit(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    message: str = ""
    """Empty: as proposed, or, amending, as it was."""
    paths: tuple[str, ...] = ()
    """Empty: everything."""
    amend: bool = False
    anyway: bool = False
    """Although the agent is at work."""


class Proposal(msgspec.Struct, frozen=True, kw_only=True):
    message: str
    files: tuple[str, ...]
    working: bool
    """The agent is at work: what it has half done would be committed."""
    by_agent: bool = False
    """Whether the words are the agent's; else the template's."""
    note: str = ""
    """Why the agent, which was asked, has no part in it."""


class Wish(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """For a message in the agent's words, about these paths or everything."""

    paths: tuple[str, ...] = ()


class Committed(msgspec.Struct, frozen=True, kw_only=True):
    session: SessionId
    commit: Oid
    message: str
    output: str = ""
    note: str = ""


async def proposal(hub: Hub, ref: str, paths: tuple[str, ...] = ()) -> Proposal:
    s = require_session(hub.state, ref)
    async with hub.desk.busy[s.id]:
        files = await asyncio.to_thread(_pending, hub, s, paths)
    return Proposal(message=propose(s, files), files=tuple(files), working=is_at_work(s))


async def asked_proposal(hub: Hub, ref: str, wish: Wish) -> Proposal:
    """The agent is asked in a conversation beside its work; the template where it has no word."""
    s = require_session(hub.state, ref)
    plain = await proposal(hub, ref, wish.paths)
    async with hub.desk.busy[s.id]:
        patch = await asyncio.to_thread(_patch, hub, s, wish.paths) if plain.files else ""
    if not patch:
        return plain
    try:
        said = await ask_agent(hub, s, patch)
    except ManyhandsError as error:
        return msgspec.structs.replace(plain, note=error.message)
    message = "\n\n".join(filter(None, (said.strip(), refers(s)))) + "\n"
    return msgspec.structs.replace(plain, message=message, by_agent=True)


def _patch(hub: Hub, s: Session, paths: tuple[str, ...]) -> str:
    worktree = require_landable(s)
    with committing.staging(worktree, place_of(hub, s) / "look", paths) as staged:
        return staged.patch()


def _pending(hub: Hub, s: Session, paths: tuple[str, ...]) -> list[str]:
    worktree = require_landable(s)
    for path in paths:
        require_inside(worktree, path)
    with committing.staging(worktree, place_of(hub, s) / "look", paths) as staged:
        return staged.changed()


async def commit(
    hub: Hub, ref: str, asked: Commit, *, command: CommandId | None = None
) -> Committed:
    s = require_session(hub.state, ref)
    _require_sensible(s, asked)
    async with hub.desk.busy[s.id]:
        before = await recover_commit(hub, s.id)
        s = require_session(hub.state, s.id)
        seen = await hub.receipt(command)
        if seen is not None and s.landing.commit and s.landing.commit.id == str(seen):
            return _view(s)
        # A receipt without its commit: it was cut off, and is done now.
        return await _commit(hub, s, asked, before, command if seen is None else None)


def _require_sensible(s: Session, asked: Commit) -> None:
    worktree = require_landable(s)
    if len(asked.message) > LONGEST_MESSAGE:
        raise BadInput(f"the message is longer than {LONGEST_MESSAGE // 1024} kB")
    for path in asked.paths:
        require_inside(worktree, path)
    if is_at_work(s) and not asked.anyway:
        raise NotPossible(
            f"the agent of {s.slug} is at work, so half-done files would be committed",
            hint=f"`manyhands wait {s.slug}` first, or commit them --anyway",
        )


async def _commit(
    hub: Hub, s: Session, asked: Commit, before: str, command: CommandId | None
) -> Committed:
    worktree = require_landable(s)
    head = await asyncio.to_thread(committing.require_committable, worktree, s.branch)
    if asked.amend:
        await asyncio.to_thread(_require_own, s, head)
    changed = await asyncio.to_thread(_pending, hub, s, asked.paths)
    last = s.landing.commit
    if not changed and last is not None and last.id == before:
        return _view(s)
    if not changed and not (asked.amend and asked.message):
        raise NotPossible(f"there is nothing to commit in {s.slug}")
    message = asked.message.strip() and asked.message
    if not message:
        message = refs.message_of(worktree, head) if asked.amend else propose(s, changed)
    started = le.CommitStarted(
        session=s.id,
        at=now(),
        id=fresh_id(),
        head=head,
        message=message,
        paths=asked.paths,
        amend=asked.amend,
    )
    await hub.write(lambda state: Decision((started,), started.id), command=command)
    reach(hub.home, "before:commit")
    return await _run(hub, s, started)


async def _run(hub: Hub, s: Session, started: le.CommitStarted) -> Committed:
    try:
        made = await asyncio.to_thread(_make, hub, s, started)
    except GitFailed as error:
        await hub.record(_failed(s, started, error))
        late = "no end after" in error.message
        why = "did not end in time" if late else "did not let it through"
        raise NotPossible(
            f"nothing was committed: git or a hook {why}\n{error.stderr.strip()}",
            hint="see [landing] hook_seconds" if late else "mend what the hook names, then again",
        ) from error
    reach(hub.home, "done:commit")
    await hub.record(_made(s, started.id, started.message, made))
    reach(hub.home, "after:commit")
    return Committed(
        session=s.id,
        commit=made.commit,
        message=started.message,
        output=made.output,
        note=made.note,
    )


def _make(hub: Hub, s: Session, started: le.CommitStarted) -> committing.Made:
    worktree, place = require_landable(s), place_of(hub, s)
    with committing.staging(worktree, place / "commit", started.paths) as staged:
        staged.require_no_embedded()
        made = committing.make(
            staged,
            id=started.id,
            message=started.message,
            amend=started.amend,
            lock=place / f"{started.id}.lock",
            seconds=hub.last_settings.landing.hook_seconds,
        )
    reach(hub.home, "commit:made")
    note = committing.follow(worktree, started.paths)
    (place / f"{started.id}.lock").unlink(missing_ok=True)
    return committing.Made(made.commit, made.output, " ".join(filter(None, (made.note, note))))


async def recover_commit(hub: Hub, session: SessionId) -> str:
    """Bring to its end what a hub that died had begun; gives the id of a commit that was made."""
    s = require_session(hub.state, session)
    under_way = s.landing.committing
    if under_way is None:
        return ""
    made = await asyncio.to_thread(_look_up, hub, s, under_way)
    if made is None:
        gone = "it was cut off before anything was committed"
        await hub.record(le.CommitFailed(session=s.id, at=now(), id=under_way.id, error=gone))
        return ""
    await hub.record(_made(s, under_way.id, under_way.message, made))
    return under_way.id


def _look_up(hub: Hub, s: Session, under_way: CommitUnderWay) -> committing.Made | None:
    worktree = require_landable(s)
    lock = place_of(hub, s) / f"{under_way.id}.lock"
    seconds = hub.last_settings.landing.hook_seconds
    commit = committing.wait_for_end(lock, worktree, under_way.id, seconds)
    lock.unlink(missing_ok=True)
    if commit is None:
        return None
    note = committing.follow(worktree, under_way.paths)
    return committing.Made(commit, "", note or "found made after a restart")


def _require_own(s: Session, head: Oid) -> None:
    """Only a commit of the session itself is changed."""
    worktree = require_landable(s)
    if Git(worktree).ok("merge-base", "--is-ancestor", head, s.base_commit):
        raise NotPossible(f"{s.slug} has no commit of its own to amend")


def _view(s: Session) -> Committed:
    assert s.landing.commit is not None
    last = s.landing.commit
    return Committed(session=s.id, commit=last.commit, message=last.message)


def _made(s: Session, id: str, message: str, made: committing.Made) -> le.CommitMade:
    return le.CommitMade(
        session=s.id,
        at=now(),
        turn=s.turn,
        id=id,
        commit=made.commit,
        message=message,
        output=made.output[-KEPT_OUTPUT:],
        note=made.note,
    )


def _failed(s: Session, started: le.CommitStarted, error: GitFailed) -> le.CommitFailed:
    said = error.stderr[-KEPT_OUTPUT:]
    return le.CommitFailed(session=s.id, at=now(), id=started.id, error=error.message, output=said)
