"""How people name a session: by id, by a unique beginning of it, or by slug."""

from __future__ import annotations

from pathlib import Path

from manyhands.errors import BadInput, NotFound, NotPossible
from manyhands.model.attention import Attention
from manyhands.model.clock import now
from manyhands.model.ids import SessionId
from manyhands.model.session import Session
from manyhands.model.state import State


def require_alone_in_place(state: State, s: Session) -> None:
    """Refuse where `s` works in a main checkout in which another session does already."""
    for other in state.all_sessions().values() if s.in_place else ():
        if other.in_place and other.repo == s.repo and other.id != s.id and not other.archived:
            raise NotPossible(
                f"{other.slug} works in {s.repo} already, and only one can",
                hint=f"`manyhands archive {other.slug}` first; its files stay as they are",
            )


def require_worktree(s: Session) -> None:
    """Refuse where the directory that the session works in is gone."""
    if s.has_worktree and not s.archived and not Path(s.worktree).is_dir():
        raise NotPossible(
            f"the worktree of {s.slug} is gone: {s.worktree}",
            hint=f"`manyhands checkpoints {s.slug}` lists what is kept, and "
            f"`manyhands fork {s.slug} CHECKPOINT` goes on from there",
        )


def require_session(state: State, ref: str) -> Session:
    """The session that `ref` names; an ambiguous or unknown name says so."""
    exact = state.session(SessionId(ref))
    if exact is not None and not exact.gone:
        return exact
    sessions = [s for s in state.all_sessions().values() if not s.gone]
    # An archived session keeps its slug; a living one with the same slug is meant first.
    named = [s for s in sessions if s.slug == ref]
    living = [s for s in named if not s.archived]
    found = living or named
    if not found and ref:
        found = [s for s in sessions if s.id.startswith(ref)]
    if not found:
        raise NotFound(f"no session is called {ref!r}", hint="`manyhands ls --all` lists them")
    if len(found) > 1:
        names = ", ".join(sorted(f"{s.id} ({s.slug})" for s in found)[:6])
        raise BadInput(f"{ref!r} could be any of: {names}", hint="give more of the id")
    return found[0]


def require_open(s: Session, item: str) -> Attention:
    if not s.attention:
        raise NotPossible(f"{s.slug} has nothing open to answer", hint="`manyhands next` shows all")
    if not item:
        return min(s.attention, key=lambda i: (not i.awake(now()), i.raised_at))
    found = next((i for i in s.attention if i.id == item), None)
    if found is None:
        raise NotFound(f"{s.slug} has no open item {item!r}; it may have been answered already")
    return found
