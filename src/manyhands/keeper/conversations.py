"""All dialogues of a session: the main one, and those that were opened beside it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

from manyhands.errors import NotPossible
from manyhands.keeper.conversation import Conversation
from manyhands.model import wire
from manyhands.model.ids import MAIN, ConversationId
from manyhands.model.rules import Rule

Open = Callable[[ConversationId, wire.Beside], Conversation]


class Conversations:
    def __init__(self, main: Conversation, open: Open) -> None:
        self.main = main
        self._open = open
        self._beside: dict[ConversationId, Conversation] = {}

    def __iter__(self) -> Iterator[Conversation]:
        return iter((self.main, *self._beside.values()))

    @property
    def busy(self) -> bool:
        return any(conversation.busy for conversation in self)

    def agents(self, but: Conversation | None = None) -> set[int]:
        """The processes of living agents."""
        return {c.host.agent_pid for c in self if c is not but and c.host.agent_pid}

    def find(self, id: ConversationId, beside: wire.Beside | None) -> Conversation:
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

    def _is_writing(self, conversation: Conversation) -> bool:
        return conversation.writes and not conversation.host.turn_over.is_set()

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
                self._set_rules(command)
            case wire.Hold():
                for conversation in self:
                    conversation.host.hold(command.on)

    def _set_rules(self, command: wire.SetRules) -> None:
        session: set[Rule] = set(command.session)
        for conversation in self:
            conversation.host.permits.repo = command.rules
            conversation.host.permits.session = session

    async def close(self) -> None:
        await asyncio.gather(*(conversation.close() for conversation in self))
