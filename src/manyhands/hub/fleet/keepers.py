"""Starting a keeper, finding a living one again, and learning that one is dead.

Whether a keeper lives is told by its lock alone: the kernel releases it with the process.
A keeper whose lock is held but whose socket does not answer is *unreachable*, never dead.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path

import msgspec

from manyhands.agents.catalogue import agent_spec
from manyhands.errors import ManyhandsError, NotPossible, NotTrusted
from manyhands.hub.core import Hub, box_terms, require_worktree, worktree_of
from manyhands.hub.core.faults import said
from manyhands.hub.core.work import Held
from manyhands.hub.fleet.admission import admitted, reaction
from manyhands.hub.fleet.intake import Intake
from manyhands.hub.fleet.link import Fenced, KeeperLink, Links, words_of
from manyhands.hub.fleet.secrets import session_secrets, token_variables
from manyhands.hub.repos.shared import SharedKeeping
from manyhands.hub.repos.trust import question, require_trusted_worktree
from manyhands.keeper.claim import is_claimed, is_claimed_by
from manyhands.keeper.nursery import NoKeeper
from manyhands.keeper.spool import read_spool
from manyhands.model import events as e
from manyhands.model import wire
from manyhands.model.attention.attention import Attention
from manyhands.model.clock import monotonic
from manyhands.model.ids import MAIN, ConversationId, SessionId, fresh_id
from manyhands.model.quoting import quoted
from manyhands.model.session.session import Session
from manyhands.model.session.variables import session_variables
from manyhands.model.state import State
from manyhands.station.boxing import load_agent_box
from manyhands.station.environment import load_database_variables
from manyhands.store import Decision

log = logging.getLogger(__name__)
KILLED = 137
"""How a shell counts the end of what a keeper takes along when it dies."""
PATIENCE_SECONDS = 5.0
"""How long a keeper that holds its lock may refuse connections before it is unreachable."""


async def start(
    hub: Hub,
    s: Session,
    is_over: Callable[[], bool] = lambda: False,
    refused: Callable[[ManyhandsError], None] = lambda error: None,
) -> KeeperLink | None:
    """A new keeper under the next epoch, recorded before it is forked; none once `is_over`.
    `refused` learns why there is none."""

    def next_epoch(state: State) -> Decision[int]:
        if is_over():
            return Decision((), 0)
        newest = state.session(s.id) or s
        if newest.boxing.wish != s.boxing.wish:
            return Decision((), 0)  # the box was chosen anew meanwhile: it is looked at again
        epoch = newest.keeper.epoch + 1
        return Decision((e.KeeperStarted(session=s.id, epoch=epoch),), epoch)

    try:
        await require_worktree(hub, s)
        await require_trusted_worktree(hub, s)
        born = born_with(hub, s)
        spec = await _spec(hub, s, await token_variables(hub, s))
        if spec.agent.box.level == "none" or spec.in_place:
            await hub.part(SharedKeeping).keep_now(s.repo)
    except Held as held:
        await _ask(hub, s, held.item)
        hint = f"`manyhands repo trust {quoted(s.repo)}` shows it"
        refused(NotTrusted(held.item.summary, hint=hint))
        return None
    except (ManyhandsError, OSError) as error:
        await _fail(hub, s, error)
        refused(_as_told(error))
        return None
    epoch = await hub.write(next_epoch)
    if not epoch:
        return None
    try:
        Path(spec.spool).mkdir(mode=0o700, parents=True, exist_ok=True)
        await _give_birth(hub, msgspec.structs.replace(spec, epoch=epoch))
    except (ManyhandsError, OSError) as error:
        await hub.record(
            e.KeeperExited(session=s.id, epoch=epoch, reason=str(error)),
            e.SessionFailed(
                session=s.id,
                step="keeper",
                error=f"no keeper: {error}",
                hint=f"`manyhands resume {s.slug}` tries again",
            ),
        )
        refused(_as_told(error))
        return None
    link = await adopt(hub, _state(hub, s))
    if link is not None:
        link.sent |= born
    return link


def _as_told(error: ManyhandsError | OSError) -> ManyhandsError:
    return error if isinstance(error, ManyhandsError) else NotPossible(said(error))


def born_with(hub: Hub, s: Session) -> dict[str, wire.AnyCommand]:
    """What a keeper need not be told: it holds since its birth."""
    repo = hub.state.repo(s.repo)
    return {
        "look": wire.Look(on=False),
        "mode": wire.SetMode(mode=s.mode),
        "model": wire.SetModel(model=s.main.model),
        "effort": wire.SetEffort(effort=s.main.effort),
        "rules": wire.SetRules(rules=repo.rules if repo else (), session=s.rules),
        "hold": wire.Hold(on=False),
        "services": wire.Serve(),
    }


async def adopt(hub: Hub, s: Session) -> KeeperLink | None:
    """The link to a keeper that the log says lives; records what is really so."""
    began = monotonic()
    while True:
        if is_free(hub, s.id):
            await bury(hub, s.id, s.keeper.epoch)
            return None
        try:
            link = await _connect(hub, s.id, s.keeper.epoch)
        except Fenced as error:
            log.warning("session %s: %s", s.id, error)
        except OSError as error:
            log.info("the keeper of %s does not answer yet: %s", s.id, error)
        else:
            if _state(hub, s).keeper.state == "unreachable":
                await hub.record(e.KeeperReached(session=s.id, epoch=s.keeper.epoch))
            return link
        waited = monotonic() - began
        if waited > PATIENCE_SECONDS and _state(hub, s).keeper.state != "unreachable":
            reason = f"its keeper lives but has not answered for {waited:.0f} s"
            await hub.record(e.KeeperUnreachable(session=s.id, epoch=s.keeper.epoch, reason=reason))
        # A keeper offers nothing to wait on while its socket is closed: look again soon.
        await asyncio.sleep(0.05 if waited < PATIENCE_SECONDS else 2.0)


async def bury(hub: Hub, session: SessionId, epoch: int) -> None:
    """The keeper of this epoch is dead: take over what it spooled and say what ended."""
    path = hub.home.sessions / session / f"{epoch}.spool"
    acked = await hub.store.acked(session, epoch)
    found, problem = await asyncio.to_thread(_last_words, path)
    left = [(n, body) for n, body in found if n > acked]
    if left:
        await hub.note_jump()
        facts = await admitted(hub, session, [body for _, body in left])
        await hub.store.write_items(session, epoch, left[0][0], facts, partial(reaction, hub))

    def ended(state: State) -> Iterator[e.AnyEvent]:
        s, why = state.session(session), "its keeper died"
        for c in s.conversations.values() if s is not None else ():
            if c.agent_pid or c.in_turn:
                turn = c.turn if c.id == MAIN else 0
                yield e.AgentExited(session=session, turn=turn, conversation=c.id, reason=why)
        for one in s.terminals if s is not None else ():
            if one.runs:
                yield e.TerminalExited(
                    session=session, terminal=one.id, exit_code=KILLED, reason=why
                )
        if s is not None and s.main.taken:
            yield e.ConversationReturned(session=session, reason=why)
        if problem:
            lost = f"What its keeper had not handed over yet cannot be read: {problem}"
            yield e.NoteMade(session=session, text=lost)
        yield e.KeeperExited(session=session, epoch=epoch)

    await hub.decide(ended)
    if not problem:
        path.unlink(missing_ok=True)


def _last_words(path: Path) -> tuple[list[tuple[int, bytes]], str]:
    """What is in a spool, and why it cannot be read; then it stays where it is."""
    try:
        return read_spool(path), ""
    except (OSError, ValueError) as error:
        return [], str(error)


def is_free(hub: Hub, session: SessionId) -> bool:
    """Whether no keeper of the session lives."""
    return not is_claimed(hub.home.keeper_lock(session))


async def stop_keeper(hub: Hub, session: SessionId, seconds: float = 30.0) -> None:
    """Stop the session's agents and keeper, if it has one, and wait until its end is recorded."""
    if _is_without_keeper(hub.state, session):
        return
    async with asyncio.timeout(seconds):
        # A keeper that is recorded may still be on its way: be told when it can be spoken to.
        found = await hub.until(
            lambda state: hub.part(Links).live.get(session) or _is_without_keeper(state, session)
        )
        if isinstance(found, KeeperLink):
            with suppress(ConnectionError):
                await found.do(fresh_id(12), wire.Stop())
        await hub.until(lambda state: _is_without_keeper(state, session))


