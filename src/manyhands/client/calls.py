"""What can be asked of the hub, in types; each call is one request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, TypeVar

import msgspec

from manyhands.client.connection import Connection, persist, session_path
from manyhands.model.attention import Attention
from manyhands.model.clock import monotonic
from manyhands.model.views import AgentView, NewView, RepoView, SessionView

Goal = Literal["idle", "attention", "archived"]
WaitOutcome = Literal["reached", "attention", "failed", "timeout"]
PAGE = 1000
RECONNECT_SECONDS = 15.0
"""How long `wait` looks for a hub that went away before it gives up."""

T = TypeVar("T")


class HubStatus(msgspec.Struct, frozen=True):
    url: str
    pid: int
    version: str
    sessions: dict[str, int] = {}
    limits: dict[str, int] = {}
    unread: int = 0


class Waited(msgspec.Struct, frozen=True):
    outcome: WaitOutcome
    sessions: tuple[SessionView, ...]


class Piece(msgspec.Struct, frozen=True):
    path: str
    text: str


class Bringing(msgspec.Struct, frozen=True):
    """What a repository could make us run; `new` are the paths that nobody approved yet."""

    digest: str
    pieces: tuple[Piece, ...]
    new: tuple[str, ...]


class ChangedFile(msgspec.Struct, frozen=True):
    path: str
    status: str
    added: int = 0
    removed: int = 0
    binary: bool = False
    old_path: str | None = None


class Diff(msgspec.Struct, frozen=True):
    files: tuple[ChangedFile, ...]
    patch: str = ""


class ReviewComment(msgspec.Struct, frozen=True):
    id: str
    path: str
    start: int
    end: int
    text: str
    state: str
    outdated: bool

    @property
    def place(self) -> str:
        if not self.path:
            return "the whole change"
        lines = f"{self.start}" if self.start == self.end else f"{self.start}-{self.end}"
        return f"{self.path}:{lines}" if self.start else self.path

    @property
    def shown_state(self) -> str:
        return f"{self.state}, outdated" if self.outdated else self.state


class Review(msgspec.Struct, frozen=True):
    verdict: str
    comments: tuple[ReviewComment, ...]


class Thing(msgspec.Struct, frozen=True):
    what: str
    where: str = ""
    bytes: int | None = None


class DeletionPlan(msgspec.Struct, frozen=True):
    session: str
    safe: bool
    kept: tuple[Thing, ...] = ()
    lost: tuple[Thing, ...] = ()
    blocked_by: tuple[str, ...] = ()


class CheckpointLine(msgspec.Struct, frozen=True):
    id: str
    turn: int
    at: str
    commit: str


class MeetLine(msgspec.Struct, frozen=True):
    path: str
    kind: str
    reason: str = ""


class ConflictLine(msgspec.Struct, frozen=True):
    a: str
    b: str
    paths: tuple[MeetLine, ...]
    suggestion: str = ""


class MergeLine(msgspec.Struct, frozen=True):
    session: str
    into: str
    method: str
    commit: str
    commits: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    checkout: str = ""
    dry_run: bool = False
    already: bool = False


class UpdateLine(msgspec.Struct, frozen=True):
    session: str
    base: str
    commit: str
    conflicts: tuple[str, ...] = ()
    already: bool = False
    aborted: bool = False


class Check(msgspec.Struct, frozen=True):
    check: str
    ok: bool
    detail: str = ""
    fix: str = ""


class Client(Connection):
    """The typed calls. Where the answer is only passed on, take `fetch`'s bytes instead."""

    def status(self) -> HubStatus:
        return self._fetched(HubStatus, "/api/status", timeout=10.0)

    def link(self) -> str:
        """A fresh one-time link to the page."""
        return self.links()[0]

    def links(self) -> tuple[str, ...]:
        """One-time links to the page: on this machine, then under each other name of the hub."""
        made = msgspec.json.decode(self.post("/api/link"))
        return (made["url"], *made.get("others", ()))

    def agents(self) -> tuple[AgentView, ...]:
        return self._fetched(tuple[AgentView, ...], "/api/agents")

    def repos(self) -> tuple[RepoView, ...]:
        return self._fetched(tuple[RepoView, ...], "/api/repos")

    def add_repo(self, path: str) -> RepoView:
        return self._sent(RepoView, "/api/repos", {"path": path})

    def bringing(self, path: str) -> Bringing:
        return self._fetched(Bringing, "/api/repos/runnable", repo=path)

    def trust_repo(self, path: str, digest: str = "") -> RepoView:
        return self._sent(RepoView, "/api/repos/trust", {"path": path, "digest": digest})

    def sessions(self, *, archived: bool = False) -> tuple[SessionView, ...]:
        return self._fetched(tuple[SessionView, ...], "/api/sessions", all=archived)

    def session(self, ref: str) -> SessionView:
        return self._fetched(SessionView, session_path(ref))

    def new(self, request: Mapping[str, Any]) -> NewView:
        return self._sent(NewView, "/api/sessions", request)

    def answer(self, ref: str, request: Mapping[str, Any]) -> Attention:
        return self._sent(Attention, session_path(ref, "answer"), request)

    def diff(self, ref: str, *, patch: bool = True) -> Diff:
        return self._fetched(Diff, session_path(ref, "diff"), patch=patch)

    def checks(self, *, fix: bool = False) -> tuple[Check, ...]:
        if fix:
            return self._sent(tuple[Check, ...], "/api/doctor", {"fix": True})
        return self._fetched(tuple[Check, ...], "/api/doctor")

    def events(self, ref: str, after: int = 0) -> Iterator[msgspec.Raw]:
        """The stored events after number `after`, as they came."""
        while True:
            data = self.fetch(session_path(ref, "events"), after=after, limit=PAGE)
            page = msgspec.json.decode(data, type=list[msgspec.Raw])
            yield from page
            if len(page) < PAGE:
                return
            after = seq_of(page[-1])

    def wait(self, refs: Sequence[str], goal: Goal, timeout: float | None = None) -> Waited:
        """Held open by the hub; one that went away and comes back in time is asked again."""
        deadline = None if timeout is None else monotonic() + timeout
        return persist(lambda: self._wait(refs, goal, deadline), RECONNECT_SECONDS)

    def _wait(self, refs: Sequence[str], goal: Goal, deadline: float | None) -> Waited:
        left = None if deadline is None else max(0.0, deadline - monotonic())
        request = {"sessions": list(refs), "for": goal, "timeout": left}
        silence = None if left is None else left + RECONNECT_SECONDS
        return msgspec.json.decode(self.post("/api/wait", request, timeout=silence), type=Waited)

    def _fetched(self, kind: type[T], path: str, **query: Any) -> T:
        return msgspec.json.decode(self.fetch(path, **query), type=kind)

    def _sent(self, kind: type[T], path: str, request: Mapping[str, Any]) -> T:
        return msgspec.json.decode(self.send(path, request), type=kind)


def seq_of(event: msgspec.Raw) -> int:
    return msgspec.json.decode(event, type=_Numbered).seq


class _Numbered(msgspec.Struct):
    seq: int = 0
