"""A small coding agent that speaks the Agent Client Protocol: an example to start from.

It has a model behind any OpenAI-compatible address (MODEL_URL, MODEL_KEY), five tools, and asks
before each that changes something. It shows what a client can expect of an agent: streaming,
permission by option ids, a plan for approval, questions as forms, cancelling within a command,
options for mode, model and effort, a list of steps, commands, usage and cost, and sessions that
can be taken up again.

    [agents.small]
    kind = "acp"
    command = ["python3", "examples/small_agent.py"]
    env = { MODEL_URL = "http://127.0.0.1:9000/v1", MODEL_KEY = "…" }
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import threading
import urllib.error
import urllib.request
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import acp
from acp import helpers as say
from acp import schema as s

MODELS = ("rehearsal", "rehearsal-2")
MODES = ("build", "plan")
EFFORTS = ("low", "medium", "high")
USD_PER_TOKEN = (1e-6, 4e-6)
"""Input, output."""
CONTEXT = 200_000
ALLOW, ALWAYS, REJECT = "yes", "always", "no"
OPTIONS = [
    s.PermissionOption(option_id=ALLOW, name="Yes", kind="allow_once"),
    s.PermissionOption(option_id=ALWAYS, name="Yes, always", kind="allow_always"),
    s.PermissionOption(option_id=REJECT, name="No", kind="reject_once"),
]
PLAN_OPTIONS = [
    s.PermissionOption(option_id="carry-out", name="Carry it out", kind="allow_once"),
    s.PermissionOption(option_id="think-again", name="Think again", kind="reject_once"),
]


def tool(name: str, about: str, **properties: Any) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    function = {"name": name, "description": about, "parameters": parameters}
    return {"type": "function", "function": function}


TEXT = {"type": "string"}
TOOLS = [
    tool("write", "Write a file.", path=TEXT, content=TEXT),
    tool("run", "Run a shell command.", command=TEXT),
    tool("ask", "Ask the user.", question=TEXT, options={"type": "array", "items": TEXT}),
    tool("propose_plan", "Propose a plan, in plan mode.", plan=TEXT),
    tool("list_steps", "Keep a list of steps.", steps={"type": "array", "items": {}}),
]
COMMANDS = [s.AvailableCommand(name="review", description="Look over what was changed.")]


class Refused(Exception):
    """The user said no: the turn is over."""


@dataclass
class Session:
    id: str
    cwd: Path
    model: str = MODELS[0]
    mode: str = MODES[0]
    effort: str = EFFORTS[1]
    messages: list[dict[str, Any]] = field(default_factory=list)
    tokens_in: int = 0
    tokens_out: int = 0
    turn: asyncio.Task[str] | None = None

    @property
    def cost(self) -> float:
        return self.tokens_in * USD_PER_TOKEN[0] + self.tokens_out * USD_PER_TOKEN[1]

    def path(self) -> Path:
        top = os.environ.get("SMALL_AGENT_HOME") or Path.home() / ".small-agent"
        return Path(top) / f"{self.id}.json"

    def save(self) -> None:
        names = ("model", "mode", "effort", "messages", "tokens_in", "tokens_out")
        self.path().parent.mkdir(parents=True, exist_ok=True)
        whole = json.dumps({name: getattr(self, name) for name in names})
        fresh = self.path().with_suffix(".new")
        fresh.write_text(whole)
        fresh.replace(self.path())

    def load(self) -> None:
        try:
            known = json.loads(self.path().read_text())
        except FileNotFoundError:
            raise acp.RequestError.resource_not_found(self.id) from None
        for name, value in known.items():
            setattr(self, name, value)

    def options(self) -> list[s.SessionConfigOptionSelect | s.SessionConfigOptionBoolean]:
        return [
            _select("model", "Model", self.model, MODELS),
            _select("mode", "Mode", self.mode, MODES),
            _select("effort", "Effort", self.effort, EFFORTS, "thought_level"),
        ]


def _select(
    id: str, name: str, current: str, values: tuple[str, ...], kind: str = ""
) -> s.SessionConfigOptionSelect:
    options = [s.SessionConfigSelectOption(value=value, name=value) for value in values]
    category: Any = kind or id
    return s.SessionConfigOptionSelect(
        id=id, name=name, category=category, type="select", current_value=current, options=options
    )


class SmallAgent:
    """Implements `acp.Agent`."""

    def __init__(self) -> None:
        self.client: Any = None
        self.sessions: dict[str, Session] = {}

    def on_connect(self, conn: Any) -> None:
        self.client = conn

    async def initialize(self, protocol_version: int, **_: Any) -> s.InitializeResponse:
        sessions = s.SessionCapabilities(resume=s.SessionResumeCapabilities())
        return s.InitializeResponse(
            protocol_version=acp.PROTOCOL_VERSION,
            agent_capabilities=s.AgentCapabilities(
                load_session=True,
                session_capabilities=sessions,
                prompt_capabilities=s.PromptCapabilities(embedded_context=True),
            ),
            agent_info=s.Implementation(name="small-agent", version="1.0.0"),
        )

    async def new_session(self, cwd: str, **_: Any) -> s.NewSessionResponse:
        if not os.environ.get("MODEL_KEY"):
            raise acp.RequestError.auth_required()
        session = Session(str(uuid.uuid4()), Path(cwd))
        self.sessions[session.id] = session
        await self.tell(session.id, say.update_available_commands(COMMANDS))
        return s.NewSessionResponse(session_id=session.id, config_options=session.options())

    async def resume_session(self, session_id: str, cwd: str, **_: Any) -> s.ResumeSessionResponse:
        session = Session(session_id, Path(cwd))
        session.load()
        self.sessions[session_id] = session
        return s.ResumeSessionResponse(config_options=session.options())

    async def load_session(self, cwd: str, session_id: str, **_: Any) -> s.LoadSessionResponse:
        answer = await self.resume_session(session_id, cwd)
        for message in self.sessions[session_id].messages:
            text = message.get("content") or ""
            if message["role"] == "user":
                await self.tell(session_id, say.update_user_message_text(text))
            elif message["role"] == "assistant" and text:
                await self.tell(session_id, say.update_agent_message_text(text))
        return s.LoadSessionResponse(config_options=answer.config_options)

    async def set_config_option(
        self, config_id: str, session_id: str, value: str | bool, **_: Any
    ) -> s.SetSessionConfigOptionResponse:
        session = self.sessions[session_id]
        setattr(session, config_id, value)
        return s.SetSessionConfigOptionResponse(config_options=session.options())

    async def cancel(self, session_id: str, **_: Any) -> None:
        if turn := self.sessions[session_id].turn:
            turn.cancel()

    async def prompt(self, session_id: str, prompt: list[Any], **_: Any) -> s.PromptResponse:
        session = self.sessions[session_id]
        text = "\n".join(map(words, prompt))
        session.messages.append({"role": "user", "content": text})
        session.turn = asyncio.create_task(self.play(session))
        try:
            stop: Any = await session.turn
        except asyncio.CancelledError:
            stop = "cancelled"
        finally:
            session.turn = None
            session.save()
        return s.PromptResponse(stop_reason=stop, usage=await self.count(session))

    async def count(self, session: Session) -> s.Usage:
        """Over the whole session, as the protocol wants it."""
        cost = s.Cost(amount=session.cost, currency="USD")
        used = s.UsageUpdate(
            session_update="usage_update", used=session.tokens_in, size=CONTEXT, cost=cost
        )
        await self.tell(session.id, used)
        total = session.tokens_in + session.tokens_out
        return s.Usage(
            input_tokens=session.tokens_in, output_tokens=session.tokens_out, total_tokens=total
        )

    async def tell(self, session_id: str, update: Any) -> None:
        await self.client.session_update(session_id=session_id, update=update)

    async def play(self, session: Session) -> str:
        """Model and tools in turn, until the model has nothing left to call."""
        while True:
            calls = await self.think(session)
            session.save()
            if not calls:
                return "end_turn"
            try:
                for call in calls:
                    await self.use(session, call)
            except Refused:
                return "end_turn"
            finally:
                _answer_all(session.messages, calls)

    async def think(self, session: Session) -> list[dict[str, Any]]:
        """One answer of the model, streamed; the calls that it wants."""
        text = ""
        answered = False
        calls: dict[int, dict[str, Any]] = {}
        async for chunk in stream_model(session):
            if usage := chunk.get("usage"):
                session.tokens_in += usage["prompt_tokens"]
                session.tokens_out += usage["completion_tokens"]
            for choice in chunk.get("choices") or ():
                answered = True
                delta = choice["delta"]
                if thought := delta.get("reasoning_content"):
                    await self.tell(session.id, say.update_agent_thought_text(thought))
                if piece := delta.get("content"):
                    text += piece
                    await self.tell(session.id, say.update_agent_message_text(piece))
                for part in delta.get("tool_calls") or ():
                    _join(calls, part)
        if not answered:
            raise acp.RequestError.internal_error({"details": "the model gave no answer"})
        message: dict[str, Any] = {"role": "assistant", "content": text or None}
        if calls:
            message["tool_calls"] = list(calls.values())
        session.messages.append(message)
        return list(calls.values())

    async def use(self, session: Session, call: dict[str, Any]) -> None:
        name = call["function"]["name"]
        given = json.loads(call["function"]["arguments"] or "{}")
        match name:
            case "write":
                output = await self.write(session, call["id"], given)
            case "run":
                output = await self.run(session, call["id"], str(given["command"]))
            case "ask":
                output = await self.ask(session, given)
            case "propose_plan":
                output = await self.propose(session, call["id"], str(given["plan"]))
            case "list_steps":
                output = await self.list_steps(session, given)
            case _:
                output = f"there is no tool {name}"
        session.messages.append({"role": "tool", "tool_call_id": call["id"], "content": output})

    async def write(self, session: Session, id: str, given: dict[str, Any]) -> str:
        path = session.cwd / str(given["path"])
        old = path.read_text() if path.exists() else None
        diff = say.tool_diff_content(str(path), str(given["content"]), old)
        await self.announce(session, id, f"Write {path.name}", "edit", given, content=[diff])
        await self.permit(session, id)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(str(given["content"]))
        return await self.done(session, id, "written")

    async def run(self, session: Session, id: str, command: str) -> str:
        await self.announce(session, id, command, "execute", {"command": command})
        await self.permit(session, id)
        child = await asyncio.create_subprocess_exec(
            *("/bin/sh", "-c", command),
            cwd=session.cwd,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            output, _ = await child.communicate()
        except asyncio.CancelledError:
            os.killpg(child.pid, signal.SIGKILL)
            raise
        return await self.done(session, id, output.decode(errors="replace"))

    async def ask(self, session: Session, given: dict[str, Any]) -> str:
        choices = [s.EnumOption(const=str(o), title=str(o)) for o in given.get("options") or ()]
        answer = s.ElicitationStringPropertySchema(
            type="string", title=str(given["question"]), one_of=choices or None
        )
        form = s.ElicitationSchema(properties={"answer": answer}, required=["answer"])
        mode = s.ElicitationFormSessionMode(session_id=session.id, requested_schema=form)
        got = await self.client.create_elicitation(message=str(given["question"]), mode=mode)
        if not isinstance(got, s.AcceptElicitationResponse):
            raise Refused
        return json.dumps(got.model_dump(mode="json")["content"])

    async def list_steps(self, session: Session, given: dict[str, Any]) -> str:
        entries = [say.plan_entry(str(one["step"]), status=one["status"]) for one in given["steps"]]
        await self.tell(session.id, say.update_plan(entries))
        return "listed"

    async def propose(self, session: Session, id: str, plan: str) -> str:
        call = s.ToolCallUpdate(
            tool_call_id=id,
            title="Carry out the plan?",
            kind="switch_mode",
            raw_input={"plan": plan},
        )
        chosen = await self.chosen(session, call, PLAN_OPTIONS)
        if chosen != "carry-out":
            raise Refused
        session.mode = "build"
        return "The user approved the plan: carry it out."

    async def announce(
        self, session: Session, id: str, title: str, kind: Any, given: Any, **more: Any
    ) -> None:
        started = say.start_tool_call(id, title, kind=kind, status="pending", raw_input=given)
        await self.tell(session.id, started.model_copy(update=more))

    async def permit(self, session: Session, id: str) -> None:
        """Every change is asked for, in every mode: what to allow is the client's to know."""
        chosen = await self.chosen(session, s.ToolCallUpdate(tool_call_id=id), OPTIONS)
        if chosen not in (ALLOW, ALWAYS):
            await self.tell(session.id, say.update_tool_call(id, status="failed"))
            raise Refused
        await self.tell(session.id, say.update_tool_call(id, status="in_progress"))

    async def chosen(self, session: Session, call: s.ToolCallUpdate, options: list[Any]) -> str:
        answer = await self.client.request_permission(
            session_id=session.id, tool_call=call, options=options
        )
        return str(getattr(answer.outcome, "option_id", ""))

    async def done(self, session: Session, id: str, output: str) -> str:
        content = [say.tool_content(say.text_block(output))]
        ended = say.update_tool_call(id, status="completed", content=content)
        await self.tell(session.id, ended)
        return output


