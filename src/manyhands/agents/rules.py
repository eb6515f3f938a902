"""Which standing permission covers a tool call, and which could be made of one.

A rule never covers more than it says: a command prefix holds only where every part of the
command line begins with it or changes nothing, and neither a prefix, a glob nor a whole tool
covers a call that leaves the worktree or touches what makes the agent's own program run things.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any
from urllib.parse import urlsplit

from manyhands.agents import shell
from manyhands.agents.bounds import Bounds
from manyhands.agents.tools import GUARDED, READING, SHELLS, WRITING, target
from manyhands.model.attention import Attention, Resolution
from manyhands.model.rules import Rule


def covering(
    rules: Collection[Rule], tool: str, input: Mapping[str, Any], bounds: Bounds
) -> Rule | None:
    return next((rule for rule in rules if covers(rule, tool, input, bounds)), None)


def covers(rule: Rule, tool: str, input: Mapping[str, Any], bounds: Bounds) -> bool:
    if rule.kind == "call":
        return rule == rule_for(tool, input, bounds)
    family = rule.tool == tool or {rule.tool, tool} <= WRITING
    if not family or not _stays(tool, input, bounds):
        return False
    if rule.kind == "prefix":
        return tool in SHELLS and shell.starts_with(str(input.get("command", "")), rule.command)
    if rule.kind == "glob":
        return tool in READING | WRITING and _matches(rule.command, input, bounds)
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


def _matches(pattern: str, input: Mapping[str, Any], bounds: Bounds) -> bool:
    return re.fullmatch(_expression(pattern), _inside(input, bounds), re.DOTALL) is not None


def _expression(pattern: str) -> str:
    """`**` spans directories, `*` and `?` stay within one; all else is meant literally."""
    pieces = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern.removeprefix("./"))
    return "".join(pieces.get(part, re.escape(part)) for part in parts)
