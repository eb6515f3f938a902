"""The demo's own small world: a home, a sample repository, a hub, a model, and its removal."""

from __future__ import annotations

import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import NoReturn

import msgspec

from manyhands.cli.hub_process import ensure_hub, stop_hub
from manyhands.client.calls import Client
from manyhands.config import Home
from manyhands.contract.sessions import SessionView
from manyhands.errors import HubDown, ManyhandsError
from manyhands.git.runner import Git
from manyhands.model.attention.attention import NOTICES
from manyhands.model.clock import monotonic
from manyhands.rehearsal import provider
from manyhands.rehearsal.provider import AGENT
from manyhands.rehearsal.sample import SCENARIOS, Scenario, create_sample

PLAY_SECONDS = 300.0
PLAY_SECONDS_EACH = 30.0


class Act(msgspec.Struct):
    """One session and the scenario it plays."""

    scenario: Scenario
    title: str
    session: str = ""


@contextmanager
def open_stage(count: int) -> Iterator[Stage]:
    """Whatever happens inside, nothing is left running and nothing is left on disk."""
    for name in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, _interrupt)
    directory = Path(tempfile.mkdtemp(prefix="mh-demo-"))
    stage = Stage(Home(directory / "home"), directory / "waypost", count)
    try:
        yield stage
    finally:
        # An impatient second Ctrl-C must not leave agents behind; every step here is bounded.
        for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(name, signal.SIG_IGN)
        stage.strike()
        shutil.rmtree(directory, ignore_errors=True)
        shutil.rmtree(stage.home.run, ignore_errors=True)


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


class Stage:
    def __init__(self, home: Home, repo: Path, count: int) -> None:
        self.home = home
        self.repo = repo
        self.client = Client(home)
        self.acts = [_act(number) for number in range(count)]

    def raise_curtain(self, pace: float) -> None:
        """Everything up to the agents' first words; `pace` 1 suits a watcher."""
        self.home.make()
        limits = f'[defaults]\nagent = "{AGENT}"\n[limits]\nworking = {len(self.acts)}\n'
        self.home.config.write_text(limits, "utf-8")
        self.repo.mkdir()
        create_sample(self.repo, Git(self.repo, hardened=False).run)
        provider.start(self.home)
        ensure_hub(self.home)
        self.client.add_repo(str(self.repo))
        self.client.trust_repo(str(self.repo))
        for act in self.acts:
            act.session = self.client.new(self._request(act, pace)).id

    def _request(self, act: Act, pace: float) -> dict[str, object]:
        text, mode = act.scenario.prompt(pace), act.scenario.mode
        request = {"text": text, "repo": str(self.repo), "name": act.title, "mode": mode}
        return {**request, "agent": AGENT, "detach": True}

    def views(self) -> list[SessionView]:
        return [self.client.session(act.session) for act in self.acts]

    def play(self) -> tuple[list[SessionView], list[str]]:
        """Answers as the scenarios say; the sessions at the end, and what is wrong with them."""
        problems = self._attend()
        sessions = self.views()
        for act, session in zip(self.acts, sessions, strict=True):
            missing = act.scenario.expected.missing(*self._outcome(act, session))
            problems += [f"{session.slug}: {what}" for what in missing]
        return sessions, problems

    def _attend(self) -> list[str]:
        problems: list[str] = []
        going = {act.session: act for act in self.acts}
        deadline = monotonic() + PLAY_SECONDS + PLAY_SECONDS_EACH * len(self.acts)
        while going:
            waited = self.client.wait(list(going), "idle", max(0.0, deadline - monotonic()))
            if waited.outcome == "timeout":
                return [*problems, "the time is up"]
            for session in waited.sessions:
                problem = self._settle(going[session.id], session)
                if problem:
                    problems.append(f"{session.slug}: {problem}")
                if problem or waited.outcome == "reached":
                    del going[session.id]
        return problems

    def _settle(self, act: Act, session: SessionView) -> str:
        """Answers the session's open items; what stands in its way where it cannot go on."""
        if session.status == "failed":
            return session.error or "it failed"
        for item in session.attention:
            if item.kind in NOTICES:
                continue  # two of the tasks do meet in one file
            chosen = act.scenario.answers.get(item.kind)
            if chosen is None:
                return f"unexpected {item.kind}: {item.summary}"
            self.client.answer(session.id, {"item": item.id, "options": [chosen]})
        return ""

    def _outcome(self, act: Act, session: SessionView) -> tuple[dict[str, str], list[str]]:
        worktree = Path(session.worktree)
        files = {name: _text(worktree / name) for name in act.scenario.expected.files}
        span = f"{session.base_commit}..refs/heads/{session.branch}"
        subjects = Git(self.repo).run("log", "--format=%s", "--end-of-options", span, check=False)
        return files, subjects.stdout.decode("utf-8", "replace").splitlines()

    def strike(self) -> None:
        """Stops hub, keepers and model; a hub that died is raised once more to end its keepers."""
        if self.home.hub_file.exists():
            try:
                stop_hub(self.home, everything=True)
            except HubDown:
                ensure_hub(self.home)
                stop_hub(self.home, everything=True)
        with suppress(ManyhandsError):
            provider.stop(self.home)


def _act(number: int) -> Act:
    scenario = SCENARIOS[number % len(SCENARIOS)]
    again = number // len(SCENARIOS)
    return Act(scenario, f"{scenario.title} {again + 1}" if again else scenario.title)


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""
