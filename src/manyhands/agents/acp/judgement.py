"""A tool call of any agent, put to our own policy: every file that it names is judged."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from manyhands.agents import policy
from manyhands.agents.acp.calls import Call
from manyhands.agents.bounds import Bounds
from manyhands.agents.policy import Allow, Ask, Decision, Deny
from manyhands.agents.protocol import Workplace
from manyhands.agents.rules import offered
from manyhands.model.events import Mode
from manyhands.model.rules import Rule

WRITING = ("edit", "delete", "move")
READING = ("read", "search")


def bounds_of(workplace: Workplace, env: Mapping[str, str]) -> Bounds:
    worktree = workplace.worktree.resolve()
    given = (workplace.attachments,) if workplace.attachments else ()
    home = Path(env.get("HOME", "/"))
    return Bounds(worktree=worktree, cwd=worktree, home=home, notes=given)


def judge(mode: Mode, call: Call, bounds: Bounds, rules: Collection[Rule]) -> Decision:
    """The strictest decision over all that the call names."""
    cwd = call.raw.get("cwd")
    here = replace(bounds, cwd=Path(str(cwd))) if cwd else bounds
    found = [policy.decide(mode, tool, input, here, rules) for tool, input in _parts(call)]
    return max(found, key=_strictness)


def judge_beside(call: Call, bounds: Bounds) -> Decision:
    """A side question changes nothing and bothers nobody."""
    decision = judge("plan", call, bounds, ())
    return decision if isinstance(decision, Allow) else Deny(policy.SIDE_REFUSAL)


def rules_of(call: Call, bounds: Bounds) -> list[Rule]:
    """The standing permissions that a person may make of this call, the narrowest first."""
    tool, input = _parts(call)[0]
    return offered(tool, input, bounds)


def _parts(call: Call) -> list[tuple[str, dict[str, Any]]]:
    if call.kind in WRITING:
        return [("Write", {"file_path": path}) for path in call.paths or ("/",)]
    if call.kind in READING:
        return [("Read", {"file_path": path}) for path in call.paths or (".",)]
    if call.kind == "execute":
        return [("Bash", {"command": call.command})]
    if call.kind == "fetch":
        return [("WebFetch", call.input)]
    # What is not said to be harmless is taken for something that we do not know.
    return [(f"acp:{call.kind or 'other'}", call.input)]


def _strictness(decision: Decision) -> int:
    return (Allow, Ask, Deny).index(type(decision))
