"""Where a shell stands while its commands are read: directories, variables, what it has made."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from manyhands.agents.permission.bounds import Bounds
from manyhands.agents.permission.shell.marks import OUT, TOKEN, UNKNOWN

_OUTWARD = re.compile(
    r"OLDPWD|TMPDIR|TMP|TEMP|PATH|XDG_\w+|CLAUDE_\w+|CODEX_HOME|MANYHANDS_(?:REPO|HOME)"
)
_SHORT = re.compile(
    r"PORT|MANYHANDS_PORT_\w+|MANYHANDS_SESSION|COMPOSE_PROJECT_NAME|USER|LOGNAME|HOSTNAME|E?UID"
    r"|RANDOM|SECONDS|LINENO|PPID|OSTYPE|SHLVL|[?#$]"
)
"""Of the environment and the shell itself, and never with a slash in it."""


@dataclass
class ShellState:
    bounds: Bounds
    cwds: tuple[str, ...]
    """Where it may be: one directory, or several where a `cd` may have failed."""
    maybe: tuple[str, ...] = ()
    """Where it still is if the last `cd` failed, which an `&&` rules out."""
    variables: dict[str, str] = field(default_factory=dict)
    doubts: tuple[dict[str, str], ...] = ()
    """What variables hold if what stands behind an `&&` was not reached."""
    made: frozenset[str] = frozenset()
    """Directories that do not exist yet and will."""
    previous: tuple[str, ...] = ()
    venv: bool = False
    """Whether a virtual environment in the worktree is active."""

    def fork(self) -> ShellState:
        """For a subshell: what happens there stays there."""
        return replace(self, variables=dict(self.variables))

    def settle(self) -> None:
        self.cwds = tuple(dict.fromkeys([*self.cwds, *self.maybe]))
        self.maybe = ()
        for held in self.doubts:
            names = {*held, *self.variables}
            doubtful = [n for n in names if held.get(n) != self.variables.get(n)]
            self.variables.update(dict.fromkeys(doubtful, UNKNOWN))
        self.doubts = ()

    def become(self, *others: ShellState) -> None:
        """Any of these may be how it stands now."""
        self.cwds = tuple(dict.fromkeys(cwd for other in others for cwd in other.cwds))
        self.maybe = tuple(dict.fromkeys(cwd for other in others for cwd in other.maybe))
        self.doubts = tuple(doubt for other in others for doubt in other.doubts)
        names = {name for other in others for name in other.variables}
        values = {name: {other.value(name) for other in others} for name in names}
        self.variables = {n: v.pop() if len(v) == 1 else UNKNOWN for n, v in values.items()}
        self.made = frozenset.intersection(*(other.made for other in others))
        self.previous = others[0].previous
        self.venv = all(other.venv for other in others)

    def value(self, name: str) -> str:
        if name in self.variables:
            return self.variables[name]
        if name == "HOME":
            return str(self.bounds.home)
        if name == "PWD":
            return self.cwds[0] if len(self.cwds) == 1 else UNKNOWN
        if name == "MANYHANDS_WORKTREE":
            return str(self.bounds.worktree)
        if _OUTWARD.fullmatch(name):
            return OUT
        return TOKEN if _SHORT.fullmatch(name) else UNKNOWN
