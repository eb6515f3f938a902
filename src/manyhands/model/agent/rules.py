"""Standing permissions: what a rule says, and how it is told."""

from __future__ import annotations

import hashlib

import msgspec

from manyhands.model.agent.events import RuleKind


class Rule(msgspec.Struct, frozen=True):
    """A tool, and which of its calls: this very one, those of a command prefix or a path glob,
    or every one that stays inside the worktree. `command` is the pattern."""

    tool: str
    command: str = ""
    kind: RuleKind = "call"

    @property
    def id(self) -> str:
        """Short and the same everywhere, so that people can name it."""
        text = f"{self.kind}\0{self.tool}\0{self.command}"
        return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8]

    def __str__(self) -> str:
        match self.kind:
            case "prefix":
                return f"{self.tool}: {self.command} …"
            case "glob":
                return f"{self.tool}: {self.command}"
            case "tool":
                return f"{self.tool}: every call inside the worktree"
        return f"{self.tool}: {self.command}" if self.command else self.tool
