"""Everything that an ACP agent asks of us: judged by the policy, else put to a person.

The protocol has no words for a denial. So they are kept, and said as the next message as soon
as the agent has ended its turn, which it does when something is denied.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from acp.schema import PermissionOption, RequestPermissionRequest

from manyhands.agents.acp import forms
from manyhands.agents.acp.calls import Call
from manyhands.agents.acp.judgement import judge, judge_beside, rules_of
from manyhands.agents.acp.quirks import Quirks
from manyhands.agents.acp.stream import Stream
from manyhands.agents.answers import MODE_AFTER, denial, refusal
from manyhands.agents.audit import audited
from manyhands.agents.bounds import Bounds
from manyhands.agents.claude_items import permission_item, plan_item, question_item
from manyhands.agents.permits import Permits
from manyhands.agents.policy import Allow, Ask, Decision, Deny
from manyhands.agents.protocol import Host, Workplace
from manyhands.agents.rules import chosen
from manyhands.model.attention import Attention, Resolution
from manyhands.model.events import AnswerDelivered, AttentionResolved, Mode, ModeChanged

TAKEN_BACK = Resolution(text="taken back by the agent", by="agent")
PLAN_REFUSAL = "This session is in plan mode: nothing may be changed. Go on with the plan."
T = TypeVar("T")
CANCELLED = {"outcome": {"outcome": "cancelled"}}


@dataclass
class Gate:
    host: Host
    workplace: Workplace
    bounds: Bounds
    permits: Permits
    mode: Mode
    quirks: Quirks
    stream: Stream
    tasks: asyncio.TaskGroup
    enter: Callable[[Mode], Awaitable[None]]
    """Sets the agent's own options for a mode."""
    words: list[str] = field(default_factory=list)
    """What is still to be said about what was denied."""
    _waiting: set[asyncio.Task[Any]] = field(default_factory=set)

    def withdraw(self) -> None:
        """The turn is called off: nobody waits for an answer any more."""
        self.words.clear()
        for task in self._waiting:
            task.cancel()

    async def permission(self, request: RequestPermissionRequest) -> dict[str, Any]:
        self.stream.flush()
        call = self.stream.calls.add(request.tool_call)
        if call.kind == "switch_mode":
            self.stream.calls.drop(call)
            return await self._propose_plan(call, request.options)
        self.stream.tell_call(call, asked=True)
        if await self._awaited(self._cleared()) is None:
            return CANCELLED
        return await self._settle(call, request.options)

    async def _settle(self, call: Call, options: Sequence[PermissionOption]) -> dict[str, Any]:
        decision = self._decide(call)
        for told in audited(call.id, call.tool, call.input, decision, self.mode):
            self.host.emit(told)
        match decision:
            case Allow():
                return _choose(options, "allow_once")
            case Deny(message):
                self.words.append(PLAN_REFUSAL if self.workplace.writes else message)
                return _choose(options, "reject_once")
            case Ask(reason):
                return await self._request(call, options, reason)

    def _decide(self, call: Call) -> Decision:
        if self.permits.take(call.tool, call.input):
            return Allow("allowed once")
        if not self.workplace.writes:
            return judge_beside(call, self.bounds)
        return judge(self.mode, call, self.bounds, self.permits.rules)

    async def _request(
        self, call: Call, options: Sequence[PermissionOption], reason: str
    ) -> dict[str, Any]:
        rules = rules_of(call, self.bounds)
        item = permission_item(self.workplace, call.tool, call.input, reason, rules)
        answer = await self._ask(item)
        if answer is None:
            return CANCELLED
        if not answer.option.startswith("allow"):
            if answer.text:
                self.words.append(denial(answer.text))
            return _choose(options, "reject_once")
        # The hub makes it last; here it must hold before the next call of this very turn.
        if rule := chosen(item, answer):
            self.permits.session.add(rule)
        return _choose(options, "allow_once")

    async def _propose_plan(
        self, call: Call, options: Sequence[PermissionOption]
    ) -> dict[str, Any]:
        if not self.workplace.writes:
            return _choose(options, "reject_once")
        plan = str(call.raw.get("plan") or "") or call.said or self.stream.last_text
        answer = await self._ask(plan_item(self.workplace, plan))
        if answer is None:
            return CANCELLED
        mode = MODE_AFTER.get(answer.option)
        if mode is None:
            self.words.append(refusal(answer))
            return _choose(options, "reject_once")
        # Before the answer: the agent goes on at once.
        await self.enter(mode)
        self.mode = mode
        self.host.emit(ModeChanged(mode=mode))
        if answer.text:
            self.words.append(answer.text)
        return _choose(options, "allow_once", self.quirks.approvals.get(mode, ""))

    async def form(self, params: dict[str, Any]) -> dict[str, Any]:
        """An elicitation: a form of questions."""
        self.stream.flush()
        found = forms.fields(str(params.get("message", "")), params.get("requestedSchema") or {})
        if params.get("mode", "form") != "form" or not found:
            return {"action": "decline"}
        answer = await self._ask(question_item(self.workplace, forms.questions(found)))
        if answer is None:
            return {"action": "cancel"}
        return {"action": "accept", "content": forms.filled(found, answer)}

    async def _ask(self, item: Attention) -> Resolution | None:
        """The person's decision; None where the turn was called off meanwhile."""
        answer = await self._awaited(self.host.ask(item))
        if answer is None:
            self.host.emit(AttentionResolved(item=item.id, resolution=TAKEN_BACK))
            self.host.emit(AnswerDelivered(item=item.id))
        return answer

    async def _cleared(self) -> bool:
        await self.host.cleared()
        return True

    async def _awaited(self, wait: Coroutine[Any, Any, T]) -> T | None:
        """What may take for ever; None where the turn was called off meanwhile."""
        task = self.tasks.create_task(wait)
        self._waiting.add(task)
        try:
            return await task
        except asyncio.CancelledError:
            # Cancelled with its agent, whose death leaves the item open for a late answer.
            if _is_cancelled():
                raise
            return None
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
