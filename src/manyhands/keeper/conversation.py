"""One dialogue: the agent, and people's words and answers on their way to it.

The agent starts with the first message, by its own session id where it has one. Messages and
late answers go one after the other; an interrupt, and an answer that is waited for, pass them
by. Everything is safe to ask twice: a message is said once and an item answered once.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from typing import Protocol

from manyhands.agents.permission.answers import late_answer
from manyhands.agents.protocol import Agent
from manyhands.errors import AgentFailed, ManyhandsError, NotPossible
from manyhands.keeper.host import INTERRUPTED, KeeperHost
from manyhands.model import events as e
from manyhands.model import wire
from manyhands.model.agent.conversation import Heard, Message
from manyhands.model.ids import MAIN, AgentSessionId, ConversationId, MessageId
from manyhands.model.wire import Say, Settle
from manyhands.process.identity import alive, identify

log = logging.getLogger(__name__)

INTERRUPT_SECONDS = 10.0
"""How long an agent may take to end an interrupted turn before it is stopped."""
STOP_SECONDS = 20.0

TAKEN = "the conversation is in the agent's own program"

SAID_AGAIN = "The agent died before it had noted what it was told: that is said again"

MakeAgent = Callable[[KeeperHost], Awaitable[Agent]]
"""Makes an agent, not started yet, as the host's spec will have it."""


class Borrower(Protocol):
    """Who has the dialogue while the agent rests."""

    async def interrupt(self) -> None: ...


