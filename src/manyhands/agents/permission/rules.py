"""Which standing permission covers a tool call, and which could be made of one.

A rule never covers more than it says: a command prefix holds only where every part of the
command line begins with it or changes nothing, and neither a prefix, a glob nor a whole tool
covers a call that leaves the worktree or touches what makes the agent's own program run things.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from manyhands.agents.permission import shell
from manyhands.agents.permission.bounds import Bounds
from manyhands.agents.permission.tools import GUARDED, READING, SHELLS, WRITING, target
from manyhands.model.agent.rules import Rule
from manyhands.model.attention.attention import Attention, Resolution


def covers(rule: Rule, tool: str, input: Mapping[str, Any], bounds: Bounds) -> bool:
    if rule.kind == "call":
        return rule == rule_for(tool, input, bounds)
    family = rule.tool == tool or {rule.tool, tool} <= WRITING
    if not family or not _stays(tool, input, bounds):
        return False
    if rule.kind == "prefix":
        return tool in SHELLS and shell.starts_with(str(input.get("command", "")), rule.command)
    if rule.kind == "glob":
        inside = tool in READING | WRITING and _inside(input, bounds)
        return bool(inside and re.fullmatch(_expression(rule.command), inside, re.DOTALL))
    return rule.tool == tool


def rule_for(tool: str, input: Mapping[str, Any], bounds: Bounds) -> Rule:
    """What exactly a standing permission for this very call covers."""
    if tool in SHELLS:
        return Rule(tool, str(input.get("command", "")))
    if tool in READING | WRITING:
        path = target(input)
        plain = bounds.inside(path) and not guarded(path, bounds)
        return Rule(tool, "" if plain else str(bounds.real(path)))
    if tool == "WebFetch":
        return Rule(tool, urlsplit(str(input.get("url", ""))).netloc)
    return Rule(tool)


def offered(tool: str, input: Mapping[str, Any], bounds: Bounds) -> list[Rule]:
    """The rules that a person may make of this call, the narrowest first."""
    found = [rule_for(tool, input, bounds)]
    if not _stays(tool, input, bounds):
        return found
    if tool in SHELLS:
        prefix = shell.usual_prefix(str(input.get("command", "")))
        found += [Rule(tool, prefix, "prefix")] if prefix else []
    elif tool in READING | WRITING:
        directory = _inside(input, bounds).rpartition("/")[0]
        found.append(Rule(tool, f"{directory}/**" if directory else "*", "glob"))
    return [*found, Rule(tool, kind="tool")]


def chosen(item: Attention, answer: Resolution) -> Rule | None:
    """The rule by which an answer stands; None where it is for once, or the item offers none."""
    if answer.option not in ("allow-session", "allow-repo"):
        return None
    rules = [Rule(**given) for given in item.detail.get("rules", ())]
    kind = answer.rule or "call"
    rule = next((rule for rule in rules if rule.kind == kind), None)
    if rule is None or not answer.pattern:
        return rule
    return Rule(rule.tool, answer.pattern, rule.kind)


def _stays(tool: str, input: Mapping[str, Any], bounds: Bounds) -> bool:
    if tool in SHELLS:
        return not shell.leaves(str(input.get("command", "")), bounds)
    if tool in READING | WRITING:
        path = target(input)
        return bounds.inside(path) and not guarded(path, bounds)
    return True


def guarded(path: str, bounds: Bounds) -> frozenset[str]:
    """Parts of a path inside the worktree that could make the agent's own program run things."""
    return GUARDED & set(bounds.real(path).relative_to(bounds.worktree.resolve()).parts)


def _inside(input: Mapping[str, Any], bounds: Bounds) -> str:
    return bounds.real(target(input)).relative_to(bounds.worktree.resolve()).as_posix()


def _expression(pattern: str) -> str:
    """`**` spans directories, `*` and `?` stay within one; all else is meant literally."""
    pieces = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern.removeprefix("./"))
    return "".join(pieces.get(part, re.escape(part)) for part in parts)


@dataclass(frozen=True)
class Grant:
    """Leave for one call with the identical tool and input."""

    tool: str
    input: Mapping[str, Any]


@dataclass
class Permits:
    """Outlives the agent process: whoever resumes an agent hands it the same permits."""

    repo: tuple[Rule, ...] = ()
    session: set[Rule] = field(default_factory=set)
    """From the hub, and what was answered since it last told."""
    grants: list[Grant] = field(default_factory=list)

    @property
    def rules(self) -> set[Rule]:
        return {*self.repo, *self.session}

    def take(self, tool: str, input: Mapping[str, Any]) -> bool:
        """Use up a grant for this very call."""
        wanted = Grant(tool, dict(input))
        if wanted not in self.grants:
            return False
        self.grants.remove(wanted)
        return True
