"""May this tool call run? A pure decision from the mode, the call and the bounds.

- `plan`: nothing may write but the agent's own plan and scratch files.
- `ask`: reading inside is free, all else is asked about.
- `edits`: file edits inside are free too.
- `auto`: every call inside is free.

In every mode a call that leaves the worktree is asked about; in `plan` one that writes is denied.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from manyhands.agents import shell
from manyhands.agents.bounds import Bounds
from manyhands.model.events import Mode
from manyhands.model.state import Rule

READING = frozenset({"Read", "Grep", "Glob", "LS", "NotebookRead", "LSP"})
WRITING = frozenset({"Write", "Edit", "MultiEdit", "NotebookEdit"})
SHELLS = frozenset({"Bash", "Monitor"})
WEB = frozenset({"WebFetch", "WebSearch"})
HARMLESS = frozenset(
    [
        "Agent",
        "AskUserQuestion",
        "BashOutput",
        "EnterPlanMode",
        "ExitPlanMode",
        "KillBash",
        "KillShell",
        "ListAgents",
        "ReportFindings",
        "SendMessage",
        "Skill",
        "Task",
        "TaskCreate",
        "TaskGet",
        "TaskList",
        "TaskOutput",
        "TaskStop",
        "TaskUpdate",
        "TodoRead",
        "TodoWrite",
        "ToolSearch",
    ]
)
"""They touch no file; what a sub-agent or skill does is judged call by call."""
GUARDED = frozenset({".git", ".claude", ".mcp.json"})
"""Inside the worktree, and yet a way to make the agent's own program run things."""

PLAN_REFUSAL = (
    "This session is in plan mode: nothing may be changed. "
    "Finish the plan and propose it with ExitPlanMode."
)


@dataclass(frozen=True)
class Allow:
    pass


@dataclass(frozen=True)
class Deny:
    message: str


@dataclass(frozen=True)
class Ask:
    reason: str


Decision = Allow | Deny | Ask


def decide(
    mode: Mode, tool: str, input: Mapping[str, Any], bounds: Bounds, rules: Collection[Rule] = ()
) -> Decision:
    """`rules` are the standing permissions of session and repository together."""
    decision = _judge(mode, tool, input, bounds)
    if isinstance(decision, Ask) and rule_for(tool, input, bounds) in rules:
        return Allow()
    return decision


def rule_for(tool: str, input: Mapping[str, Any], bounds: Bounds) -> Rule:
    """What exactly a standing permission for this call covers."""
    if tool in SHELLS:
        return Rule(tool, str(input.get("command", "")))
    if tool in READING | WRITING:
        path = target(input)
        return Rule(tool, "" if bounds.inside(path) else str(bounds.real(path)))
    if tool == "WebFetch":
        return Rule(tool, urlsplit(str(input.get("url", ""))).netloc)
    return Rule(tool)


def target(input: Mapping[str, Any]) -> str:
    """The path that a file tool names; the current directory where it names none."""
    for key in ("file_path", "notebook_path", "path"):
        if value := input.get(key):
            return str(value)
    return "."


def _judge(mode: Mode, tool: str, input: Mapping[str, Any], bounds: Bounds) -> Decision:
    if tool in READING:
        return _judge_reading(input, bounds)
    if tool in WRITING:
        return _judge_writing(mode, target(input), bounds)
    if tool in SHELLS:
        return _judge_command(mode, str(input.get("command", "")), bounds)
    if tool in HARMLESS and input.get("isolation") is None:
        return Allow()
    if tool in WEB or tool.startswith("mcp__"):
        return Allow() if mode == "auto" else Ask("reaches beyond the worktree")
    return Deny(PLAN_REFUSAL) if mode == "plan" else Ask("a tool that we do not know")


def _judge_reading(input: Mapping[str, Any], bounds: Bounds) -> Decision:
    # A glob pattern may climb out of the directory that it starts in.
    pattern = str(input.get("pattern", "")) if "file_path" not in input else ""
    climbs = pattern.startswith(("/", "~")) or ".." in Path(pattern).parts
    glob = str(input.get("glob", ""))
    if (climbs and not bounds.readable(pattern)) or ".." in Path(glob).parts:
        return Ask("outside the worktree")
    return Allow() if bounds.readable(target(input)) else Ask("outside the worktree")


def _judge_writing(mode: Mode, path: str, bounds: Bounds) -> Decision:
    if bounds.own(path):
        return Allow()
    if mode == "plan":
        return Deny(PLAN_REFUSAL)
    if not bounds.inside(path):
        return Ask("outside the worktree")
    if mode == "auto":
        return Allow()
    guarded = GUARDED & set(bounds.real(path).relative_to(bounds.worktree.resolve()).parts)
    if guarded:
        return Ask(f"changes {', '.join(sorted(guarded))}")
    return Allow() if mode == "edits" else Ask("changes a file")


def _judge_command(mode: Mode, command: str, bounds: Bounds) -> Decision:
    read_only = shell.is_read_only(command)
    if mode == "plan" and not read_only:
        return Deny(PLAN_REFUSAL)
    if word := shell.leaves(command, bounds):
        return Ask(f"{word} is outside the worktree")
    return Allow() if read_only or mode == "auto" else Ask("runs a command")
