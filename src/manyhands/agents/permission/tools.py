"""What the tools of Claude Code do, by name; other agents' calls are told in the same names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

READING = frozenset({"Read", "Grep", "Glob", "LS", "NotebookRead", "LSP"})
WRITING = frozenset({"Write", "Edit", "MultiEdit", "NotebookEdit"})
SHELLS = frozenset({"Bash", "Monitor"})
WEB = frozenset({"WebFetch", "WebSearch"})
NETWORK = "Network"
"""No agent's tool: what a box asks by when something in it wants to reach a host."""
HARMLESS = frozenset(
    [
        *("Agent", "AskUserQuestion", "BashOutput", "EnterPlanMode", "ExitPlanMode", "KillBash"),
        *("KillShell", "ListAgents", "ReportFindings", "SendMessage", "Skill", "Task"),
        *("TaskCreate", "TaskGet", "TaskList", "TaskOutput", "TaskStop", "TaskUpdate"),
        *("TodoRead", "TodoWrite", "ToolSearch"),
    ]
)
"""They touch no file; what a sub-agent or skill does is judged call by call."""
OURS = frozenset(
    [
        "StructuredOutput",
        *(
            f"mcp__manyhands__{name}"
            for name in (
                *("whoami", "list", "read", "diff", "wait", "new", "say", "stop", "take"),
                *("report_findings", "settle_finding", "propose_issues"),
            )
        ),
    ]
)
"""Ways to answer us: what they may do is decided where they arrive."""


PATHS = ("file_path", "notebook_path", "path")
SUBJECTS = ("command", "url", "query", "skill", "description")


def first_of(input: Mapping[str, Any], keys: Iterable[str]) -> str:
    return next((str(input[key]) for key in keys if input.get(key)), "")


def target(input: Mapping[str, Any]) -> str:
    """The path that a file tool names; the current directory where it names none."""
    return first_of(input, PATHS) or "."


def subject(input: Mapping[str, Any]) -> str:
    """What a call is about, in one value."""
    return first_of(input, (*PATHS, *SUBJECTS))
