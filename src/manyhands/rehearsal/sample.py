"""The sample repository Waypost, a small notes service with tests and a short history, and the
tasks that are prepared on it for the demo: how each becomes a prompt, and what it must leave."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path

import msgspec

from manyhands.model.events import Mode
from manyhands.rehearsal.script import ScriptStep

_HERE = files("manyhands.rehearsal")
# Its own, so that commits work where the machine has no git identity, hooks or signing key.
_CONFIG = {
    "user.name": "Robin Hale",
    "user.email": "robin@waypost.example",
    "commit.gpgSign": "false",
    "core.hooksPath": "/dev/null",
}
_THINKING_TIME = 1.8
_BETWEEN_DELTAS = 0.03


class SampleCommit(msgspec.Struct, frozen=True):
    message: str
    date: str
    paths: tuple[str, ...]


class _History(msgspec.Struct, frozen=True):
    commits: tuple[SampleCommit, ...]


SAMPLE_COMMITS = msgspec.toml.decode((_HERE / "waypost.toml").read_bytes(), type=_History).commits


def create_sample(path: Path, git: Callable[..., object]) -> None:
    """Make the repository; `git` runs one git command in `path`."""
    path.mkdir(parents=True, exist_ok=True)
    git("init", "--quiet", "--initial-branch=main")
    for key, value in _CONFIG.items():
        git("config", key, value)
    for commit in SAMPLE_COMMITS:
        for name in commit.paths:
            target = path / name
            target.parent.mkdir(parents=True, exist_ok=True)
            # Kept under a suffix of its own, so that no tool takes the sample's files for ours.
            source = _HERE.joinpath("waypost", *f"{name}.txt".split("/"))
            target.write_bytes(source.read_bytes())
        git("add", "--", *commit.paths)
        git("commit", "--quiet", f"--date={commit.date}", "-m", commit.message)


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
    mode: Mode
    task: str
    steps: tuple[ScriptStep, ...]
    expected: Expected
    answers: Mapping[str, str] = {}

    def prompt(self, pace: float = 1.0) -> str:
        """The task with its script; pace 1 suits a watcher, 0 plays without any pause."""
        paced = [_paced(step, pace) if pace else step for step in self.steps]
        return f"{self.task}\n\n<<SCRIPT {msgspec.json.encode(paced).decode()} SCRIPT>>"


def _paced(step: ScriptStep, pace: float) -> ScriptStep:
    delay, chunk_delay = _THINKING_TIME * pace, _BETWEEN_DELTAS * pace
    return msgspec.structs.replace(step, delay=delay, chunk_delay=chunk_delay)


def _load(name: str) -> Scenario:
    return msgspec.toml.decode((_HERE / "scenarios" / f"{name}.toml").read_bytes(), type=Scenario)


SCENARIOS = tuple(map(_load, ("user_model", "rate_limiting", "search_tests", "onboarding_copy")))
