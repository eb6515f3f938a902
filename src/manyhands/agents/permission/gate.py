"""Before a tool call runs: judged by the policy, else put to a person.

How an agent asks, and how it is told the answer, is each kind's own affair.
"""

from __future__ import annotations

import asyncio
import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from manyhands.agents.permission import policy, tools
from manyhands.agents.permission.answers import MODE_AFTER, chosen
from manyhands.agents.permission.bounds import Bounds
from manyhands.agents.permission.permits import Permits
from manyhands.agents.permission.policy import Allow, Ask, Decision, Deny
from manyhands.agents.protocol import Host, Workplace
from manyhands.model import events as e
from manyhands.model.agent.rules import Rule
from manyhands.model.attention.attention import (
    PERMISSION_OPTIONS,
    PLAN_OPTIONS,
    Attention,
    Kind,
    Option,
    Resolution,
    question_options,
)
from manyhands.model.clock import now
from manyhands.model.ids import AttentionId, fresh_id

LONG = 4000
LONGEST_SUMMARY = 400
LONGEST_REASON = 200
LONGEST_SUBJECT = 1000
TAKEN_BACK = Resolution(text="taken back by the agent", by="agent")


@dataclass
class Gate(ABC):
    host: Host
    workplace: Workplace
    bounds: Bounds
    permits: Permits
    mode: e.Mode

    @abstractmethod
    async def ask(self, item: Attention) -> Resolution:
        """The person's decision, whenever it comes."""

    async def judge(
        self, tool: str, input: Mapping[str, Any], parts: policy.Parts, here: Bounds, mode: e.Mode
    ) -> Decision:
        """`parts` are what the call does, in the policy's terms."""
        if self.permits.take(tool, input):
            return Allow("allowed once")
        if self.workplace.writes:
            return await _decided(mode, parts, here, self.permits.rules)
        # A side question changes nothing and bothers nobody.
        decision = await _decided("plan", parts, here, ())
        return decision if isinstance(decision, Allow) else Deny(policy.SIDE_REFUSAL)

    def audit(self, call: str, tool: str, input: Mapping[str, Any], decision: Decision) -> None:
        """Free reading is no decision of anybody's, and what is asked is told when answered."""
        if tool in tools.READING | tools.HARMLESS or isinstance(decision, Ask):
            return
        rule = decision.rule if isinstance(decision, Allow) else ""
        is_boxed = isinstance(decision, Allow) and decision.boxed
        self.host.emit(
            e.PermissionDecided(
                call=call,
                tool=tool,
                what=tools.subject(input)[:LONGEST_SUBJECT],
                decision="allow" if isinstance(decision, Allow) else "deny",
                by="rule" if rule else "mode",
                rule=rule or f"mode {self.mode}{', in its box' if is_boxed else ''}",
            )
        )

    async def request(
        self, tool: str, input: dict[str, Any], reason: str, rules: Sequence[Rule]
    ) -> Resolution:
        """`rules` are the standing permissions that can be made of the call."""
        item = permission_item(self.workplace, tool, input, reason, rules)
        answer = await self.ask(item)
        # The hub makes it last; here it must hold before the next call of this very turn.
        if rule := chosen(item, answer):
            self.permits.session.add(rule)
        return answer

    async def propose(self, plan: str) -> tuple[Resolution, e.Mode | None]:
        """The answer, and the mode to go on in where it approves the plan."""
        answer = await self.ask(plan_item(self.workplace, plan))
        return answer, MODE_AFTER.get(answer.option)

    def enter_mode(self, mode: e.Mode) -> None:
        self.mode = mode
        self.host.emit(e.ModeChanged(mode=mode))

    def take_back(self, item: Attention) -> None:
        self.host.emit(e.AttentionResolved(item=item.id, resolution=TAKEN_BACK))
        self.host.emit(e.AnswerDelivered(item=item.id))


async def _decided(
    mode: e.Mode, parts: policy.Parts, here: Bounds, rules: Collection[Rule]
) -> Decision:
    """Beside the event loop where a long command is to be read: others must not wait for it."""
    if sum(len(tools.subject(input)) for _, input in parts) > LONG:
        return await asyncio.to_thread(policy.decide_all, mode, parts, here, rules)
    return policy.decide_all(mode, parts, here, rules)


def permission_item(
    workplace: Workplace,
    tool: str,
    input: dict[str, Any],
    reason: str,
    rules: Sequence[Rule] = (),
) -> Attention:
    offered = [{"tool": r.tool, "command": r.command, "kind": r.kind} for r in rules]
    detail = {"tool": tool, "input": input, "reason": reason, "rules": offered}
    summary = f"{tool}: {_subject(workplace.worktree, tool, input)}".removesuffix(": ")
    # What every command is asked for in this mode needs no words; why this one is asked does.
    why = "" if reason in policy.BY_MODE else f" ({_one_line(reason, LONGEST_REASON)})"
    short = _one_line(summary, LONGEST_SUMMARY - len(why))
    options = tuple(o for o in PERMISSION_OPTIONS if rules or not o.id.startswith("allow-"))
    return _item(workplace, "permission", short + why, detail, options)


def plan_item(workplace: Workplace, plan: str) -> Attention:
    steps = len(re.findall(r"^ {0,3}\d+[.)]\s", plan, re.MULTILINE))
    steps = steps or len(re.findall(r"^[-*+]\s", plan, re.MULTILINE))
    summary = f"Plan, {steps} step{'s' if steps != 1 else ''}" if steps else "Plan"
    return _item(workplace, "plan", summary, {"plan": plan}, PLAN_OPTIONS)


def question_item(workplace: Workplace, questions: list[dict[str, Any]]) -> Attention:
    summary = " ".join(str(question.get("question", "")) for question in questions)
    options = question_options(questions)
    return _item(workplace, "question", summary, {"questions": questions}, options)


def _subject(worktree: Path, tool: str, input: dict[str, Any]) -> str:
    if tool in tools.READING | tools.WRITING:
        path = Path(tools.target(input))
        top = worktree.resolve()
        return str(path.relative_to(top)) if path.is_relative_to(top) else str(path)
    return tools.first_of(input, tools.SUBJECTS)


def _item(
    workplace: Workplace,
    kind: Kind,
    summary: str,
    detail: dict[str, Any],
    options: tuple[Option, ...],
) -> Attention:
    return Attention(
        id=AttentionId(fresh_id()),
        session=workplace.session,
        conversation=workplace.conversation,
        kind=kind,
        summary=_one_line(summary),
        detail=detail,
        options=options,
        raised_at=now(),
    )


def _one_line(text: str, longest: int = LONGEST_SUMMARY) -> str:
    flat = "".join(c if c.isprintable() else " " for c in text).strip()
    return flat if len(flat) <= longest else flat[: longest - 1] + "…"
