"""Which hosts a session's box may reach: what is listed or allowed by rule, else a person decides.

A question is a permission like any other: it outlives keeper and hub, and its answer stands once,
for the session or for the repository, as a rule of the tool `Network`. All calls to a host share
one question. It stays open if they hang up, as most programs do in time: the answer is then for the
next one.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Protocol

from msgspec.structs import replace

from manyhands.agents.permission.answers import chosen
from manyhands.agents.permission.permits import Grant, Permits
from manyhands.agents.permission.tools import NETWORK
from manyhands.box.network.host_lists import HostLists, refused
from manyhands.box.network.hosts import (
    HostPattern,
    HostPort,
    require_pattern,
)
from manyhands.box.network.known_hosts import known_hosts, loopback_ports, own_hosts
from manyhands.box.network.proxy import Verdict
from manyhands.box.network.way_out import WayOut
from manyhands.model.agent.rules import Rule
from manyhands.model.attention.attention import PERMISSION_OPTIONS, Attention, Resolution
from manyhands.model.box import Box
from manyhands.model.clock import now
from manyhands.model.ids import AttentionId, SessionId, fresh_id

log = logging.getLogger(__name__)

MOST_OPEN = 10
"""Questions at a time: whoever tries a thousand hosts must not fill the inbox."""
MOST_WAITING = 64
"""Calls that wait at a time: they must not take all the room from those that may go out."""
NOT_LISTED = "it is not on the list of hosts that this box may reach"


def make_way_out(
    box: Box,
    host: PersonBeyond,
    tasks: asyncio.TaskGroup,
    *,
    remotes: Iterable[str] = (),
    env: Mapping[str, str] = MappingProxyType({}),
    say: Callable[[str], None] = log.info,
) -> WayOut | None:
    """A session's way out, not open yet; None where its box needs none.

    `remotes` are the URLs of the repository's, `env` is the agent's own environment: where these
    lead is the user's own choice, and what they name on this machine is carried in.
    """
    if box.by != "bubblewrap" or box.network == "open":
        return None
    listed = (*box.hosts, *own_hosts(remotes, env))
    gate = HostGate(host, tasks, listed=listed, known=known_hosts())
    inward = dict.fromkeys((*box.inward, *loopback_ports(env)))
    return WayOut(replace(box, inward=tuple(inward)), gate.decide, tasks, say=say)


class PersonBeyond(Protocol):
    """Of a `KeeperHost`, what is needed here."""

    turn: int
    permits: Permits

    async def ask(self, item: Attention) -> Resolution: ...


class HostGate:
    """Its `decide` is what a `WayOut` is made with."""

    def __init__(
        self,
        host: PersonBeyond,
        tasks: asyncio.TaskGroup,
        *,
        listed: Iterable[str] = (),
        known: Iterable[str] = (),
    ) -> None:
        self._host = host
        self._tasks = tasks
        self._lists = HostLists(listed, known)
        self._open: dict[str, _Question] = {}
        self._places = asyncio.Semaphore(MOST_OPEN)
        self._denied: dict[str, tuple[int, Verdict]] = {}

    async def decide(self, target: HostPort) -> Verdict:
        found = self._standing(target)
        if found is not None:
            return found
        if sum(question.waiting for question in self._open.values()) >= MOST_WAITING:
            return refused(target, "too many calls wait for an answer already, try again later")
        question = self._open.get(str(target))
        if question is None:
            question = self._open[str(target)] = _Question()
            self._tasks.create_task(self._put(target, question))
        question.waiting += 1
        try:
            # Whoever hangs up leaves the question to the others, and to the person.
            return await asyncio.shield(question.answer)
        finally:
            question.waiting -= 1

    def _standing(self, target: HostPort) -> Verdict | None:
        """What is decided already."""
        if found := self._lists.standing(target):
            return found
        permits = self._host.permits
        if any(_covers(rule, target) for rule in permits.rules):
            return _leave(target)
        if permits.take(NETWORK, _input(target)):
            return _leave(target)
        turn, denied = self._denied.get(str(target), (-1, None))
        # Programs try again and again: one answer is for all of a turn.
        return denied if turn == self._host.turn else None

    async def _put(self, target: HostPort, question: _Question) -> None:
        try:
            async with self._places:
                # Another question's answer may have settled it, if it had to wait.
                verdict = self._standing(target) or await self._asked(target, question)
            question.answer.set_result(verdict)
        except Exception:
            log.exception("nobody could be asked whether the box may reach %s", target)
            question.answer.set_result(refused(target, "nobody could be asked"))
        finally:
            del self._open[str(target)]
            question.answer.cancel()

    async def _asked(self, target: HostPort, question: _Question) -> Verdict:
        item = network_item(target)
        try:
            answer = await self._host.ask(item)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            return refused(target, "nobody had answered when the turn was over")
        return self._settled(item, answer, target, question)

    def _settled(
        self, item: Attention, answer: Resolution, target: HostPort, question: _Question
    ) -> Verdict:
        if not answer.option.startswith("allow"):
            words = f"the user denied it: {answer.text}" if answer.text else "the user denied it"
            verdict = refused(target, words)
            self._denied[str(target)] = (self._host.turn, verdict)
            return verdict
        # The hub makes it last; here it must hold before the next call.
        if rule := chosen(item, answer):
            self._host.permits.session.add(rule)
        elif not question.waiting:
            self._host.permits.grants.append(Grant(NETWORK, _input(target)))
        return _leave(target)


class _Question:
    def __init__(self) -> None:
        self.answer: asyncio.Future[Verdict] = asyncio.get_running_loop().create_future()
        self.waiting = 0


def network_item(target: HostPort) -> Attention:
    """The host fills in for which session it is."""
    # This host alone: who else has a name beside it, nobody here can tell.
    rule = Rule(NETWORK, str(target))
    return Attention(
        id=AttentionId(fresh_id()),
        session=SessionId(""),
        kind="permission",
        summary=f"{NETWORK}: {target} ({NOT_LISTED})",
        detail={
            "tool": NETWORK,
            "input": _input(target),
            "reason": NOT_LISTED,
            "rules": [{"tool": rule.tool, "command": rule.command, "kind": rule.kind}],
        },
        options=PERMISSION_OPTIONS,
        raised_at=now(),
    )


def _input(target: HostPort) -> dict[str, str | int]:
    return {"host": target.host, "port": target.port}


def _leave(target: HostPort) -> Verdict:
    """A name that a person allowed must not lead into a private network; an address says so."""
    return Verdict(True, private=target.is_address)


def _covers(rule: Rule, target: HostPort) -> bool:
    if rule.tool != NETWORK:
        return False
    if rule.kind == "tool":
        return True
    pattern = _pattern(rule.command)
    return pattern is not None and pattern.covers(target)


@lru_cache(maxsize=1024)
def _pattern(text: str) -> HostPattern | None:
    try:
        return require_pattern(text)
    except ValueError:
        return None
