"""What can be asked of the hub, in types; each call is one request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from manyhands.client.connection import Connection, persist, session_path
from manyhands.contract.hub import Finding, HubStatus, Link
from manyhands.contract.repos import Bringing, RepoView
from manyhands.contract.sessions import Goal, NewView, SessionView, Waited
from manyhands.model.attention.attention import Attention
from manyhands.model.clock import monotonic

PAGE = 1000
RECONNECT_SECONDS = 15.0
"""How long `wait` looks for a hub that went away before it gives up."""

T = TypeVar("T")


class Client(Connection):
    """The typed calls. Where the answer is only passed on, take `fetch`'s bytes instead."""

    def status(self) -> HubStatus:
        return self._fetched(HubStatus, "/api/status", timeout=10.0)

    def link(self) -> str:
        """A fresh one-time link to the page."""
        return self.links()[0]

    def links(self) -> tuple[str, ...]:
        """One-time links to the page: on this machine, then under each other name of the hub."""
        made = msgspec.json.decode(self.post("/api/link"), type=Link)
        return (made.url, *made.others)

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

    def slugs(self) -> dict[str, str]:
        """How people call each session, by its id."""
        return {session.id: session.slug for session in self.sessions(archived=True)}

    def session(self, ref: str) -> SessionView:
        return self._fetched(SessionView, session_path(ref))

    def new(self, request: Mapping[str, Any]) -> NewView:
        return self._sent(NewView, "/api/sessions", request)

    def answer(self, ref: str, request: Mapping[str, Any]) -> Attention:
        return self._sent(Attention, session_path(ref, "answer"), request)

    def checks(self, *, fix: bool = False) -> tuple[Finding, ...]:
        if fix:
            return self._sent(tuple[Finding, ...], "/api/doctor", {"fix": True})
        return self._fetched(tuple[Finding, ...], "/api/doctor")

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