class LiveConversation:
    def __init__(self, host: KeeperHost, make_agent: MakeAgent, tasks: asyncio.TaskGroup) -> None:
        self.host = host
        self.agent: Agent | None = None
        self._starting: Agent | None = None
        self._closing = False
        self._make_agent = make_agent
        self._tasks = tasks
        self._said: set[MessageId] = set()
        self._backlog: deque[Say] = deque()
        self._saying: asyncio.Task[None] | None = None
        """Says what is in the backlog."""
        self._order = asyncio.Lock()
        self._worn_model = self._worn_effort = ""
        self._borrower: Borrower | None = None
        self._lost: tuple[Message, ...] = ()
        """What the agent was told in an earlier life and does not know any more."""
        host.agent_gone = self._agent_gone

    @property
    def busy(self) -> bool:
        """Whether something is under way, or waited for."""
        return self.host.busy or self._order.locked() or self._saying is not None

    async def lend(self, borrower: Borrower, start: Callable[[], Awaitable[None]]) -> None:
        """Stop the agent, and only once it is surely gone `start` what goes on with its dialogue.
        Until that is returned nobody says anything to it here."""
        async with self._order:
            if self._borrower is not None:
                raise NotPossible(TAKEN)
            if not self.host.turn_over.is_set() or self._saying is not None:
                raise NotPossible("a turn has begun meanwhile", hint="stop it first")
            self._borrower = borrower
            try:
                await self._let_rest()
                await start()
            except BaseException:
                self._borrower = None
                raise

    async def _let_rest(self) -> None:
        process = identify(self.host.agent_pid) if self.host.agent_pid else None
        await self.stop()
        if process is not None and alive(process):
            raise AgentFailed(f"the agent's process {process.pid} does not end")
        await self.host.turn_kept()

    def returned(self) -> None:
        self._borrower = None

    async def say(self, command: Say) -> None:
        async with self._order:
            if self._borrower is not None:
                raise NotPossible(TAKEN)
            if self._backlog or not self._is_open:
                self._wait_with(command)
            else:
                await self._hand_over(command)

    @property
    def _is_open(self) -> bool:
        """Whether the agent takes words now: some take none within a turn."""
        steers = self.agent is None or self.agent.capabilities.steers
        return steers or self.host.turn_over.is_set()

    async def _hand_over(self, command: Say) -> None:
        if command.message in self._said:
            return
        problem = await self._deliver(command)
        if problem and self._closing:
            return  # not delivered: the next keeper will
        self._said.add(command.message)
        self.host.emit(e.MessageDelivered(message=command.message))
        self._complain(problem)

    def _wait_with(self, command: Say) -> None:
        """Keep it for the end of the turn, behind those that wait for it already."""
        self._backlog.append(command)
        if self._saying is None:
            self._saying = self._tasks.create_task(self._say_in_turn())

    async def _say_in_turn(self) -> None:
        """One after the other, each once the turn before it is over."""
        try:
            while self._backlog and not self._closing:
                await self.host.turn_over.wait()
                async with self._order:
                    if self._is_open:  # a late answer may have begun another turn meanwhile
                        await self._hand_over(self._backlog[0])
                        self._backlog.popleft()
        finally:
            self._saying = None

    async def settle(self, command: Settle) -> None:
        if self.host.deliver(command.item.id, command.resolution):
            return
        async with self._order:
            if self._borrower is not None:
                raise NotPossible(TAKEN)
            if not self.host.is_answered(command.item.id):
                await self._answer_late(command)

    async def _answer_late(self, command: Settle) -> None:
        """The agent that asked is gone: the next one gets the answer as a message."""
        late = late_answer(command.item, command.resolution)
        if late.grant:
            self.host.permits.grants.append(late.grant)
        words = Say(message=MessageId(""), text=late.text, told=command.told)
        problem = await self._deliver(words, late.mode)
        if problem and self._closing:
            return
        self.host.delivered(command.item.id)
        self._complain(problem)

    async def _deliver(self, words: Say, mode: e.Mode | None = None) -> ManyhandsError | None:
        """Give the agent these words. A failure is returned: retried for ever it would help
        nobody, so the words count as delivered and the person sees what happened."""
        try:
            if self.host.turn_over.is_set():
                await self.host.turn_kept()
            if mode and mode != self.host.spec.mode:
                await self.set_mode(mode)
                self.host.emit(e.ModeChanged(mode=mode))
            agent = await self._running_agent(words.told)
            await self._dress(agent, words)
            if self.host.turn_over.is_set():
                self.host.begin_turn()
            await self._send(agent, words)
        except ManyhandsError as error:
            return error
        except Exception as error:
            log.exception("the agent could not be given a message")
            return AgentFailed(f"{type(error).__name__}: {error}")
        return None

    async def _send(self, agent: Agent, words: Say) -> None:
        lost = [m for m in self._lost if m.id != words.message]
        if lost:
            self.host.emit(e.NoteMade(text=SAID_AGAIN))
        text = "\n\n".join((*(m.text for m in lost), words.text))
        attachments = (*(a for m in lost for a in m.attachments), *words.attachments)
        await agent.send(text, attachments)
        self._lost = ()

    async def _dress(self, agent: Agent, words: Say) -> None:
        """Model and effort as this message wants them, or as the session has them."""
        spec = self.host.spec.agent
        model, effort = words.model or spec.model, words.effort or spec.effort
        if model != self._worn_model:
            await agent.set_model(model)
        if effort != self._worn_effort:
            await agent.set_effort(effort)
        self._worn_model, self._worn_effort = model, effort

    def _complain(self, problem: ManyhandsError | None) -> None:
        if problem:
            failed = e.SessionFailed(step="agent", error=problem.message, hint=problem.hint)
            self.host.emit(failed)

    async def _running_agent(self, told: Heard | None) -> Agent:
        if self.agent is None:
            await self._start_agent(told)
        if self.agent is None:
            raise AgentFailed("the agent ended as soon as it had started")
        return self.agent

    async def _start_agent(self, told: Heard | None) -> None:
        if self._borrower is not None:
            raise NotPossible(TAKEN)
        began_as = self.host.spec
        agent = await self._make_agent(self.host)
        if self._closing:
            raise NotPossible("this keeper is about to end")
        self._starting = agent
        preparing = self._tasks.create_task(self.host.prepare())
        try:
            await agent.start(await self._recall(agent, began_as, told))
            await preparing
            self.agent = self._starting
            # What the agent calls its own default model need not be set.
            self._worn_model = self.host.spec.agent.model
            self._worn_effort = began_as.agent.effort
        finally:
            self._starting = None
        # Whatever was asked for while it started.
        if self.host.agent_pid and self.host.spec.mode != began_as.mode:
            await agent.set_mode(self.host.spec.mode)

    async def _recall(
        self, agent: Agent, spec: wire.KeeperSpec, told: Heard | None
    ) -> AgentSessionId | None:
        """The dialogue to take up, if there is one; what is missing in it is said again."""
        resume = AgentSessionId(spec.agent_session) or None
        if resume is None or told is None or spec.agent.fork:
            return resume
        recalled = await agent.recall(resume, told)
        self._lost = recalled.lost
        return resume if recalled.resumes else None

    def _agent_gone(self) -> None:
        self.agent = self._starting = None

    async def interrupt(self) -> None:
        if self._borrower is not None:
            await self._borrower.interrupt()
            return
        if self.host.turn_over.is_set():
            # A message may be on its way to a starting agent: that is what should stop.
            async with self._order:
                pass
        agent = self.agent
        if agent is None or self.host.turn_over.is_set():
            return
        try:
            async with asyncio.timeout(INTERRUPT_SECONDS):
                self.host.interrupting = True
                self.host.close_items(INTERRUPTED)
                await agent.interrupt()
                await self.host.turn_over.wait()
        except TimeoutError:
            log.warning("the agent did not end its turn; it is stopped")
            await self.stop()

    # What a person chose is on record before it comes here. Told again, it might be late, and undo
    # what was chosen meanwhile.

    async def set_mode(self, mode: e.Mode) -> None:
        if mode != self.host.spec.mode:
            if self.agent:
                await self.agent.set_mode(mode)
            self.host.learn(e.ModeChanged(mode=mode))

    async def set_model(self, model: str) -> None:
        if not model or model == self.host.spec.agent.model:
            return
        if self.agent:
            await self.agent.set_model(model)
            self._worn_model = model
        self.host.learn(e.ModelChanged(model=model))

    async def set_effort(self, effort: str) -> None:
        if effort == self.host.spec.agent.effort:
            return
        if self.agent:
            await self.agent.set_effort(effort)
            self._worn_effort = effort
        self.host.learn(e.EffortChanged(effort=effort))

    def end(self) -> None:
        """Nothing is started any more: what is not delivered is left to the next keeper."""
        self._closing = True

    async def close(self) -> None:
        """Nothing is started any more, and nothing runs after this."""
        self.end()
        if self._saying:
            self._saying.cancel()
        await self.stop()
        # An agent that is just being started cannot be called off: it is stopped once it is there.
        with suppress(TimeoutError):
            async with asyncio.timeout(STOP_SECONDS), self._order:
                await self.stop()

    async def stop(self) -> None:
        """Stop the agent, which tells of its end itself; bounded."""
        agent = self.agent or self._starting
        if agent is None:
            return
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await agent.stop()
        except Exception:
            log.exception("the agent could not be stopped in order")
        if self.agent is agent:
            self.host.emit(e.AgentExited(expected=True, reason="stopped"))


