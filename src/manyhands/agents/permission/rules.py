"""Which standing permission covers a tool call, and which could be made of one.

A rule never covers more than it says: a command prefix holds only where every simple command of
the line begins with it, with another such prefix, or changes nothing; and neither a prefix, a
glob nor a whole tool covers a call that leaves the worktree or touches what decides what runs.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Collection, Mapping
from typing import Any
from urllib.parse import urlsplit

from manyhands.agents.permission.bounds import Bounds
from manyhands.agents.permission.shell.line import CommandLine
from manyhands.agents.permission.shell.prefixes import covered_by, usual_prefix
from manyhands.agents.permission.shell.walk import look
from manyhands.agents.permission.tools import READING, SHELLS, WRITING, target
from manyhands.model.agent.rules import Rule


def covering(
    rules: Collection[Rule],
    tool: str,
    input: Mapping[str, Any],
    bounds: Bounds,
    seen: CommandLine | None = None,
) -> str:
    """The rules that together cover a call, as they are told; nothing where it is not covered."""
    if not rules:
        return ""
    if rule_for(tool, input, bounds) in rules:
        return str(rule_for(tool, input, bounds))
    family = [rule for rule in rules if rule.tool == tool or {rule.tool, tool} <= WRITING]
    if tool in SHELLS:
        seen = seen or look(str(input.get("command", "")), bounds)
        prefixes = [rule for rule in family if rule.kind == "prefix"]
        used = covered_by(seen, {rule.command: str(rule) for rule in prefixes})
        if used:
            return ", ".join(used)
    if not _stays(tool, input, bounds, seen):
        return ""
    whole = next((rule for rule in family if _is_of(rule, tool, input, bounds)), None)
    return str(whole) if whole else ""


def covers(rule: Rule, tool: str, input: Mapping[str, Any], bounds: Bounds) -> bool:
    return bool(covering([rule], tool, input, bounds))


def _is_of(rule: Rule, tool: str, input: Mapping[str, Any], bounds: Bounds) -> bool:
    if rule.kind == "tool":
        return rule.tool == tool
    if rule.kind != "glob" or tool not in READING | WRITING:
        return False
    return bool(re.fullmatch(_expression(rule.command), _inside(input, bounds), re.DOTALL))


def rule_for(tool: str, input: Mapping[str, Any], bounds: Bounds) -> Rule:
    """What exactly a standing permission for this very call covers."""
    if tool in SHELLS:
        return Rule(tool, _from_there(str(input.get("command", "")), bounds))
    if tool in READING | WRITING:
        path = target(input)
        plain = bounds.inside(path) and not bounds.guarded(path)
        return Rule(tool, "" if plain else str(bounds.real(path)))
    if tool == "WebFetch":
        return Rule(tool, _machine(str(input.get("url", ""))))
    return Rule(tool)


def _machine(url: str) -> str:
    try:
        return urlsplit(url).netloc or url
    except ValueError:
        return url


def _from_there(command: str, bounds: Bounds) -> str:
    """The same words do something else in another directory: unless it is the top, it is named."""
    top, cwd = os.path.realpath(bounds.worktree), os.path.realpath(bounds.cwd)
    if top == cwd:
        return command
    inside = cwd.startswith(f"{top}/")
    return f"cd {shlex.quote(os.path.relpath(cwd, top) if inside else cwd)} && {command}"


def offered(tool: str, input: Mapping[str, Any], bounds: Bounds) -> list[Rule]:
    """The rules that a person may make of this call, the narrowest first."""
    found = [rule_for(tool, input, bounds)]
    seen = look(str(input.get("command", "")), bounds) if tool in SHELLS else None
    if seen is not None:
        prefix = usual_prefix(seen)
        found += [Rule(tool, prefix, "prefix")] if prefix else []
    if not _stays(tool, input, bounds, seen):
        return found
    if tool in READING | WRITING:
        directory = _inside(input, bounds).rpartition("/")[0]
        found.append(Rule(tool, f"{directory}/**" if directory else "*", "glob"))
    return [*found, Rule(tool, kind="tool")]


def _stays(tool: str, input: Mapping[str, Any], bounds: Bounds, seen: CommandLine | None) -> bool:
    if seen is not None:
        return not seen.all_objections
    if tool in READING | WRITING:
        path = target(input)
        return bounds.inside(path) and not bounds.guarded(path)
    return True


def _inside(input: Mapping[str, Any], bounds: Bounds) -> str:
    return bounds.real(target(input)).relative_to(bounds.worktree.resolve()).as_posix()


def _expression(pattern: str) -> str:
    """`**` spans directories, `*` and `?` stay within one; all else is meant literally."""
    pieces = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern.removeprefix("./"))
    return "".join(pieces.get(part, re.escape(part)) for part in parts)
