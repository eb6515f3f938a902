"""Standing permissions by the first words of a command: what one covers, and which is offered."""

from __future__ import annotations

from collections.abc import Mapping

from manyhands.agents.permission.shell.line import CommandLine, Part

_WITH_VERBS = frozenset(
    [
        *("apt", "brew", "bundle", "cargo", "composer", "docker", "dotnet", "gh", "git", "go"),
        *("gradle", "helm", "just", "kubectl", "make", "mix", "mvn", "npm", "nx", "pip", "pip3"),
        *("pnpm", "podman", "poetry", "rails", "rake", "task", "terraform", "turbo", "uv", "yarn"),
    ]
)
_RUN_ANYTHING = frozenset(
    [
        *("awk", "bash", "bun", "command", "deno", "doas", "env", "eval", "exec", "fish", "find"),
        *("for", "function", "ksh", "nice", "node", "nohup", "npx", "perl", "php", "python"),
        *("python3", "rm", "ruby", "sed", "sh", "source", "ssh", "su", "sudo", "time", "timeout"),
        *("xargs", "zsh", "declaration_command", "variable_assignment", "variable_assignments"),
        *("curl", "wget", "nc", "docker run", "docker exec", ".", "parallel", "unset_command"),
    ]
)
"""A prefix of these would stand for any program, any file or any address at all."""


def covered_by(seen: CommandLine, prefixes: Mapping[str, str]) -> list[str]:
    """The names of the prefixes that together cover every simple command that does something."""
    if seen.objections:
        return []
    used: dict[str, None] = {}
    for part in seen.parts:
        if not part.changes and not part.objections:
            continue
        name = next((n for prefix, n in prefixes.items() if _covers(prefix.split(), part)), None)
        if name is None:
            return []
        used[name] = None
    return list(used)


def _covers(wanted: list[str], part: Part) -> bool:
    begins = part.plain and bool(wanted) and list(part.words[: len(wanted)]) == wanted
    depths = [objection.depth for objection in part.objections]
    return begins and all(depth is not None and len(wanted) >= depth for depth in depths)


def usual_prefix(seen: CommandLine) -> str:
    """What a person would mean by "such commands": the program and, where it has one, its verb."""
    parts = [part for part in seen.parts if part.changes or part.objections]
    if len(parts) != 1 or seen.objections or not parts[0].plain or not parts[0].words:
        return ""
    name, *rest = parts[0].words
    if name in _RUN_ANYTHING or "=" in name or "/" in name:
        return ""
    prefix = name
    if name in _WITH_VERBS:
        prefix = f"{name} {rest[0]}" if rest and not rest[0].startswith("-") else ""
    covered = bool(prefix) and prefix not in _RUN_ANYTHING and _covers(prefix.split(), parts[0])
    return prefix if covered else ""