def _is_without_keeper(state: State, session: SessionId) -> bool | None:
    s = state.session(session)
    return True if s is None or s.keeper.state == "none" else None


async def _connect(hub: Hub, session: SessionId, epoch: int) -> KeeperLink:
    link, acked = _link(hub, session, epoch), await hub.store.acked(session, epoch)
    await link.connect(hub.part(Intake), hub.home.keeper_socket(session), acked)
    hub.part(Links).hold(link)
    return link


def _link(hub: Hub, session: SessionId, epoch: int) -> KeeperLink:
    async def ingest(items: wire.Items) -> int:
        await hub.note_jump()
        facts = await admitted(hub, session, items.events)
        react = partial(reaction, hub)
        taken = await hub.store.write_items(session, epoch, items.first, facts, react)
        hub.faults.over(words_of(session))
        return taken

    lock = hub.home.keeper_lock(session)
    heard = hub.part(Links).hear
    return KeeperLink(
        session, epoch, ingest=ingest, live=heard, is_keeper=lambda pid: is_claimed_by(pid, lock)
    )


def _state(hub: Hub, s: Session) -> Session:
    return hub.state.session(s.id) or s


async def _spec(hub: Hub, s: Session, own: dict[str, str]) -> wire.KeeperSpec:
    repo, settings = hub.state.repo(s.repo), hub.last_settings
    agent = await _agent(hub, s, s.main.agent, s.main.model, own)
    return wire.KeeperSpec(
        session=s.id,
        epoch=0,
        socket=str(hub.home.keeper_socket(s.id)),
        lock=str(hub.home.keeper_lock(s.id)),
        hub_lock=str(hub.home.hub_lock),
        spool=str(hub.home.sessions / s.id),
        worktree=s.workspace.worktree,
        base_commit=s.workspace.base_commit,
        branch=s.workspace.branch,
        in_place=s.workspace.in_place,
        remotes=(await box_terms(hub, s)).remotes,
        repo=s.repo,
        agent=msgspec.structs.replace(agent, fork=s.main.fork, effort=s.main.effort),
        # With no finished step the agent's own log may be empty: there is nothing to resume.
        agent_session=s.main.agent_session if s.main.steps or s.main.fork else "",
        listed=s.workspace.copied,
        mode=s.mode,
        turn=s.main.turn,
        rules=repo.rules if repo else (),
        session_rules=s.rules,
        commands=s.main.commands,
        linger=settings.limits.linger_seconds,
        log=str(hub.home.logs / f"keeper-{s.id}.log"),
        secrets=await session_secrets(hub, s, agent.env),
        approved=repo.approved if repo else (),
    )


