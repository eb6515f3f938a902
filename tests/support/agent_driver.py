"""A keeper's side of the seam for tests: it records what an agent says and answers as told."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from manyhands.agents.catalogue import make_agent
from manyhands.agents.permission.permits import Permits
from manyhands.agents.protocol import Agent, Workplace
from manyhands.model.attention.attention import Attention, Resolution
from manyhands.model.events import AgentExited, AnyEvent, Mode, TurnFinished
from manyhands.model.ids import AgentSessionId, SessionId, fresh_id
from manyhands.model.live import AnyLive
from manyhands.model.wire import AgentSpec
from tests.support.brief import BRIEF

E = TypeVar("E")
Answer = Callable[[Attention], Awaitable[Resolution]]


def script(*steps: dict[str, Any], words: str = "please") -> str:
    return f"{words} <<SCRIPT {json.dumps(steps)} SCRIPT>>"


def write(path: str, content: str = "x\n") -> dict[str, Any]:
    return {"tool": "Write", "input": {"file_path": path, "content": content}}


def bash(command: str, **more: Any) -> dict[str, Any]:
    return {"tool": "Bash", "input": {"command": command, **more}}


def task(*steps: dict[str, Any]) -> dict[str, Any]:
    prompt = script(*steps)
    fields = {"description": "look", "subagent_type": "general-purpose", "prompt": prompt}
    return {"tool": "Task", "input": fields}


def question(text: str, *labels: str, many: bool = False) -> dict[str, Any]:
    options = [{"label": label, "description": label} for label in labels]
    return {"question": text, "header": text[:10], "multiSelect": many, "options": options}


async def never(item: Attention) -> Resolution:
    await asyncio.Event().wait()
    raise AssertionError


def always(option: str, text: str = "") -> Answer:
    async def answer(item: Attention) -> Resolution:
        return Resolution((option,), text)

    return answer


@dataclass
class Driver:
    """The host of one agent."""

    answer: Answer = never
    events: list[AnyEvent] = field(default_factory=list)
    frames: list[AnyLive] = field(default_factory=list)
    asked: list[Attention] = field(default_factory=list)
    abandoned: list[Attention] = field(default_factory=list)
    agent: Agent = field(init=False)
    waiting: int = 0
    """Calls that were held back since `hold`."""
    _free: asyncio.Event = field(default_factory=asyncio.Event)
    _changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self._free.set()

    def emit(self, event: AnyEvent) -> None:
        self.events.append(event)
        self._news.set()

    def live(self, frame: AnyLive) -> None:
        self.frames.append(frame)
        self._news.set()

    async def ask(self, item: Attention) -> Resolution:
        self.asked.append(item)
        self._news.set()
        try:
            return await self.answer(item)
        except asyncio.CancelledError:
            self.abandoned.append(item)
            self._news.set()
            raise

    @property
    def held(self) -> bool:
        return not self._free.is_set()

    async def cleared(self) -> None:
        self.waiting += 1 if self.held else 0
        self._news.set()
        await self._free.wait()

    async def room(self) -> None:
        pass

    def hold(self) -> None:
        self.waiting = 0
        self._free.clear()

    def release(self) -> None:
        self._free.set()

    async def until(self, condition: Callable[[], Any], seconds: float = 120) -> None:
        async with asyncio.timeout(seconds):
            while not condition():
                self._news.clear()
                await self._news.wait()

    def all(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]

    async def turn(self, text: str) -> TurnFinished:
        """Send a message and wait for the end of the turn, or of the agent."""
        before = len(self.all(TurnFinished))
        await self.agent.send(text)
        await self.until(lambda: len(self.all(TurnFinished)) > before or self.all(AgentExited))
        return self.all(TurnFinished)[before]


def workplace(session: str, worktree: Path, writes: bool, attachments: Path | None) -> Workplace:
    """A repository that is its own only worktree."""
    return Workplace(
        SessionId(session), worktree, str(worktree), writes=writes, attachments=attachments
    )


@asynccontextmanager
async def driven(
    spec: AgentSpec, at: Workplace, permits: Permits, mode: Mode, answer: Answer, resume: str
) -> AsyncIterator[Driver]:
    """An agent that runs, and is stopped in the end."""
    driver = Driver(answer)
    async with asyncio.TaskGroup() as tasks:
        driver.agent = make_agent(spec, driver, tasks, at, mode=mode, permits=permits)
        await driver.agent.start(AgentSessionId(resume) if resume else None)
        try:
            yield driver
        finally:
            await driver.agent.stop()


@dataclass
class Bench:
    """A worktree, a HOME and a model to run agents with."""

    home: Path
    worktree: Path
    url: str
    session: str = field(default_factory=fresh_id)
    """Of its own: what one test sweeps away must not be another's agent."""
    env: dict[str, str] = field(default_factory=dict)
    permits: Permits = field(default_factory=Permits)
    effort: str = ""
    writes: bool = True
    attachments: Path | None = None

    def spec(self) -> AgentSpec:
        env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "ANTHROPIC_BASE_URL": self.url,
            "ANTHROPIC_API_KEY": "dummy",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_MAX_RETRIES": "0",
            "CLAUDE_CODE_TMPDIR": str(self.home / "scratch"),
            "MANYHANDS_SESSION": self.session,
            **BRIEF,
            **self.env,
        }
        return AgentSpec(name="claude", kind="claude", env=env, effort=self.effort)

    def agent(
        self, mode: Mode = "ask", answer: Answer = never, resume: str = ""
    ) -> AbstractAsyncContextManager[Driver]:
        at = workplace(self.session, self.worktree, self.writes, self.attachments)
        return driven(self.spec(), at, self.permits, mode, answer, resume)

    def git(self, *argv: str) -> str:
        env = {**os.environ, "HOME": str(self.home)}
        run = subprocess.run(
            ["git", *argv], cwd=self.worktree, env=env, capture_output=True, check=False
        )
        assert run.returncode == 0, run.stderr
        return run.stdout.decode().strip()

    def tree(self) -> str:
        """The hash of everything in the worktree, untracked and ignored files included."""
        index = str(self.home / "private-index")
        env = {**os.environ, "HOME": str(self.home), "GIT_INDEX_FILE": index}
        for argv in (["add", "-A", "-f"], ["write-tree"]):
            done = subprocess.run(
                ["git", *argv], cwd=self.worktree, env=env, capture_output=True, check=True
            )
        return done.stdout.decode().strip()
