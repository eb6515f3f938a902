"""Homes with a past: sessions written straight into a store while no hub runs on it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from manyhands.config import Home
from manyhands.model import events as e
from manyhands.model.clock import now
from manyhands.model.ids import MessageId, Oid, SessionId
from manyhands.model.state import State
from manyhands.store import Decision, Store

COMMIT = Oid("0" * 40)
Past = Callable[[SessionId], Iterable[e.AnyEvent]]


def seed(home: Home, repo: Path, sessions: Iterable[SessionId], past: Past) -> None:
    """Each session is created and ready, and `past` happened to it."""
    asyncio.run(_seed(home, repo, list(sessions), past))


async def _seed(home: Home, repo: Path, sessions: list[SessionId], past: Past) -> None:
    store = Store.open(home.store)
    try:
        for session in sessions:
            decision = Decision([*_born(home, repo, session), *past(session)], None)
            await store.write(partial(_decided, decision))
    finally:
        await store.close()


def _decided(decision: Decision[None], state: State) -> Decision[None]:
    return decision


def _born(home: Home, repo: Path, session: SessionId) -> list[e.AnyEvent]:
    created = e.SessionCreated(
        session=session,
        at=now(),
        title=f"Seeded session {session}",
        slug=f"seeded-{session}",
        repo=str(repo),
        branch=f"mh/seeded-{session}",
        base="main",
        base_commit=COMMIT,
        worktree=str(home.worktrees / repo.name / session),
        agent="rehearsal",
        kind="claude",
        mode="auto",
    )
    return [created, e.SessionReady(session=session, at=now())]


def one_turn(session: SessionId) -> list[e.AnyEvent]:
    """The past of a session that did its work and rests."""
    at, first, reply = now(), MessageId("first"), MessageId("reply")
    words = "Tidy up the settings module."
    return [
        e.UserMessage(session=session, at=at, message=first, text=words),
        e.PlaceGranted(session=session, at=at),
        e.TurnStarted(session=session, at=at, turn=1),
        e.MessageDelivered(session=session, at=at, message=first),
        e.AgentMessage(session=session, at=at, turn=1, message=reply, text="Done. " * 40),
        e.UsageRecorded(session=session, at=at, turn=1, tokens_in=1200, cost_usd=0.01),
        e.TurnFinished(session=session, at=at, turn=1),
    ]


def living_keeper(session: SessionId) -> list[e.AnyEvent]:
    """The past of a session whose keeper, of epoch 1, outlived its hub."""
    return [e.KeeperStarted(session=session, at=now(), epoch=1)]
