"""A worktree, a HOME and a model for one agent under test, with the words to set it to work."""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from manyhands.agents.catalogue import make_agent
from manyhands.agents.permission.permits import Permits
from manyhands.agents.protocol import Workplace
from manyhands.errors import AgentFailed
from manyhands.model.agent.conversation import Fork
from manyhands.model.events import Mode
from manyhands.model.ids import SessionId, fresh_id
from manyhands.model.wire import AgentSpec
from tests.conformance.subjects import Place, Step, Subject, script
from tests.support.agent_driver import Answer, Bench, Driver, driven, never, workplace


@dataclass
class Stand:
    subject: Subject
    bench: Bench
    session: str = field(default_factory=fresh_id)
    permits: Permits = field(default_factory=Permits)
    writes: bool = True
    trusted: bool = False
    attachments: Path | None = None
    fork: Fork | None = None
    """The dialogue of another place that it begins with."""

    @property
    def place(self) -> Place:
        return Place(self.bench.home, self.bench.worktree, self.bench.url)

    @property
    def worktree(self) -> Path:
        return self.bench.worktree

    def spec(self) -> AgentSpec:
        spec = self.subject.spec(self.place, self.session, str(self.bench.home / "memory"))
        return msgspec.structs.replace(spec, trusted=self.trusted, fork=self.fork)

    def write(self, path: str, content: str = "x\n") -> Step:
        return self.subject.write(self.place, path, content)

    def run(self, command: str) -> Step:
        return self.subject.run(command)

    def say(self, *steps: Step) -> str:
        return script(*steps)

    async def refusal(self, spec: AgentSpec) -> AgentFailed:
        """Why an agent with this spec does not start."""
        where = Workplace(SessionId(self.session), self.worktree, str(self.worktree))
        async with asyncio.TaskGroup() as tasks:
            agent = make_agent(spec, Driver(), tasks, where, mode="ask")
            try:
                await agent.start(None)
            except AgentFailed as error:
                return error
            await agent.stop()
        raise AssertionError("it started")

    def agent(
        self, mode: Mode = "ask", answer: Answer = never, resume: str = ""
    ) -> AbstractAsyncContextManager[Driver]:
        at = workplace(self.session, self.worktree, self.writes, self.attachments)
        return driven(self.spec(), at, self.permits, mode, answer, resume)
