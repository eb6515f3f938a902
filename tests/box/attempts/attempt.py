"""One attempt to leave a box: what is tried, by which script, and what must hold.

A script runs in the worktree. What is outside it knows by variables, as one who has looked around
before would: HOST (the user's home), REPO, HUB, OTHER (another session's worktree), OWN (the
session's directory), TWIN, VICTIM (a process), TCP and UDP (ports), SOCKETS, ABSTRACT (Unix
sockets), EVIL (a program in the worktree: if it runs outside, that is seen).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from manyhands.model.box import Network

Kind = Literal["files", "git", "links", "processes", "sockets", "network", "mounts", "survival"]


@dataclass(frozen=True)
class Attempt:
    name: str
    kind: Kind
    tries: str
    """For people, as it stands in the guide."""
    script: str
    network: Network = "open"
    by_landlock: int = 0
    """The version of Landlock from which on it fails without namespaces too; 0: it does not, which
    is told in the guide."""
    unsaid: tuple[str, ...] = ("WROTE",)
    """What the script would say if it had succeeded."""
    worked: str = ""
    """What the script must have said: that it got as far as trying."""


def python(code: str) -> str:
    return f"python3 - <<'CODE'\n{code}\nCODE\n"
