"""What a keeper offers the agent it runs: a log for its facts, an ear for its questions.

The host numbers the turns. A turn begins when the keeper says so and ends when the agent
says so, fails or is gone. `TurnFinished` is held back, briefly, until the diff is up to date;
what the agent tells after it waits behind it, so the log keeps its order.

An item that waits for a person is *open* from the question to its answer. Its agent usually waits
for it; where the agent's wait broke off, the item stays open until it is known whether the agent
died (then a late answer resumes it) or went on without (then the turn's end makes it moot).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from manyhands.agents.permission.permits import Permits
from manyhands.agents.usage import estimate
from manyhands.box.network.way_out import WayOut
from manyhands.keeper.checkpoint import Turns
from manyhands.keeper.outbox import Outbox
from manyhands.model import clock
from manyhands.model import events as e
from manyhands.model.attention.attention import Attention, Resolution
from manyhands.model.ids import MAIN, AttentionId, ConversationId
from manyhands.model.live import Spoken
from manyhands.model.wire import KeeperSpec

INTERRUPTED = Resolution(text="interrupted", by="stop")
WITHDRAWN = Resolution(text="the agent went on without an answer", by="agent")


RAISED_BY: dict[str, type[e.Raising]] = {
    "plan": e.PlanProposed,
    "permission": e.PermissionRequested,
    "question": e.QuestionAsked,
}
"""The event that tells of an item, where its kind has one of its own."""


class KeeperHost:
    """Implements `agents.protocol.Host`; `spec` says what the next agent is started with."""

    def __init__(
        self,
        spec: KeeperSpec,
        outbox: Outbox,
        turns: Turns,
        conversation: ConversationId = MAIN,
        *,
        writes: bool = True,
    ) -> None:
        self.spec = spec
        self.conversation = conversation
        self.writes = writes
        self.turn = spec.turn
        self.agent_pid = 0
        self.box = spec.agent.box
        """With its twin, once an agent is about to be started in it."""
        self.way_out: WayOut | None = None
        self._asked: dict[AttentionId, asyncio.Future[Resolution]] = {}
        self._answered: set[AttentionId] = set()
        self.permits = Permits(repo=spec.rules, session=set(spec.session_rules))
        self._free = asyncio.Event()
        self._free.set()
        self._waits = False
        self.turn_over = asyncio.Event()
        self.turn_over.set()
        self.interrupting = False
        """A person has stopped the turn: should the agent have to be ended for it, it ends so."""
        self.agent_gone: Callable[[], None] = lambda: None
        self._outbox = outbox
        self._turns = turns
        self._held: list[e.AnyEvent] | None = None

    @property
    def held(self) -> bool:
        return not self._free.is_set()

    async def cleared(self) -> None:
        if self.held and not self._waits:
            self._waits = True
            self._tell(e.AgentHeld())
        await self._free.wait()

    async def room(self) -> None:
        await self._outbox.room()

    def hold(self, on: bool) -> None:
        if on:
            self._free.clear()
            return
        self._free.set()
        if self._waits:
            self._waits = False
            self._tell(e.AgentHeld(on=False))

    @property
    def busy(self) -> bool:
        return not self.turn_over.is_set() or bool(self._open_items) or self._held is not None

    @property
    def _open_items(self) -> list[AttentionId]:
        return [item for item in self._asked if item not in self._answered]

    @property
    def holds_program(self) -> bool:
        """Whether an agent lives that could not be resumed if it were ended to save its place."""
        return self.spec.agent.kind == "terminal" and self.agent_pid != 0

    def change_agent(self, **how: Any) -> None:
        """How the next agent is started."""
        self.spec = replace(self.spec, agent=replace(self.spec.agent, **how))

    async def prepare(self) -> None:
        await self._turns.prepare(self.turn + 1)

    async def turn_kept(self) -> None:
        """Returns once the last turn is on record with all that it wrote, and nothing else; what
        was done outside meanwhile is seen by the next."""
        await self._turns.finish()
        await self._turns.settle()

    def begin_turn(self) -> None:
        """Agents may begin one by themselves, by telling of it."""
        self.turn += 1
        self.interrupting = False
        self.turn_over.clear()
        self._turns.began()
        self._tell(e.TurnStarted())

    def close_items(self, resolution: Resolution) -> None:
        """What the turn still asks for is moot."""
        for item in self._open_items:
            self._close_item(item, resolution)

    def is_answered(self, item: AttentionId) -> bool:
        """For good, whichever way the answer went."""
        return item in self._answered

    def deliver(self, item: AttentionId, resolution: Resolution) -> bool:
        """Hand the answer to the agent that waits for it; False where none does."""
        waiting = self._asked.get(item)
        if self.is_answered(item) or waiting is None or waiting.done():
            return False
        waiting.set_result(resolution)
        self.delivered(item)
        return True

    def delivered(self, item: AttentionId) -> None:
        self._answered.add(item)
        self._tell(e.AnswerDelivered(item=item))

    def _close_item(self, item: AttentionId, resolution: Resolution) -> None:
        if not self.is_answered(item):
            self._tell(e.AttentionResolved(item=item, resolution=resolution))
            self.delivered(item)

    def _let_go(self) -> None:
        """No agent waits any more; what is open now can only be answered late."""
        for waiting in self._asked.values():
            waiting.cancel()
        self._asked.clear()

    def emit(self, event: e.AnyEvent) -> None:
        match event:
            case e.AgentStarted() | e.ModeChanged() | e.ModelChanged() | e.EffortChanged():
                self.learn(event)
                self._tell(event)
            case e.CommandsListed() if event.commands == self.spec.commands:
                pass
            case e.CommandsListed():
                self.spec = replace(self.spec, commands=event.commands)
                self._tell(event)
            case e.UsageRecorded():
                self._tell(self._priced(event))
            case e.TurnStarted() if self.turn_over.is_set():
                self.begin_turn()
            case e.TurnFinished():
                self._finish_turn(event)
            case e.AttentionResolved():
                self._close_item(event.item, event.resolution)
            case e.AnswerDelivered() if self.is_answered(event.item):
                pass
            case e.AgentExited() | e.SessionFailed():
                self._break_off(event)
            case _:
                self._tell(event)

    def _priced(self, event: e.UsageRecorded) -> e.UsageRecorded:
        """An agent that tells tokens only is reckoned by the table."""
        tokens = event.tokens_in + event.tokens_out
        if event.cost_usd or event.estimated or tokens <= 0:
            return event
        model = event.model or self.spec.agent.model
        prices = self.spec.agent.prices
        cost = estimate(model, prices, fresh=event.tokens_in, out=event.tokens_out)
        return replace(event, cost_usd=round(cost, 9), estimated=True)

    def live(self, frame: Spoken) -> None:
        self._outbox.show(frame, self.turn)

    async def ask(self, item: Attention) -> Resolution:
        session, at = self.spec.session, item.raised_at or clock.now()
        item = replace(item, session=session, raised_at=at)
        self.emit(RAISED_BY.get(item.kind, e.AttentionRaised)(item=item))
        waiting: asyncio.Future[Resolution] = asyncio.get_running_loop().create_future()
        self._asked[item.id] = waiting
        return await waiting

    def learn(
        self, event: e.AgentStarted | e.ModeChanged | e.ModelChanged | e.EffortChanged
    ) -> None:
        match event:
            case e.ModeChanged():
                self.spec = replace(self.spec, mode=event.mode)
            case e.ModelChanged():
                self.change_agent(model=event.model)
            case e.EffortChanged():
                self.change_agent(effort=event.effort)
            case e.AgentStarted():
                self.agent_pid = event.pid
                self.spec = replace(self.spec, agent_session=event.agent_session)
                self.change_agent(model=self.spec.agent.model or event.model, fork=None)

    def _finish_turn(self, event: e.TurnFinished) -> None:
        """A turn that is over waits for nothing."""
        self._waits = False
        self.close_items(INTERRUPTED if event.outcome == "interrupted" else WITHDRAWN)
        self._let_go()
        self._held = [*(self._held or ()), self._stamped(event)]
        self._outbox.saying.fall_silent(self.conversation)
        self.turn_over.set()
        self._turns.ended(self.turn, self._release)

    def _break_off(self, event: e.AgentExited | e.SessionFailed) -> None:
        """No more comes of this turn; what it asked for stays open for a late answer."""
        if self.interrupting and not self.turn_over.is_set():
            self._finish_turn(e.TurnFinished(outcome="interrupted"))
        if isinstance(event, e.AgentExited):
            self.agent_pid = 0
            self._let_go()
            self.agent_gone()
        self._tell(event)
        self._outbox.saying.fall_silent(self.conversation)
        if not self.turn_over.is_set():
            self.turn_over.set()
            self._turns.ended(self.turn, lambda: None)

    def _tell(self, event: e.AnyEvent) -> None:
        if self._held is not None:
            self._held.append(self._stamped(event))
        else:
            self._outbox.tell(self._stamped(event))

    def _stamped(self, event: e.AnyEvent) -> e.AnyEvent:
        at, turn = event.at or clock.now(), event.turn or self.turn
        said = self.conversation
        return replace(event, at=at, turn=turn, conversation=said)

    def _release(self) -> None:
        held, self._held = self._held or [], None
        for event in held:
            self._outbox.tell(event)
