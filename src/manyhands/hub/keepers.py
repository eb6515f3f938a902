"""Starting a keeper, finding a living one again, and learning that one is dead.

Whether a keeper lives is told by its lock alone: the kernel releases it with the process.
A keeper whose lock is held but whose socket does not answer is *unreachable*, never dead.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from manyhands.agents.catalogue import agent_spec
from manyhands.errors import ManyhandsError, NotPossible
from manyhands.git.locks import is_held
from manyhands.hub.agent_token import token_variables
from manyhands.hub.held import Held
from manyhands.hub.link import Fenced, Link
from manyhands.hub.names import require_worktree
from manyhands.hub.secrets import session_secrets
from manyhands.hub.trust import require_trusted_worktree
from manyhands.keeper.nursery import NoKeeper
from manyhands.keeper.spool import read_spool
from manyhands.model import events as e
from manyhands.model import wire
from manyhands.model.attention import Attention
from manyhands.model.clock import monotonic, now
from manyhands.model.ids import SessionId, fresh_id
from manyhands.model.session import Session
from manyhands.model.state import State
from manyhands.store import Decision
from manyhands.workspace.environment import session_environment

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub

log = logging.getLogger(__name__)
PATIENCE_SECONDS = 5.0
"""How long a keeper that holds its lock may refuse connections before it is unreachable."""


async def start(hub: Hub, s: Session) -> Link | None:
    """A new keeper under the next epoch, recorded before it is forked."""

    def next_epoch(state: State) -> Decision[int]:
        epoch = (state.session(s.id) or s).epoch + 1
        return Decision((e.KeeperStarted(session=s.id, at=now(), epoch=epoch),), epoch)

    try:
        require_worktree(s)
        await asyncio.to_thread(require_trusted_worktree, hub, s)
        own = await token_variables(hub, s)
        spec = await asyncio.to_thread(_spec, hub, s, own)
    except Held as held:
        await _ask(hub, s, held.item)
        return None
    except ManyhandsError as error:
        await _fail(hub, s, error)
        return None
    epoch = await hub.write(next_epoch)
    Path(spec.spool).mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        if not is_free(hub, s.id):
            await _evict(hub, s.id, epoch)
        await hub.fleet.nursery.keeper(msgspec.structs.replace(spec, epoch=epoch))
    except (ManyhandsError, OSError) as error:
        await hub.record(
            e.KeeperExited(session=s.id, at=now(), epoch=epoch, reason=str(error)),
            e.SessionFailed(session=s.id, at=now(), step="keeper", error=f"no keeper: {error}"),
        )
        return None
    return await adopt(hub, _state(hub, s))


async def adopt(hub: Hub, s: Session) -> Link | None:
    """The link to a keeper that the log says lives; records what is really so."""
    began = monotonic()
    while True:
        if is_free(hub, s.id):
            await bury(hub, s.id, s.epoch)
            return None
        try:
            link = await _connect(hub, s.id, s.epoch)
        except Fenced as error:
            log.warning("session %s: %s", s.id, error)
        except OSError as error:
            log.info("the keeper of %s does not answer yet: %s", s.id, error)
        else:
            if _state(hub, s).keeper == "unreachable":
                await hub.record(e.KeeperReached(session=s.id, at=now(), epoch=s.epoch))
            return link
        waited = monotonic() - began
        if waited > PATIENCE_SECONDS and _state(hub, s).keeper != "unreachable":
            reason = f"its keeper lives but has not answered for {waited:.0f} s"
            await hub.record(
                e.KeeperUnreachable(session=s.id, at=now(), epoch=s.epoch, reason=reason)
            )
        # A keeper offers nothing to wait on while its socket is closed: look again soon.
        await asyncio.sleep(0.05 if waited < PATIENCE_SECONDS else 2.0)


async def bury(hub: Hub, session: SessionId, epoch: int) -> None:
    """The keeper of this epoch is dead: take over what it spooled and say what ended."""
    path = _spool_dir(hub, session) / f"{epoch}.spool"
    acked = await hub.store.acked(session, epoch)
    left = [(n, body) for n, body in await asyncio.to_thread(read_spool, path) if n > acked]
    if left:
        facts = [e.decode(body) for _, body in left]
        await hub.store.write_items(session, epoch, left[0][0], facts, hub.react)

    def ended(state: State) -> Decision[None]:
        s = state.session(session)
        events: list[e.AnyEvent] = []
        if s is not None and (s.agent_pid or s.in_turn):
            reason = "its keeper died"
            events.append(e.AgentExited(session=session, at=now(), turn=s.turn, reason=reason))
        for c in s.conversations if s is not None else ():
            if c.agent_pid or c.in_turn:
                exited = e.AgentExited(session=session, at=now(), reason="its keeper died")
                events.append(msgspec.structs.replace(exited, conversation=c.id))
        events.append(e.KeeperExited(session=session, at=now(), epoch=epoch))
        return Decision(events, None)

    await hub.write(ended)
    path.unlink(missing_ok=True)


def is_free(hub: Hub, session: SessionId) -> bool:
    """Whether no keeper of the session lives."""
    return not is_held(hub.home.keeper_lock(session))


async def stop_keeper(hub: Hub, session: SessionId, seconds: float = 30.0) -> None:
    """Stop the session's agents and keeper, and wait until its end is recorded."""
    async with asyncio.timeout(seconds):
        # A keeper that is recorded may still be on its way: be told when it can be spoken to.
        found = await hub.waiters.until(
            lambda state: hub.fleet.links.get(session) or _is_without_keeper(state, session)
        )
        if isinstance(found, Link):
            with suppress(ConnectionError):
                await found.do(fresh_id(12), wire.Stop())
        await hub.waiters.until(lambda state: _is_without_keeper(state, session))


