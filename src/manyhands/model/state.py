"""The whole hub's state: sessions and repositories, folded from one log."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import assert_never

import msgspec
from msgspec.structs import replace

from manyhands.model import events as e
from manyhands.model.agent.rules import Rule
from manyhands.model.ids import JobId, Oid, SessionId
from manyhands.model.jobs.events import JobEvent
from manyhands.model.jobs.job import Job, fold_job
from manyhands.model.repo.events import PoolEvent, RepoEvent
from manyhands.model.repo.remotes import RemoteAddress
from manyhands.model.session.session import Concern, Session, fold
from manyhands.model.train.events import TrainEvent
from manyhands.model.train.train import Train, fold_train


class Spare(msgspec.Struct, frozen=True, kw_only=True):
    """A worktree that waits for its one session."""

    id: str
    worktree: str
    commit: Oid
    token: int
    before: Oid = Oid("")
    """Where it was before it began to be brought to `commit`."""
    ready: bool = False
    installed: str = ""
    unapproved: tuple[str, ...] = ()
    """What kept its dependencies from being installed, by hash."""
    note: str = ""
    bytes: int = 0


class Repo(msgspec.Struct, frozen=True, kw_only=True):
    path: str
    default_base: str = ""
    trusted: bool = False
    digest: str = ""
    files: dict[str, str] = {}
    """What could run, as it was last approved: paths with the hashes of their content."""
    approved: tuple[str, ...] = ()
    """Every hash that was ever approved."""
    remotes: dict[str, RemoteAddress] | None = None
    """Where they led when it was trusted; None where that was before anyone took note of it."""
    rules: tuple[Rule, ...] = ()
    spares: tuple[Spare, ...] = ()
    spare_bytes: int = 0
    """What the last spare that was filled used on disk."""
    token: int = 0
    """The last fencing token that was given to a spare."""
    trains: dict[str, Train] = {}
    """By the branch that they go to."""

    def spare(self, id: str) -> Spare | None:
        return next((spare for spare in self.spares if spare.id == id), None)


MOST_ENDED = 100
_of_repo = Concern[RepoEvent](RepoEvent)
_of_train = Concern[TrainEvent](TrainEvent)
_of_job = Concern[JobEvent](JobEvent)


@dataclass
class State:
    """Sessions, repositories and jobs; with `under`, a layer whose writes stay apart until kept."""

    sessions: dict[SessionId, Session] = field(default_factory=dict)
    repos: dict[str, Repo] = field(default_factory=dict)
    jobs: dict[JobId, Job] = field(default_factory=dict)
    """The open ones, and the last that ended."""
    under: State | None = None

    def session(self, id: SessionId) -> Session | None:
        found = self.sessions.get(id)
        return self.under.session(id) if found is None and self.under else found

    def repo(self, path: str) -> Repo | None:
        found = self.repos.get(path)
        return self.under.repo(path) if found is None and self.under else found

    def job(self, id: JobId) -> Job | None:
        found = self.jobs.get(id)
        return self.under.job(id) if found is None and self.under else found

    def all_jobs(self) -> dict[JobId, Job]:
        return {**self.under.all_jobs(), **self.jobs} if self.under else self.jobs

    def all_sessions(self) -> dict[SessionId, Session]:
        return {**self.under.all_sessions(), **self.sessions} if self.under else self.sessions

    def all_repos(self) -> dict[str, Repo]:
        return {**self.under.all_repos(), **self.repos} if self.under else self.repos

    def apply(self, event: e.Fact) -> None:
        if isinstance(event, e.Unknown):
            return
        if _of_repo(event):
            self.repos[event.path] = fold_repo(self.repo(event.path), event)
        elif _of_train(event):
            self.repos[event.path] = _with_train(self.repo(event.path), event)
        elif _of_job(event):
            before_it = self.job(event.job) or Job(id=event.job)
            self.jobs[event.job] = fold_job(before_it, event)
        elif event.session:
            before = self.session(event.session) or Session(id=event.session)
            self.sessions[event.session] = fold(before, event)

    def layer(self) -> State:
        return State(under=self)

    def keep(self) -> None:
        """Move this layer's writes into the state below."""
        assert self.under is not None
        self.under.take(self)

    def take(self, layer: State) -> None:
        """Things as they are there; of jobs that ended, only the last are remembered."""
        self.sessions.update(layer.sessions)
        self.repos.update(layer.repos)
        for id, job in layer.jobs.items():
            self.jobs.pop(id, None)  # whatever changed last is last, however early it began
            self.jobs[id] = job
        if self.under is not None:
            return
        ended = [job.id for job in self.jobs.values() if not job.is_open]
        for id in ended[:-MOST_ENDED]:
            del self.jobs[id]


def fold_repo(repo: Repo | None, event: RepoEvent) -> Repo:
    repo = repo or Repo(path=event.path)
    match event:
        case e.RepoAdded():
            return replace(repo, default_base=event.default_base or repo.default_base)
        case e.RepoTrusted():
            return replace(
                repo,
                trusted=True,
                digest=event.digest,
                files={**repo.files, **event.files},
                approved=tuple(dict.fromkeys((*repo.approved, *event.approved))),
            )
        case e.RemotesPinned():
            return replace(repo, remotes=event.remotes)
        case e.RuleAdded():
            rule = Rule(event.tool, event.command, event.kind)
            return replace(repo, rules=tuple(dict.fromkeys((*repo.rules, rule))))
        case e.RuleRemoved():
            rule = Rule(event.tool, event.command, event.kind)
            return replace(repo, rules=tuple(known for known in repo.rules if known != rule))
        case e.SpareStarted() | e.SpareFilled() | e.SpareLeased():
            spares, token = _spares(repo, event), max(repo.token, event.token)
            used = event.bytes if isinstance(event, e.SpareFilled) else repo.spare_bytes
            return replace(repo, spares=spares, token=token, spare_bytes=used)
        case e.SpareDropped():
            return replace(repo, spares=_spares(repo, event))
        case _:
            assert_never(event)


def _with_train(repo: Repo | None, event: TrainEvent) -> Repo:
    repo = repo or Repo(path=event.path)
    train = fold_train(repo.trains.get(event.into) or Train(into=event.into), event)
    return replace(repo, trains={**repo.trains, event.into: train})


def _spares(repo: Repo, event: PoolEvent) -> tuple[Spare, ...]:
    others = tuple(spare for spare in repo.spares if spare.id != event.spare)
    match event:
        case e.SpareStarted():
            began = Spare(
                id=event.spare,
                worktree=event.worktree,
                commit=event.commit,
                token=event.token,
                before=event.before,
            )
            return (*others, began)
        case e.SpareFilled():
            known = repo.spare(event.spare)
            if known is None or known.token != event.token:
                return repo.spares
            made = {"installed": event.installed, "unapproved": event.unapproved}
            filled = replace(known, ready=True, note=event.note, bytes=event.bytes, **made)
            return (*others, filled)
        case e.SpareLeased() | e.SpareDropped():
            return others
        case _:
            assert_never(event)