def words(block: Any) -> str:
    """Text, and what is embedded as text; this agent takes no other content."""
    if isinstance(block, s.EmbeddedResourceContentBlock):
        return f"{block.resource.uri}:\n{getattr(block.resource, 'text', '')}"
    return block.text if isinstance(block, s.TextContentBlock) else ""


def _join(calls: dict[int, dict[str, Any]], part: dict[str, Any]) -> None:
    """A call comes in pieces: its name first, its arguments bit by bit."""
    empty = {"id": "", "type": "function", "function": {"name": "", "arguments": ""}}
    call = calls.setdefault(part["index"], empty)
    call["id"] = part.get("id") or call["id"]
    function = part.get("function") or {}
    call["function"]["name"] = function.get("name") or call["function"]["name"]
    call["function"]["arguments"] += function.get("arguments") or ""


def _answer_all(messages: list[dict[str, Any]], calls: list[dict[str, Any]]) -> None:
    """A model takes no dialogue in which a call has no answer."""
    answered = {message.get("tool_call_id") for message in messages}
    for call in calls:
        if call["id"] not in answered:
            refused = {"role": "tool", "tool_call_id": call["id"], "content": "not done"}
            messages.append(refused)


async def stream_model(session: Session) -> AsyncIterator[dict[str, Any]]:
    """The model's answer in pieces; the reading is a thread's, which nobody waits for."""
    pieces: asyncio.Queue[Any] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    def read() -> None:
        try:
            for piece in fetch_model(session):
                loop.call_soon_threadsafe(pieces.put_nowait, piece)
            loop.call_soon_threadsafe(pieces.put_nowait, None)
        except (OSError, ValueError) as error:
            loop.call_soon_threadsafe(pieces.put_nowait, error)

    threading.Thread(target=read, daemon=True).start()
    while (piece := await pieces.get()) is not None:
        if isinstance(piece, Exception):
            raise acp.RequestError.internal_error({"details": reason(piece)})
        yield piece


def fetch_model(session: Session) -> Any:
    body: dict[str, Any] = {"model": session.model, "messages": session.messages, "tools": TOOLS}
    body |= {"reasoning_effort": session.effort, "stream": True}
    body["stream_options"] = {"include_usage": True}
    request = urllib.request.Request(
        os.environ.get("MODEL_URL", "") + "/chat/completions",
        data=json.dumps(body).encode(),
        headers={
            "Content-Type": "application/json",
            "Authorization": f"Bearer {os.environ.get('MODEL_KEY', '')}",
        },
    )
    with urllib.request.urlopen(request) as answer:
        for line in answer:
            text = line.decode().strip()
            if text.startswith("data: ") and text != "data: [DONE]":
                yield json.loads(text.removeprefix("data: "))


def reason(error: Exception) -> str:
    if not isinstance(error, urllib.error.HTTPError):
        return f"the model's answer cannot be read: {error}"
    try:
        said = json.loads(error.read())["error"]["message"]
    except (OSError, ValueError, KeyError, TypeError):
        said = error.reason
    return f"the model answered {error.code}: {said}"


if __name__ == "__main__":
    asyncio.run(acp.run_agent(SmallAgent(), use_unstable_protocol=True))  # type: ignore[arg-type]
