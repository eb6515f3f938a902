"""The whole hub's state: sessions and repositories, folded from one log."""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec

from manyhands.model import events as e
from manyhands.model.ids import Oid, SessionId
from manyhands.model.repo_events import PoolEvent, RepoEvent
from manyhands.model.rules import Rule
from manyhands.model.session import Session, fold


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
    rules: tuple[Rule, ...] = ()
    spares: tuple[Spare, ...] = ()
    token: int = 0
    """The last fencing token that was given to a spare."""

    def spare(self, id: str) -> Spare | None:
        return next((spare for spare in self.spares if spare.id == id), None)


@dataclass
class State:
    """Sessions and repositories; with `under`, a layer whose writes stay apart until kept."""

    sessions: dict[SessionId, Session] = field(default_factory=dict)
    repos: dict[str, Repo] = field(default_factory=dict)
    under: State | None = None

    def session(self, id: SessionId) -> Session | None:
        found = self.sessions.get(id)
        return self.under.session(id) if found is None and self.under else found

    def repo(self, path: str) -> Repo | None:
        found = self.repos.get(path)
        return self.under.repo(path) if found is None and self.under else found

    def all_sessions(self) -> dict[SessionId, Session]:
        return {**self.under.all_sessions(), **self.sessions} if self.under else self.sessions

    def all_repos(self) -> dict[str, Repo]:
        return {**self.under.all_repos(), **self.repos} if self.under else self.repos

    def apply(self, event: e.Fact) -> None:
        if isinstance(event, e.Unknown):
            return
        if isinstance(event, RepoEvent):
            self.repos[event.path] = fold_repo(self.repo(event.path), event)
        elif event.session:
            before = self.session(event.session) or Session(id=event.session)
            self.sessions[event.session] = fold(before, event)

    def layer(self) -> State:
        return State(under=self)

    def keep(self) -> None:
        """Move this layer's writes into the state below."""
        assert self.under is not None
        self.under.sessions.update(self.sessions)
        self.under.repos.update(self.repos)


def fold_repo(repo: Repo | None, event: RepoEvent) -> Repo:
    repo = repo or Repo(path=event.path)
    match event:
        case e.RepoAdded():
            base = event.default_base or repo.default_base
            return msgspec.structs.replace(repo, default_base=base)
        case e.RepoTrusted():
            return msgspec.structs.replace(
                repo,
                trusted=True,
                digest=event.digest,
                files={**repo.files, **event.files},
                approved=tuple(dict.fromkeys((*repo.approved, *event.approved))),
            )
        case e.RuleAdded():
            rule = Rule(event.tool, event.command, event.kind)
            rules = repo.rules if rule in repo.rules else (*repo.rules, rule)
            return msgspec.structs.replace(repo, rules=rules)
        case e.RuleRemoved():
            rule = Rule(event.tool, event.command, event.kind)
            left = tuple(known for known in repo.rules if known != rule)
            return msgspec.structs.replace(repo, rules=left)
        case _:
            token = max(repo.token, getattr(event, "token", 0))
            return msgspec.structs.replace(repo, spares=_spares(repo, event), token=token)


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
            ready = {"ready": True, "installed": event.installed, "note": event.note}
            return (*others, msgspec.structs.replace(known, **ready, bytes=event.bytes))
        case _:
            return others