def _is_without_keeper(state: State, session: SessionId) -> bool | None:
    s = state.session(session)
    return True if s is None or s.keeper == "none" else None


async def _connect(hub: Hub, session: SessionId, epoch: int) -> Link:
    link = Link(session, epoch, ingest=partial(_ingest, hub, session, epoch), live=hub.feed.live)
    await link.connect(hub.home.keeper_socket(session), await hub.store.acked(session, epoch))
    hub.fleet.hold(link)
    return link


async def _ingest(hub: Hub, session: SessionId, epoch: int, items: wire.Items) -> int:
    facts = [e.decode(raw) for raw in items.events]
    return await hub.store.write_items(session, epoch, items.first, facts, hub.react)


def _spool_dir(hub: Hub, session: SessionId) -> Path:
    return hub.home.sessions / session


def _state(hub: Hub, s: Session) -> Session:
    return hub.state.session(s.id) or s


def _spec(hub: Hub, s: Session, own: dict[str, str]) -> wire.KeeperSpec:
    repo, settings = hub.state.repo(s.repo), hub.last_settings
    agent = _agent(hub, s, s.agent, s.model, own)
    return wire.KeeperSpec(
        session=s.id,
        epoch=0,
        socket=str(hub.home.keeper_socket(s.id)),
        lock=str(hub.home.keeper_lock(s.id)),
        spool=str(_spool_dir(hub, s.id)),
        worktree=s.worktree,
        base_commit=s.base_commit,
        repo=s.repo,
        agent=msgspec.structs.replace(agent, fork=s.fork, effort=s.effort),
        # With no finished step the agent's own log may be empty: there is nothing to resume.
        agent_session=s.agent_session if s.steps or s.fork else "",
        listed=s.copied,
        mode=s.mode,
        turn=s.turn,
        rules=repo.rules if repo else (),
        session_rules=s.rules,
        commands=s.commands,
        linger=settings.limits.linger_seconds,
        log=str(hub.home.logs / f"keeper-{s.id}.log"),
        secrets=session_secrets(hub, s, agent.env),
        approved=repo.approved if repo else (),
    )


def _agent(
    hub: Hub, s: Session, name: str, model: str, own: Mapping[str, str] | None = None
) -> wire.AgentSpec:
    spec = agent_spec(
        name,
        hub.last_settings,
        hub.home,
        session=s.id,
        worktree=s.worktree,
        repo=s.repo,
        model=model,
        variables={**session_environment(s, hub.home), **(own or {})},
    )
    return msgspec.structs.replace(spec, prices=hub.last_settings.prices)


class NoAgentBeside(Exception):
    """The agent of another conversation cannot be started."""

    def __init__(self, failed: e.SessionFailed) -> None:
        super().__init__(failed.error)
        self.failed = failed


def with_beside(hub: Hub, s: Session, command: wire.AnyCommand) -> wire.AnyCommand:
    """What goes to another conversation brings along how its agent is started."""
    match command:
        case wire.Say():
            id = command.conversation
        case wire.Settle():
            id = command.item.conversation
        case _:
            return command
    c = next((c for c in s.conversations if c.id == id), None)
    if c is None:
        return command
    try:
        agent = _agent(hub, s, c.agent, c.model)
    except ManyhandsError as error:
        failed = e.SessionFailed(session=s.id, at=now(), step="agent", error=error.message)
        raise NoAgentBeside(msgspec.structs.replace(failed, conversation=c.id)) from error
    beside = wire.Beside(
        agent=agent,
        agent_session=c.agent_session,
        mode=s.mode if c.writes else "ask",
        writes=c.writes,
    )
    return msgspec.structs.replace(command, beside=beside)


async def _ask(hub: Hub, s: Session, item: Attention) -> None:
    """Once: while it is open, nothing is started and nothing more asked."""
    if any(i.kind == item.kind for i in _state(hub, s).attention):
        return
    if s.undelivered or s.answers:
        await hub.record(e.AttentionRaised(session=s.id, at=now(), turn=s.turn, item=item))


async def _fail(hub: Hub, s: Session, error: ManyhandsError) -> None:
    """A session fails by this only if it had something to do; one that is looked at does not."""
    if not s.undelivered and not s.answers:
        log.info("no keeper to watch %s: %s", s.id, error)
        return
    failed = e.SessionFailed(
        session=s.id, at=now(), step="agent", error=error.message, hint=error.hint
    )
    await hub.record(failed)


async def _give_birth(hub: Hub, spec: wire.KeeperSpec) -> None:
    try:
        await hub.fleet.nursery.keeper(spec)
    except NoKeeper:
        if is_free(hub, spec.session):
            raise
        # An earlier hub asked for it and died, and it was born after we had looked.
        await _evict(hub, spec.session, spec.epoch)
        await hub.fleet.nursery.keeper(spec)


async def _evict(hub: Hub, session: SessionId, epoch: int) -> None:
    """End a keeper of an earlier epoch: it gives way to a higher one."""
    link = Link(session, epoch, ingest=partial(_ingest, hub, session, epoch), live=hub.feed.live)
    with suppress(OSError):
        await link.connect(hub.home.keeper_socket(session), 0)
    began = monotonic()
    while not is_free(hub, session):
        if monotonic() - began > PATIENCE_SECONDS:
            raise NotPossible("an earlier keeper of the session does not end")
        await asyncio.sleep(0.02)
