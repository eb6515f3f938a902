"""The whole hub's state: sessions and repositories, folded from one log."""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec

from manyhands.model import events as e
from manyhands.model.ids import SessionId
from manyhands.model.session import Session, fold


class Rule(msgspec.Struct, frozen=True):
    """A standing permission: this tool, and for a shell this exact command."""

    tool: str
    command: str = ""


class Repo(msgspec.Struct, frozen=True, kw_only=True):
    path: str
    default_base: str = ""
    trusted: bool = False
    digest: str = ""
    rules: tuple[Rule, ...] = ()


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

    def apply(self, event: e.Fact) -> None:
        if isinstance(event, e.Unknown):
            return
        if isinstance(event, e.RepoAdded | e.RepoTrusted | e.RuleAdded):
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


def fold_repo(repo: Repo | None, event: e.RepoAdded | e.RepoTrusted | e.RuleAdded) -> Repo:
    repo = repo or Repo(path=event.path)
    match event:
        case e.RepoAdded():
            base = event.default_base or repo.default_base
            return msgspec.structs.replace(repo, default_base=base)
        case e.RepoTrusted():
            return msgspec.structs.replace(repo, trusted=True, digest=event.digest)
        case e.RuleAdded():
            rule = Rule(event.tool, event.command)
            rules = repo.rules if rule in repo.rules else (*repo.rules, rule)
            return msgspec.structs.replace(repo, rules=rules)