async def _agent(
    hub: Hub,
    s: Session,
    name: str,
    model: str,
    own: Mapping[str, str] | None = None,
    conversation: ConversationId = MAIN,
) -> wire.AgentSpec:
    data, terms = await load_database_variables(hub.home, s.id), await box_terms(hub, s)
    make = partial(
        agent_spec,
        session=s.id,
        worktree=s.workspace.worktree,
        repo=s.repo,
        model=model,
        variables={**session_variables(s), **data, **(own or {})},
    )
    spec = await asyncio.to_thread(make, name, hub.last_settings, hub.home)
    box = await load_agent_box(hub.home, worktree_of(hub, s), spec, terms, conversation)
    return msgspec.structs.replace(spec, prices=hub.last_settings.prices, box=box)


async def with_conversation(
    hub: Hub, s: Session, command: wire.AnyCommand
) -> wire.AnyCommand | None:
    """What goes to another conversation brings along how its agent is started; None if it cannot
    be."""
    match command:
        case wire.Say():
            id = command.conversation
        case wire.Settle():
            id = command.item.conversation
        case _:
            return command
    c = next((c for c in s.others if c.id == id), None)
    if c is None:
        return command
    try:
        agent = await _agent(hub, s, c.agent, c.model, conversation=c.id)
    except ManyhandsError as error:
        await hub.record(
            e.SessionFailed(session=s.id, conversation=c.id, step="agent", error=error.message)
        )
        return None
    beside = wire.OtherConversation(
        agent=agent,
        agent_session=c.agent_session,
        mode=s.mode if c.writes else "ask",
        writes=c.writes,
    )
    return msgspec.structs.replace(command, beside=beside)


async def _ask(hub: Hub, s: Session, item: Attention) -> None:
    """Once, and only who has something to do: one that is looked at asks nothing."""
    if s.main.undelivered or s.inbox.answers:
        await hub.decide(lambda state: question(state, s, item))


async def _fail(hub: Hub, s: Session, error: ManyhandsError | OSError) -> None:
    """A session fails by this only if it had something to do; one that is looked at does not."""
    if not s.main.undelivered and not s.inbox.answers:
        log.info("no keeper to watch %s: %s", s.id, error)
        return
    hint = getattr(error, "hint", "") or f"`manyhands resume {s.slug}` tries again"
    await hub.record(e.SessionFailed(session=s.id, step="agent", error=said(error), hint=hint))


async def _give_birth(hub: Hub, spec: wire.KeeperSpec) -> None:
    nursery = hub.part(Links).nursery
    if not is_free(hub, spec.session):
        await _evict(hub, spec.session, spec.epoch)
    try:
        await nursery.keeper(spec)
    except NoKeeper:
        if is_free(hub, spec.session):
            raise
        # An earlier hub asked for it and died, and it was born after we had looked.
        await _evict(hub, spec.session, spec.epoch)
        await nursery.keeper(spec)


async def _evict(hub: Hub, session: SessionId, epoch: int) -> None:
    """End a keeper of an earlier epoch: it gives way to a higher one."""
    link = _link(hub, session, epoch)
    with suppress(OSError):
        await link.connect(hub.part(Intake), hub.home.keeper_socket(session), 0)
    began = monotonic()
    while not is_free(hub, session):
        if monotonic() - began > PATIENCE_SECONDS:
            raise NotPossible("an earlier keeper of the session does not end")
        await asyncio.sleep(0.02)
