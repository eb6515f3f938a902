"""Every tool call of Claude Code passes here: judged by the policy, else put to a person.

The hook sees each call before the program's own rules do, sub-agents' calls included, and
answers at once. Only what it wants asked reaches `can_use_tool`, which may wait for ever.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from manyhands.agents.claude import sdk
from manyhands.agents.claude.cli import CLI_MODES
from manyhands.agents.claude.history import project_directory
from manyhands.agents.permission import tools
from manyhands.agents.permission.answers import denial, question_answers, refusal
from manyhands.agents.permission.bounds import Bounds
from manyhands.agents.permission.gate import Gate, question_item
from manyhands.agents.permission.guarantees import guarantees_of, own_places
from manyhands.agents.permission.policy import Allow, Ask, Decision, Deny
from manyhands.agents.permission.rules import offered
from manyhands.agents.protocol import Workplace
from manyhands.model import events as e
from manyhands.model.attention.attention import Attention, Resolution
from manyhands.model.wire import AgentSpec

OWN_FLOW = frozenset({"ExitPlanMode", "AskUserQuestion"})
REMEMBERED = 1000


@dataclass
class ClaudeGate(Gate):
    last_text: Callable[[], str]
    withdraws: Callable[[], bool]
    """Whether a cancelled question was taken back by the agent, rather than cut off by its end."""
    resumable: Callable[[], Awaitable[bool]]
    """Returns once the turn's message is on record: from then on an answer can come late."""
    _decided: dict[str, tuple[Decision, Bounds]] = field(default_factory=dict)
    """With where each call was to run: the same words do something else elsewhere."""
    _plan_file: Path | None = None

    async def hook(
        self, given: sdk.HookInput, call: str | None, context: sdk.HookContext
    ) -> sdk.HookJSONOutput:
        call_input: dict[str, Any] = dict(given)
        tool = str(call_input["tool_name"])
        if tool in OWN_FLOW:
            return {}
        here = self._here(str(call_input.get("cwd") or self.workplace.worktree))
        planning = call_input.get("permission_mode") == "plan"
        decision = await self._decide(tool, call_input["tool_input"], here, planning=planning)
        self._decided[call or ""] = decision, here
        if len(self._decided) > REMEMBERED:
            del self._decided[next(iter(self._decided))]
        self.audit(call or "", tool, call_input["tool_input"], decision)
        if self.host.held and isinstance(decision, Allow):
            return _permission("ask", "held back")
        return _hook_output(decision)

    def _here(self, cwd: str) -> Bounds:
        return replace(self.bounds, cwd=Path(cwd))

    async def _decide(
        self, tool: str, input: dict[str, Any], bounds: Bounds, *, planning: bool = False
    ) -> Decision:
        if tool in tools.WRITING and bounds.is_plan(tools.target(input)):
            self._plan_file = bounds.real(tools.target(input))
        mode = "plan" if planning else self.mode
        return await self.judge(tool, _absolute(tool, input, bounds), [(tool, input)], bounds, mode)

    def entered(self, cli_mode: str) -> None:
        """The program changed its own mode; only plan mode can be entered that way."""
        if cli_mode == "plan" and self.mode != "plan":
            self.enter_mode("plan")

    async def can_use_tool(
        self, tool: str, input: dict[str, Any], context: sdk.ToolPermissionContext
    ) -> sdk.PermissionResult:
        if tool == "ExitPlanMode":
            return await self._propose_plan(input)
        if tool == "AskUserQuestion":
            return await self._put_questions(input)
        await self.host.cleared()
        here = self._here(str(self.workplace.worktree))
        known = self._decided.pop(context.tool_use_id or "", None)
        decision, here = known or (await self._decide(tool, input, here), here)
        match decision:
            case Allow():
                return sdk.PermissionResultAllow()
            case Deny(message):
                return sdk.PermissionResultDeny(message=message)
            case Ask(reason):
                return await self._put(tool, input, reason, here)

    async def _put(
        self, tool: str, input: dict[str, Any], reason: str, here: Bounds
    ) -> sdk.PermissionResult:
        rules = offered(tool, input, here)
        answer = await self.request(tool, _absolute(tool, input, here), reason, rules)
        if not answer.option.startswith("allow"):
            return sdk.PermissionResultDeny(message=denial(answer.text))
        return sdk.PermissionResultAllow()

    async def _propose_plan(self, input: dict[str, Any]) -> sdk.PermissionResult:
        plan = str(input.get("plan") or "") or self._load_plan(input) or self.last_text()
        answer, mode = await self.propose(plan)
        if mode is None:
            return sdk.PermissionResultDeny(message=refusal(answer))
        self.enter_mode(mode)
        wanted = cli_mode(mode)
        update = sdk.PermissionUpdate(type="setMode", mode=wanted, destination="session")
        return sdk.PermissionResultAllow(updated_permissions=[update])

    def _load_plan(self, input: dict[str, Any]) -> str:
        """The plan as the agent wrote it down, if it did."""
        path = Path(str(input["planFilePath"])) if input.get("planFilePath") else self._plan_file
        try:
            return path.read_text("utf-8", "replace") if path else ""
        except OSError:
            return ""

    async def _put_questions(self, input: dict[str, Any]) -> sdk.PermissionResult:
        questions = list(input.get("questions", []))
        answer = await self.ask(question_item(self.workplace, questions))
        answers = question_answers(questions, answer)
        return sdk.PermissionResultAllow(updated_input={**input, "answers": answers})

    async def ask(self, item: Attention) -> Resolution:
        try:
            await self.resumable()
            return await self.host.ask(item)
        except asyncio.CancelledError:
            if self.withdraws():
                self.take_back(item)
            raise


def cli_mode(mode: e.Mode) -> sdk.PermissionMode:
    return CLI_MODES[mode]  # type: ignore[return-value]


def _hook_output(decision: Decision) -> sdk.HookJSONOutput:
    match decision:
        case Allow():
            return _permission("allow", "")
        case Deny(message):
            return _permission("deny", message)
        case Ask(reason):
            return _permission("ask", reason)


def _permission(verdict: Any, reason: str) -> sdk.HookJSONOutput:
    return {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": verdict,
            "permissionDecisionReason": reason,
        }
    }


def _absolute(tool: str, input: dict[str, Any], bounds: Bounds) -> dict[str, Any]:
    """The program names files now by relative, now by absolute paths: the same call either way."""
    if tool not in tools.WRITING | tools.READING:
        return input
    return {k: str(bounds.real(v)) if k in tools.PATHS and v else v for k, v in input.items()}


NOTES = ("skills", "plugins", "commands", "agents", "CLAUDE.md")


def bounds_of(spec: AgentSpec, workplace: Workplace, config: Path) -> Bounds:
    worktree = workplace.worktree.resolve()
    scratch = spec.env.get("CLAUDE_CODE_TMPDIR")
    given = (workplace.attachments,) if workplace.attachments else ()
    return Bounds(
        worktree=worktree,
        cwd=worktree,
        home=Path(spec.env.get("HOME", "/")),
        scratch=(*([Path(scratch)] if scratch else ()), *own_places(workplace.box)),
        plans=(config / "plans",),
        notes=(project_directory(config, worktree), *(config / name for name in NOTES), *given),
        box=guarantees_of(workplace.box),
    )
