"""What a command substitution puts into the line, where its text tells."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from manyhands.agents.permission.shell.line import Part
from manyhands.agents.permission.shell.marks import FRESH, TOKEN, UNKNOWN
from manyhands.agents.permission.shell.state import ShellState

_SHORT = frozenset(
    ["basename", "date", "id", "nproc", "pgrep", "seq", "uname", "uuidgen", "wc", "whoami"]
)
"""They print no path: nothing with a slash in it."""
_SHORT_GIT = frozenset({"rev-parse", "rev-list", "merge-base", "describe"})


def output_of(parts: Sequence[Part], state: ShellState) -> str:
    """Of a single command alone: several print one after the other."""
    words = parts[0].words if len(parts) == 1 else ()
    match words:
        case ("pwd", *_) | ("git", "rev-parse", "--show-toplevel"):
            inside = words[0] == "pwd"
            top = state.cwds[0] if inside else str(state.bounds.worktree)
            return top if len(state.cwds) == 1 else UNKNOWN
        case ("mktemp", *rest) if all(word in ("-d", "-u", "-q") for word in rest):
            return FRESH
        case ("dirname", path) if "…" not in path:
            return str(PurePosixPath(path).parent)
        case ("git", "branch", "--show-current"):
            return TOKEN
        case ("git", verb, *rest) if verb in _SHORT_GIT:
            return UNKNOWN if any(map(_may_print_a_path, rest)) else TOKEN
        case ("basename", *rest) if any("…" in word or word.endswith("..") for word in rest):
            return UNKNOWN
        case (name, *rest) if name in _SHORT:
            return UNKNOWN if any("/" in word for word in rest if word[0:1] == "+") else TOKEN
    return UNKNOWN


def _may_print_a_path(word: str) -> bool:
    return word.startswith(("/", "--git", "--show", "--abs", "--sq")) or "../" in word
