"""What a person is shown when Claude Code needs a decision."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from manyhands.agents import policy
from manyhands.agents.protocol import Workplace
from manyhands.model.attention import (
    PERMISSION_OPTIONS,
    PLAN_OPTIONS,
    Attention,
    Kind,
    Option,
    question_options,
)
from manyhands.model.clock import now
from manyhands.model.ids import AttentionId, fresh_id
from manyhands.model.rules import Rule

LONGEST_SUMMARY = 160


def permission_item(
    workplace: Workplace,
    tool: str,
    input: dict[str, Any],
    reason: str,
    rules: Sequence[Rule] = (),
) -> Attention:
    """`rules` are the standing permissions that can be made of it."""
    offered = [{"tool": r.tool, "command": r.command, "kind": r.kind} for r in rules]
    detail = {"tool": tool, "input": input, "reason": reason, "rules": offered}
    summary = f"{tool}: {_subject(workplace.worktree, tool, input)}".removesuffix(": ")
    if reason == "outside the worktree":
        summary += f" ({reason})"
    return _item(workplace, "permission", summary, detail, PERMISSION_OPTIONS)


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
    if tool in policy.READING | policy.WRITING:
        path = Path(policy.target(input))
        top = worktree.resolve()
        return str(path.relative_to(top)) if path.is_relative_to(top) else str(path)
    for key in ("command", "url", "query", "skill", "description"):
        if value := input.get(key):
            return str(value)
    return ""


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


def _one_line(text: str) -> str:
    flat = "".join(c if c.isprintable() else " " for c in text).strip()
    return flat if len(flat) <= LONGEST_SUMMARY else flat[: LONGEST_SUMMARY - 1] + "…"
