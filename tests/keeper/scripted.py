"""A small real agent: a process that lives and dies, and a script in every message.

A message is a JSON list of steps, done in order:
``{"say": text}`` · ``{"stream": [part, …]}`` · ``{"write": [path, text]}`` · ``{"ask": kind}``
(its answer is said) · ``{"wait": true}`` (until interrupted or steered) · ``{"leave": seconds}``
(a process of the session that nobody waits for) · ``{"reach": [host, …]}`` (whether each may be
reached is said) · ``{"fail": text}``.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from manyhands.agents.capabilities import CLAUDE
from manyhands.agents.protocol import Recalled
from manyhands.box.network.hosts import require_target
from manyhands.errors import AgentFailed
from manyhands.keeper import checkpoint
from manyhands.keeper.host import KeeperHost
from manyhands.keeper.keeper import run_keeper
from manyhands.keeper.network import HostGate
from manyhands.keeper.watch import watcher
from manyhands.model import events as e
from manyhands.model.agent.conversation import Heard
from manyhands.model.attention.attention import PERMISSION_OPTIONS, Attention
from manyhands.model.ids import AgentSessionId, AttentionId, MessageId, SessionId, fresh_id
from manyhands.model.live import TextDelta
from manyhands.model.wire import KeeperSpec, Say
from manyhands.process.spawn import Child, spawn
from manyhands.process.stop import stop_child


def say(*steps: dict[str, Any], id: str = "m1") -> Say:
    """A message that tells the agent what to do, step by step."""
    return Say(message=MessageId(id), text=json.dumps(steps))


class ScriptedAgent:
    capabilities = CLAUDE

    def __init__(self, host: KeeperHost, tasks: asyncio.TaskGroup) -> None:
        self.host = host
        self.tasks = tasks
        self.env = {"MANYHANDS_SESSION": host.spec.session, "PATH": os.environ["PATH"]}
        self.gate = HostGate(host, tasks)
        self.child: Child | None = None
        self.turn: asyncio.Task[None] | None = None
        self.watch: asyncio.Task[None] | None = None
        self.steered = asyncio.Event()
        self.called_off = asyncio.Event()
        self.stopping = False
        self.interrupted = False

    async def recall(self, resume: AgentSessionId, told: Heard) -> Recalled:
        return Recalled()

    async def start(self, resume: AgentSessionId | None) -> None:
        if resume == "missing":
            raise AgentFailed("there is no dialogue called missing", hint="start a new session")
        self.mode = self.host.spec.mode
        self.model, self.effort = self.host.spec.agent.model, self.host.spec.agent.effort
        if resume in ("slow", "late"):
            self.host.emit(e.NoteMade(text="starting"))
            if resume == "slow":
                await self.called_off.wait()
                raise AgentFailed("called off while it started")
            # Until another mode is asked for, which nobody can be told who has not started.
            while self.host.spec.mode == self.mode:  # noqa: ASYNC110 - nothing tells of it
                await asyncio.sleep(0.01)
        self.child = await spawn(["sleep", "600"], cwd=Path("/"), env=self.env, tethered=True)
        self.watch = self.tasks.create_task(self._watch(self.child))
        name = resume or AgentSessionId(fresh_id())
        self.host.emit(
            e.AgentStarted(
                agent="scripted",
                agent_session=name,
                pid=self.child.pid,
                resumed=resume is not None,
                model=self.host.spec.agent.model,
            )
        )

    async def _watch(self, child: Child) -> None:
        code = await child.wait()
        if self.turn:
            self.turn.cancel()
        self.host.emit(e.AgentExited(returncode=code, expected=self.stopping))

    async def send(self, text: str, attachments: Sequence[e.Attachment] = ()) -> None:
        if self.turn and not self.turn.done():
            self.host.emit(e.AgentMessage(message=MessageId(fresh_id()), text=f"steered: {text}"))
            self.steered.set()
            return
        self.interrupted = False
        self.turn = self.tasks.create_task(self._run(text))

    async def _run(self, text: str) -> None:
        try:
            steps: list[dict[str, Any]] = json.loads(text)
        except ValueError:
            steps = [{"say": f"heard: {text}"}]
        try:
            for step in steps:
                for name, value in step.items():
                    await getattr(self, f"_{name}")(value)
        except asyncio.CancelledError:
            if not self.interrupted:
                raise
            self.host.emit(e.TurnFinished(outcome="interrupted"))
        except RuntimeError as error:
            self.host.emit(e.TurnFinished(outcome="failed", error=str(error)))
        else:
            self.host.emit(e.TurnFinished())

    async def _say(self, text: str) -> None:
        self.host.emit(e.AgentMessage(message=MessageId(fresh_id()), text=text))

    async def _stream(self, parts: list[str]) -> None:
        message, offset = MessageId(fresh_id()), 0
        for part in parts:
            frame = TextDelta(session=SessionId(""), message=message, offset=offset, text=part)
            self.host.live(frame)
            offset += len(part)

    async def _write(self, what: list[str]) -> None:
        (Path(self.host.spec.worktree) / what[0]).write_text(what[1], "utf-8")

    async def _many(self, count: int) -> None:
        for n in range(count):
            self.host.emit(e.AgentMessage(message=MessageId(f"m{n}"), text=f"number {n} " * 20))
            if n % 100 == 0:
                await asyncio.sleep(0)

    async def _ask(self, kind: str) -> None:
        item = Attention(
            id=AttentionId(fresh_id()),
            session=SessionId(""),
            kind=kind,  # type: ignore[arg-type]
            summary=f"may I ({kind})?",
            detail={"tool": "Bash", "input": {"command": "make"}},
            options=PERMISSION_OPTIONS,
            raised_at="",
        )
        answer = await self.host.ask(item)
        await self._say(f"answer: {answer.option} {answer.text}".strip())

    async def _reach(self, hosts: list[str]) -> None:
        """All at once, as programs in a box would; says what became of it."""
        calls = (self.gate.decide(require_target(host)) for host in hosts)
        for verdict in await asyncio.gather(*calls):
            await self._say("reached" if verdict.allowed else verdict.sentence)

    async def _reach_beside(self, host: str) -> None:
        """A call of something that runs on when the turn is over."""
        self.tasks.create_task(self._reach([host]))

    async def _wait(self, _: bool) -> None:
        self.steered.clear()
        await self.steered.wait()

    async def _mode(self, _: bool) -> None:
        await self._say(f"mode: {self.mode}")

    async def _worn(self, _: bool) -> None:
        await self._say(f"model {self.model or 'own'}, effort {self.effort or 'own'}")

    async def _orphan(self, _: bool) -> None:
        """A process whose parent is gone; says its pid."""
        command = ["sh", "-c", "setsid sleep 600 >/dev/null 2>&1 & echo $!"]
        shell = await spawn(command, cwd=Path("/"), env=self.env)
        line = await shell.output.line()
        await shell.wait()
        await self._say((line or b"").decode().strip())

    async def _grants(self, _: bool) -> None:
        said = [f"{grant.tool} {grant.input}" for grant in self.host.permits.grants]
        await self._say(f"grants: {', '.join(said)}")

    async def _wake(self, _: bool) -> None:
        """End this turn, and work on unasked in a next one."""
        self.host.emit(e.TurnFinished())
        self.host.emit(e.TurnStarted())
        await self._say("awake")

    async def _leave(self, seconds: float) -> None:
        await spawn(["sleep", str(seconds)], cwd=Path("/"), env=self.env)

    async def _fail(self, text: str) -> None:
        raise RuntimeError(text)

    async def interrupt(self) -> None:
        if self.turn and not self.turn.done():
            self.interrupted = True
            self.turn.cancel()

    async def set_mode(self, mode: e.Mode) -> None:
        self.mode = mode

    async def set_model(self, model: str) -> None:
        self.model = model

    async def set_effort(self, effort: str) -> None:
        self.effort = effort

    async def stop(self) -> None:
        self.stopping = True
        self.called_off.set()
        if self.child:
            await stop_child(self.child)
        if self.watch:
            await self.watch


if __name__ == "__main__":
    given = msgspec.json.decode(sys.argv[1].encode(), type=KeeperSpec)
    # A busy machine is no failure: what a keeper waits for only briefly, it waits for here.
    watcher.FLUSH_SECONDS = watcher.HEAR_SECONDS = checkpoint.WATCH_SECONDS = 60.0

    def ready() -> None:
        print("ready", flush=True)

    sys.exit(run_keeper(given, ready, ScriptedAgent))
