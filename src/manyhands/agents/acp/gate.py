"""Everything that an ACP agent asks of us: judged by the policy, else put to a person.

The protocol has no words for a denial. So they are kept, and said as the next message as soon
as the agent has ended its turn, which it does when something is denied.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from acp.exceptions import RequestError
from acp.schema import PermissionOption, RequestPermissionRequest, SessionNotification
from pydantic import ValidationError

from manyhands.agents.acp import forms
from manyhands.agents.acp.calls import AcpCall
from manyhands.agents.acp.stream import AcpStream
from manyhands.agents.known import Quirks
from manyhands.agents.permission.answers import denial, refusal
from manyhands.agents.permission.bounds import Bounds
from manyhands.agents.permission.gate import Gate, question_item
from manyhands.agents.permission.guarantees import guarantees_of, own_places
from manyhands.agents.permission.policy import Allow, Ask, Deny
from manyhands.agents.permission.rules import offered
from manyhands.agents.protocol import Workplace
from manyhands.model.attention.attention import Attention, Resolution
from manyhands.model.events import Mode

PLAN_REFUSAL = "This session is in plan mode: nothing may be changed. Go on with the plan."
UNSAID = "the agent does not say what exactly it is"
T = TypeVar("T")
CANCELLED = {"outcome": {"outcome": "cancelled"}}

log = logging.getLogger(__name__)


class CalledOff(Exception):
    """The turn was stopped: nobody waits for an answer any more."""


@dataclass
class AcpGate(Gate):
    quirks: Quirks
    stream: AcpStream
    tasks: asyncio.TaskGroup
    enter: Callable[[Mode], Awaitable[None]]
    """Sets the agent's own options for a mode."""
    words: list[str] = field(default_factory=list)
    """What is still to be said about what was denied."""
    called_off: bool = False
    """Whether the turn was stopped: what an agent on its way to the stop still asks is moot."""
    _waiting: set[asyncio.Task[Any]] = field(default_factory=set)

    def withdraw(self) -> None:
        self.words.clear()
        self.called_off = True
        for task in self._waiting:
            task.cancel()

    async def handle(self, method: str, params: Any, is_notification: bool) -> Any:
        """Our end of the protocol: what an agent may ask of us and tell us.

        We offer neither files nor terminals: it works in its worktree itself, and the watcher sees
        what it did. Some ask for them all the same, and do it by themselves when they are refused.
        """
        match method:
            case "session/update":
                self._update(params)
                return None
            case "session/request_permission":
                return await self.permission(RequestPermissionRequest.model_validate(params))
            case "elicitation/create":
                return await self.form(params)
        if is_notification:
            return None  # a later protocol's, or the agent's own
        raise RequestError.method_not_found(method)

    def _update(self, params: Any) -> None:
        """One that we do not understand is one of a later protocol: the rest goes on."""
        try:
            found = SessionNotification.model_validate(params)
        except ValidationError:
            log.warning("an update is not understood: %.300s", params)
            return
        self.stream.take(found.update)

    async def permission(self, request: RequestPermissionRequest) -> dict[str, Any]:
        if self.called_off:
            return CANCELLED
        self.stream.flush()
        self.stream.silent = False
        call = self.stream.calls.begin(request.tool_call)
        try:
            if call.kind == "switch_mode":
                self.stream.calls.drop(call)
                return await self._propose_plan(call, request.options)
            self.stream.tell_call(call, asked=True)
            await self._awaited(self.host.cleared())
            return await self._settle(call, request.options)
        except CalledOff:
            return CANCELLED

    async def _settle(self, call: AcpCall, options: Sequence[PermissionOption]) -> dict[str, Any]:
        here = here_of(call, self.bounds)
        decision = await self.judge(call.tool, call.input, parts(call), here, self.mode)
        self.audit(call.id, call.tool, call.input, decision)
        match decision:
            case Allow():
                return _choose(options, "allow_once")
            case Deny(message):
                self.words.append(PLAN_REFUSAL if self.workplace.writes else message)
                return _choose(options, "reject_once")
            case Ask(reason):
                why = UNSAID if call.is_unsaid else reason
                return await self._put(call, options, why, here)

    async def _put(
        self, call: AcpCall, options: Sequence[PermissionOption], reason: str, here: Bounds
    ) -> dict[str, Any]:
        tool, input = parts(call)[0]
        # The same title may stand for something else the next time.
        rules = [] if call.is_unsaid else offered(tool, input, here)
        answer = await self.request(call.tool, call.input, reason, rules)
        if answer.option.startswith("allow"):
            return _choose(options, "allow_once")
        if answer.text:
            self.words.append(denial(answer.text))
        return _choose(options, "reject_once")

    async def _propose_plan(
        self, call: AcpCall, options: Sequence[PermissionOption]
    ) -> dict[str, Any]:
        if not self.workplace.writes:
            return _choose(options, "reject_once")
        plan = str(call.raw.get("plan") or "") or call.said or self.stream.last_text
        answer, mode = await self.propose(plan)
        if mode is None:
            self.words.append(refusal(answer))
            return _choose(options, "reject_once")
        # Before the answer: the agent goes on at once.
        await self.enter(mode)
        self.enter_mode(mode)
        if answer.text:
            self.words.append(answer.text)
        return _choose(options, "allow_once", self.quirks.approvals.get(mode, ""))

    async def form(self, params: dict[str, Any]) -> dict[str, Any]:
        """An elicitation: a form of questions."""
        if self.called_off:
            return {"action": "cancel"}
        self.stream.flush()
        self.stream.silent = False
        found = forms.fields(str(params.get("message", "")), params.get("requestedSchema") or {})
        if params.get("mode", "form") != "form" or not found:
            return {"action": "decline"}
        try:
            answer = await self.ask(question_item(self.workplace, forms.questions(found)))
        except CalledOff:
            return {"action": "cancel"}
        return {"action": "accept", "content": forms.filled(found, answer)}

    async def ask(self, item: Attention) -> Resolution:
        try:
            return await self._awaited(self.host.ask(item))
        except CalledOff:
            self.take_back(item)
            raise

    async def _awaited(self, wait: Coroutine[Any, Any, T]) -> T:
        """What may take for ever."""
        task = self.tasks.create_task(wait)
        self._waiting.add(task)
        try:
            return await task
        except asyncio.CancelledError:
            # Cancelled with its agent, whose death leaves the item open for a late answer.
            if _is_cancelled():
                raise
            raise CalledOff from None
        finally:
            self._waiting.discard(task)


