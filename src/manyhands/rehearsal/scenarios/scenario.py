"""What a prepared task consists of, and how it becomes a prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from manyhands.rehearsal.script import Step, ToolCall

_THINKING_TIME = 1.8
_BETWEEN_DELTAS = 0.03

TESTS = "python3 -m unittest"


class Expected(msgspec.Struct, frozen=True):
    """What must hold at the end: texts found in files, and the branch's new commits."""

    files: Mapping[str, tuple[str, ...]]
    commits: tuple[str, ...] = ()

    def missing(self, files: Mapping[str, str], commits: Sequence[str]) -> list[str]:
        """What does not hold, given the worktree's files and the commit subjects."""
        absent = [
            f"{path}: {text!r}"
            for path, wanted in self.files.items()
            for text in wanted
            if text not in files.get(path, "")
        ]
        return absent + [
            f"commit {subject!r}" for subject in self.commits if subject not in commits
        ]


class Scenario(msgspec.Struct, frozen=True):
    """`answers` settles what comes up in an unattended run: attention kind → option or label."""

    title: str
    mode: Literal["plan", "ask", "edits", "auto"]
    task: str
    steps: tuple[Step, ...]
    expected: Expected
    answers: Mapping[str, str] = {}

    def prompt(self, pace: float = 1.0) -> str:
        """The task with its script; pace 1 suits a watcher, 0 plays without any pause."""
        paced = [_paced(step, pace) if pace else step for step in self.steps]
        return f"{self.task}\n\n<<SCRIPT {msgspec.json.encode(paced).decode()} SCRIPT>>"


def _paced(step: Step, pace: float) -> Step:
    delay, chunk_delay = _THINKING_TIME * pace, _BETWEEN_DELTAS * pace
    return msgspec.structs.replace(step, delay=delay, chunk_delay=chunk_delay)


def read(*paths: str) -> tuple[ToolCall, ...]:
    return tuple(ToolCall("Read", {"file_path": path}) for path in paths)


def edit(path: str, old: str, new: str) -> ToolCall:
    return ToolCall("Edit", {"file_path": path, "old_string": old, "new_string": new})


def write(path: str, content: str) -> ToolCall:
    return ToolCall("Write", {"file_path": path, "content": content})


def bash(command: str, description: str) -> ToolCall:
    return ToolCall("Bash", {"command": command, "description": description})
