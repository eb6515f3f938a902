"""Every tool call of Claude Code passes here: judged by the policy, else put to a person.

The hook sees each call before the program's own rules do, sub-agents' calls included, and
answers at once. Only what it wants asked reaches `can_use_tool`, which may wait for ever.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from claude_agent_sdk import (
    HookContext,
    HookInput,
    HookJSONOutput,
    PermissionResult,
    PermissionResultAllow,
    PermissionResultDeny,
    PermissionUpdate,
    ToolPermissionContext,
)

from manyhands.agents import policy
from manyhands.agents.answers import MODE_AFTER, denial, question_answers, refusal
from manyhands.agents.audit import audited
from manyhands.agents.bounds import Bounds
from manyhands.agents.claude_items import permission_item, plan_item, question_item
from manyhands.agents.permits import Permits
from manyhands.agents.policy import Allow, Ask, Decision, Deny
from manyhands.agents.protocol import Host, Workplace
from manyhands.agents.rules import chosen, offered
from manyhands.model.attention import Attention, Resolution
from manyhands.model.events import (
    AnswerDelivered,
    AttentionResolved,
    Mode,
    ModeChanged,
)

OWN_FLOW = frozenset({"ExitPlanMode", "AskUserQuestion"})
REMEMBERED = 1000


@dataclass
class Gate:
    host: Host
    workplace: Workplace
    bounds: Bounds
    permits: Permits
    mode: Mode
    set_cli_mode: Callable[[Mode], PermissionUpdate]
    last_text: Callable[[], str]
    withdraws: Callable[[], bool]
    """Whether a cancelled question was taken back by the agent, rather than cut off by its end."""
    resumable: Callable[[], Awaitable[bool]]
    """Returns once the conversation is on record: from then on an answer can come late."""

    def __post_init__(self) -> None:
        self._decided: dict[str, Decision] = {}
        self._plan_file: Path | None = None

    async def hook(
        self, given: HookInput, call: str | None, context: HookContext
    ) -> HookJSONOutput:
        call_input: dict[str, Any] = dict(given)
        tool = str(call_input["tool_name"])
        if tool in OWN_FLOW:
            return {}
        decision = self._decide(
            tool,
            call_input["tool_input"],
            str(call_input.get("cwd") or self.workplace.worktree),
            planning=call_input.get("permission_mode") == "plan",
        )
        self._remember(call or "", decision)
        for told in audited(call or "", tool, call_input["tool_input"], decision, self.mode):
            self.host.emit(told)
        if self.host.held and isinstance(decision, Allow):
            return _permission("ask", "held back")
        return _hook_output(decision)

    def _decide(
        self, tool: str, input: dict[str, Any], cwd: str, *, planning: bool = False
    ) -> Decision:
        bounds = replace(self.bounds, cwd=Path(cwd))
        if tool in policy.WRITING and bounds.is_plan(policy.target(input)):
            self._plan_file = bounds.real(policy.target(input))
        if self.permits.take(tool, _absolute(tool, input, bounds)):
            return Allow("allowed once")
        if not self.workplace.writes:
            return self._decide_beside(tool, input, bounds)
        mode = "plan" if planning else self.mode
        return policy.decide(mode, tool, input, bounds, self.permits.rules)

    def _decide_beside(self, tool: str, input: dict[str, Any], bounds: Bounds) -> Decision:
        """A side question changes nothing and bothers nobody."""
        decision = policy.decide("plan", tool, input, bounds)
        return decision if isinstance(decision, Allow) else Deny(policy.SIDE_REFUSAL)

    def _remember(self, call: str, decision: Decision) -> None:
        self._decided[call] = decision
        if len(self._decided) > REMEMBERED:
            del self._decided[next(iter(self._decided))]

    def entered(self, cli_mode: str) -> None:
        """The program changed its own mode; only plan mode can be entered that way."""
        if cli_mode == "plan" and self.mode != "plan":
            self.mode = "plan"
            self.host.emit(ModeChanged(mode="plan"))

    async def can_use_tool(
        self, tool: str, input: dict[str, Any], context: ToolPermissionContext
    ) -> PermissionResult:
        if tool == "ExitPlanMode":
            return await self._propose_plan(input)
        if tool == "AskUserQuestion":
            return await self._put_questions(input)
        await self.host.cleared()
        decision = self._decided.pop(context.tool_use_id or "", None)
        if decision is None:
            decision = self._decide(tool, input, str(self.workplace.worktree))
        match decision:
            case Allow():
                return PermissionResultAllow()
            case Deny(message):
                return PermissionResultDeny(message=message)
            case Ask(reason):
                return await self._request(tool, input, reason)

    async def _request(self, tool: str, input: dict[str, Any], reason: str) -> PermissionResult:
        given = _absolute(tool, input, self.bounds)
        rules = offered(tool, input, self.bounds)
        item = permission_item(self.workplace, tool, given, reason, rules)
        answer = await self._ask(item)
        if not answer.option.startswith("allow"):
            return PermissionResultDeny(message=denial(answer.text))
        # The hub makes it last; here it must hold before the next call of this very turn.
        if rule := chosen(item, answer):
            self.permits.session.add(rule)
        return PermissionResultAllow()

    async def _propose_plan(self, input: dict[str, Any]) -> PermissionResult:
        plan = str(input.get("plan") or "") or self._load_plan(input) or self.last_text()
        answer = await self._ask(plan_item(self.workplace, plan))
        mode = MODE_AFTER.get(answer.option)
        if mode is None:
            return PermissionResultDeny(message=refusal(answer))
        self.mode = mode
        self.host.emit(ModeChanged(mode=mode))
        return PermissionResultAllow(updated_permissions=[self.set_cli_mode(mode)])

    def _load_plan(self, input: dict[str, Any]) -> str:
        """The plan as the agent wrote it down, if it did."""
        path = Path(str(input["planFilePath"])) if input.get("planFilePath") else self._plan_file
        try:
            return path.read_text("utf-8", "replace") if path else ""
        except OSError:
            return ""

    async def _put_questions(self, input: dict[str, Any]) -> PermissionResult:
        questions = list(input.get("questions", []))
        answer = await self._ask(question_item(self.workplace, questions))
        answers = question_answers(questions, answer)
        return PermissionResultAllow(updated_input={**input, "answers": answers})

    async def _ask(self, item: Attention) -> Resolution:
        try:
            await self.resumable()
            return await self.host.ask(item)
        except asyncio.CancelledError:
            if self.withdraws():
                taken_back = Resolution(text="taken back by the agent", by="agent")
                self.host.emit(AttentionResolved(item=item.id, resolution=taken_back))
                self.host.emit(AnswerDelivered(item=item.id))
            raise


def _hook_output(decision: Decision) -> HookJSONOutput:
    match decision:
        case Allow():
            return _permission("allow", "")
        case Deny(message):
            return _permission("deny", message)
        case Ask(reason):
            return _permission("ask", reason)


def _permission(verdict: Any, reason: str) -> HookJSONOutput:
    return {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": verdict,
            "permissionDecisionReason": reason,
        }
    }


def _absolute(tool: str, input: dict[str, Any], bounds: Bounds) -> dict[str, Any]:
    """The program names files now by relative, now by absolute paths: the same call either way."""
    if tool not in policy.WRITING | policy.READING:
        return input
    keys = ("file_path", "notebook_path", "path")
    return {k: str(bounds.real(v)) if k in keys and v else v for k, v in input.items()}