def _is_cancelled() -> bool:
    """Whether it is this very task that was called off, not what it waits for."""
    current = asyncio.current_task()
    return current is not None and current.cancelling() > 0


def _choose(options: Sequence[PermissionOption], kind: str, id: str = "") -> dict[str, Any]:
    """By id where we know one, else the first of that kind: never one that allows for ever."""
    found = next((o for o in options if id and o.option_id == id), None)
    found = found or next((o for o in options if o.kind == kind), None)
    if found is None:
        return CANCELLED
    return {"outcome": {"outcome": "selected", "optionId": found.option_id}}


WRITING = ("edit", "delete", "move")
READING = ("read", "search")


def parts(call: AcpCall) -> list[tuple[str, dict[str, Any]]]:
    """A call in the policy's terms: every file that it names is judged."""
    if call.kind in WRITING:
        return [("Write", {"file_path": path}) for path in call.paths or ("/",)]
    if call.kind in READING:
        return [("Read", {"file_path": path}) for path in call.paths or (".",)]
    if call.is_unsaid:
        return [(f"acp:{call.kind}", {"description": call.title})]
    if call.kind == "execute":
        return [("Bash", {"command": call.command})]
    if call.kind == "fetch":
        return [("WebFetch", call.input)]
    # What is not said to be harmless is taken for something that we do not know.
    return [(f"acp:{call.kind or 'other'}", call.input)]


def here_of(call: AcpCall, bounds: Bounds) -> Bounds:
    cwd = call.raw.get("cwd")
    return replace(bounds, cwd=Path(str(cwd))) if cwd else bounds


def bounds_of(workplace: Workplace, env: Mapping[str, str]) -> Bounds:
    worktree = workplace.worktree.resolve()
    given = (workplace.attachments,) if workplace.attachments else ()
    home = Path(env.get("HOME", "/"))
    return Bounds(
        worktree=worktree,
        cwd=worktree,
        home=home,
        scratch=own_places(workplace.box),
        notes=given,
        box=guarantees_of(workplace.box),
    )