Open = Callable[[ConversationId, wire.OtherConversation], LiveConversation]


class Conversations:
    """All dialogues of a session: the main one, and those that were opened beside it."""

    def __init__(self, main: LiveConversation, open: Open) -> None:
        self.main = main
        self._open = open
        self._beside: dict[ConversationId, LiveConversation] = {}

    def __iter__(self) -> Iterator[LiveConversation]:
        return iter((self.main, *self._beside.values()))

    @property
    def busy(self) -> bool:
        return any(conversation.busy for conversation in self)

    def agents(self, but: LiveConversation | None = None) -> set[int]:
        """The processes of living agents."""
        return {c.host.agent_pid for c in self if c is not but and c.host.agent_pid}

    def find(self, id: ConversationId, beside: wire.OtherConversation | None) -> LiveConversation:
        if id == MAIN:
            return self.main
        if id not in self._beside:
            if beside is None:
                raise NotPossible(f"no conversation {id} is open")
            self._beside[id] = self._open(id, beside)
        return self._beside[id]

    async def say(self, command: wire.Say) -> None:
        conversation = self.find(command.conversation, command.beside)
        writes = command.beside is None or command.beside.writes
        if writes and any(self._is_writing(c) for c in self if c is not conversation):
            raise NotPossible("another conversation is writing in this worktree")
        await conversation.say(command)

    def _is_writing(self, conversation: LiveConversation) -> bool:
        return conversation.host.writes and not conversation.host.turn_over.is_set()

    async def settle(self, command: wire.Settle) -> None:
        await self.find(command.item.conversation, command.beside).settle(command)

    async def interrupt(self) -> None:
        await asyncio.gather(*(conversation.interrupt() for conversation in self))

    async def change(self, command: wire.AnyChange) -> None:
        """Mode, model and effort are the main conversation's; what is allowed holds for all."""
        match command:
            case wire.SetMode():
                await self.main.set_mode(command.mode)
            case wire.SetModel():
                await self.main.set_model(command.model)
            case wire.SetEffort():
                await self.main.set_effort(command.effort)
            case wire.SetRules():
                session = set(command.session)
                for conversation in self:
                    conversation.host.permits.repo = command.rules
                    conversation.host.permits.session = session
            case wire.Hold():
                for conversation in self:
                    conversation.host.hold(command.on)

    def end(self) -> None:
        for conversation in self:
            conversation.end()

    async def close(self) -> None:
        await asyncio.gather(*(conversation.close() for conversation in self))
