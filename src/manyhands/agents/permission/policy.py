"""May this tool call run? A pure decision from the mode, the call and the bounds.

- `plan`: nothing may write but the agent's own plan and scratch files.
- `ask`: reading inside is free, all else is asked about.
- `edits`: file edits inside are free too.
- `auto`: every call inside is free.

In every mode a call that leaves the worktree, or changes what all worktrees share, is asked
about; in `plan` one that writes is denied. In `auto`, what the session's box makes harmless is
free.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from manyhands.agents.permission import tools
from manyhands.agents.permission.bounds import Bounds
from manyhands.agents.permission.guarantees import Matter
from manyhands.agents.permission.rules import covering
from manyhands.agents.permission.shell.call import holds_credentials, is_loopback
from manyhands.agents.permission.shell.line import CommandLine
from manyhands.agents.permission.shell.walk import look
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
    boxed: bool = field(default=False, compare=False)
    """Whether it is harmless because of the box alone."""


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

Deed = Literal["reads", "looks out", "edits", "works", "reaches"]
"""Reads inside; reads or fetches from outside; changes a file inside; does anything inside;
changes something outside, or what others share."""
VERDICTS: dict[Deed, dict[Mode, type[Decision]]] = {
    "reads": {"plan": Allow, "ask": Allow, "edits": Allow, "auto": Allow},
    "looks out": {"plan": Ask, "ask": Ask, "edits": Ask, "auto": Ask},
    "edits": {"plan": Deny, "ask": Ask, "edits": Allow, "auto": Allow},
    "works": {"plan": Deny, "ask": Ask, "edits": Ask, "auto": Allow},
    "reaches": {"plan": Deny, "ask": Ask, "edits": Ask, "auto": Ask},
}
RUNS, CHANGES = "runs a command", "changes a file"
BY_MODE = (RUNS, CHANGES)
"""Asked about because of the mode alone."""


@dataclass(frozen=True)
class JudgedCall:
    """What a call does, why that is asked about, and its command as it was read."""

    deed: Deed
    reason: str = ""
    look: CommandLine | None = None
    matters: tuple[Matter, ...] = ()
    """What the reasons are about."""


def decide_all(mode: Mode, parts: Parts, bounds: Bounds, rules: Collection[Rule] = ()) -> Decision:
    """The strictest decision over all parts of a call."""
    found = [decide(mode, tool, input, bounds, rules) for tool, input in parts]
    return max(found, key=lambda decision: STRICTER.index(type(decision)))


def decide(
    mode: Mode, tool: str, input: Mapping[str, Any], bounds: Bounds, rules: Collection[Rule] = ()
) -> Decision:
    """`rules` are the standing permissions of session and repository together."""
    judged = judge(tool, input, bounds)
    verdict = VERDICTS[judged.deed][mode]
    if verdict is Allow:
        return Allow()
    if verdict is Deny:
        return Deny(PLAN_REFUSAL)
    if mode == "auto" and judged.matters and all(map(bounds.box.hold, judged.matters)):
        return Allow(boxed=True)
    covered = covering(rules, tool, input, bounds, judged.look)
    return Allow(covered) if covered else Ask(judged.reason)


def judge(tool: str, input: Mapping[str, Any], bounds: Bounds) -> JudgedCall:
    if tool in tools.READING:
        return _judge_reading(input, bounds)
    if tool in tools.WRITING:
        return _judge_writing(tools.target(input), bounds)
    if tool in tools.SHELLS:
        return _judge_command(str(input.get("command", "")), bounds)
    if (tool in tools.HARMLESS and input.get("isolation") is None) or tool in tools.OURS:
        return JudgedCall("reads")
    if tool == "WebFetch" and _is_here(str(input.get("url", ""))):
        return JudgedCall("reads")
    if tool in tools.WEB:
        # A search is made at the model's own, through which no box can look.
        about: tuple[Matter, ...] = ("network",) if tool == "WebFetch" else ()
        return JudgedCall("looks out", "reaches another machine", matters=about)
    if tool.startswith("mcp__"):
        return JudgedCall("looks out", "a tool server's, which may do anything")
    return JudgedCall("reaches", "a tool that we do not know")


def _is_here(url: str) -> bool:
    try:
        return is_loopback(urlsplit(url).hostname or "")
    except ValueError:
        return False


def _judge_reading(input: Mapping[str, Any], bounds: Bounds) -> JudgedCall:
    # A glob pattern may climb out of the directory that it starts in.
    pattern = str(input.get("pattern", "")) if "file_path" not in input else ""
    climbs = pattern.startswith(("/", "~")) or ".." in Path(pattern).parts
    glob = str(input.get("glob", ""))
    if (climbs and not bounds.readable(pattern)) or ".." in Path(glob).parts:
        return JudgedCall("looks out", "outside the worktree", matters=("reads",))
    path = tools.target(input)
    if bounds.readable(path):
        return JudgedCall("reads")
    matter: Matter = "kept" if holds_credentials(str(bounds.real(path))) else "reads"
    return JudgedCall("looks out", "outside the worktree", matters=(matter,))


def _judge_writing(path: str, bounds: Bounds) -> JudgedCall:
    if bounds.own(path):
        return JudgedCall("reads")
    if not bounds.inside(path):
        matter = bounds.box.of_writing(bounds.real(path))
        return JudgedCall("reaches", "outside the worktree", matters=(matter,))
    if part := bounds.guarded(path):
        return JudgedCall("reaches", f"changes {part}, which decides what may run here")
    return JudgedCall("edits", CHANGES)


def _judge_command(command: str, bounds: Bounds) -> JudgedCall:
    found = look(command, bounds)
    if not found.all_objections:
        return JudgedCall("works" if found.changes else "reads", RUNS, found)
    reaches = found.changes or not all(objection.reads for objection in found.all_objections)
    matters = tuple({objection.matter for objection in found.all_objections})
    return JudgedCall("reaches" if reaches else "looks out", found.reason, found, matters)
