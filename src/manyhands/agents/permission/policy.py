"""May this tool call run? A pure decision from the mode, the call and the bounds.

- `plan`: nothing may write but the agent's own plan and scratch files.
- `ask`: reading inside is free, all else is asked about.
- `edits`: file edits inside are free too.
- `auto`: every call inside is free.

In every mode a call that leaves the worktree is asked about; in `plan` one that writes is denied.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from manyhands.agents.permission import shell, tools
from manyhands.agents.permission.bounds import Bounds
from manyhands.agents.permission.rules import covers, guarded
from manyhands.model.agent.rules import Rule
from manyhands.model.events import Mode

PLAN_REFUSAL = (
    "This session is in plan mode: nothing may be changed. "
    "Finish the plan and propose it with ExitPlanMode."
)
SIDE_REFUSAL = "This is a side question: answer it from what you can read. Nothing may be changed."


@dataclass(frozen=True)
class Allow:
    rule: str = field(default="", compare=False)
    """The standing permission that it comes from, if from one."""


@dataclass(frozen=True)
class Deny:
    message: str


@dataclass(frozen=True)
class Ask:
    reason: str


Decision = Allow | Deny | Ask
STRICTER = (Allow, Ask, Deny)
Parts = Sequence[tuple[str, Mapping[str, Any]]]
"""Tools, each with its input: one call may come to several."""


def decide_all(mode: Mode, parts: Parts, bounds: Bounds, rules: Collection[Rule] = ()) -> Decision:
    """The strictest decision over all parts of a call."""
    found = [decide(mode, tool, input, bounds, rules) for tool, input in parts]
    return max(found, key=lambda decision: STRICTER.index(type(decision)))


def decide(
    mode: Mode, tool: str, input: Mapping[str, Any], bounds: Bounds, rules: Collection[Rule] = ()
) -> Decision:
    """`rules` are the standing permissions of session and repository together."""
    decision = _judge(mode, tool, input, bounds)
    if not isinstance(decision, Ask):
        return decision
    covering = (Allow(str(rule)) for rule in rules if covers(rule, tool, input, bounds))
    return next(covering, decision)


def _judge(mode: Mode, tool: str, input: Mapping[str, Any], bounds: Bounds) -> Decision:
    if tool in tools.READING:
        return _judge_reading(input, bounds)
    if tool in tools.WRITING:
        return _judge_writing(mode, tools.target(input), bounds)
    if tool in tools.SHELLS:
        return _judge_command(mode, str(input.get("command", "")), bounds)
    if tool in tools.HARMLESS and input.get("isolation") is None:
        return Allow()
    if tool in tools.WEB or tool.startswith("mcp__"):
        return Allow() if mode == "auto" else Ask("reaches beyond the worktree")
    return Deny(PLAN_REFUSAL) if mode == "plan" else Ask("a tool that we do not know")


def _judge_reading(input: Mapping[str, Any], bounds: Bounds) -> Decision:
    # A glob pattern may climb out of the directory that it starts in.
    pattern = str(input.get("pattern", "")) if "file_path" not in input else ""
    climbs = pattern.startswith(("/", "~")) or ".." in Path(pattern).parts
    glob = str(input.get("glob", ""))
    if (climbs and not bounds.readable(pattern)) or ".." in Path(glob).parts:
        return Ask("outside the worktree")
    return Allow() if bounds.readable(tools.target(input)) else Ask("outside the worktree")


def _judge_writing(mode: Mode, path: str, bounds: Bounds) -> Decision:
    if bounds.own(path):
        return Allow()
    if mode == "plan":
        return Deny(PLAN_REFUSAL)
    if not bounds.inside(path):
        return Ask("outside the worktree")
    if mode == "auto":
        return Allow()
    if parts := guarded(path, bounds):
        return Ask(f"changes {', '.join(sorted(parts))}")
    return Allow() if mode == "edits" else Ask("changes a file")


def _judge_command(mode: Mode, command: str, bounds: Bounds) -> Decision:
    read_only = shell.is_read_only(command)
    if mode == "plan" and not read_only:
        return Deny(PLAN_REFUSAL)
    if word := shell.leaves(command, bounds):
        return Ask(f"{word} is outside the worktree")
    return Allow() if read_only or mode == "auto" else Ask("runs a command")
