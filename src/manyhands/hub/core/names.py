"""A session as operations need it: found by its id, a unique beginning of it or its slug; what must
hold of it before anything is done; where its files lie, and what code of it may see."""

from __future__ import annotations

from manyhands.errors import BadInput, NotFound, NotPossible
from manyhands.hub.core.hub import Hub
from manyhands.model.ids import SessionId
from manyhands.model.session.session import Session
from manyhands.model.session.variables import session_variables
from manyhands.model.state import State
from manyhands.station.environment import load_environment
from manyhands.station.worktree import Worktree, find_harm, require_repository


def require_alone_in_place(state: State, s: Session) -> None:
    """Refuse where `s` works in a main checkout in which another session does already."""
    for other in state.all_sessions().values() if s.workspace.in_place else ():
        if (
            other.workspace.in_place
            and other.repo == s.repo
            and other.id != s.id
            and not other.life.archived
        ):
            raise NotPossible(
                f"{other.slug} works in {s.repo} already, and only one can",
                hint=f"`manyhands archive {other.slug}` first; its files stay as they are",
            )


def require_session(state: State, ref: str) -> Session:
    """The session that `ref` names; an ambiguous or unknown name says so."""
    exact = state.session(SessionId(ref))
    if exact is not None and not exact.life.gone:
        return exact
    sessions = [s for s in state.all_sessions().values() if not s.life.gone]
    # An archived session keeps its slug; a living one with the same slug is meant first.
    named = [s for s in sessions if s.slug == ref]
    living = [s for s in named if not s.life.archived]
    found = living or named
    if not found and ref:
        found = [s for s in sessions if s.id.startswith(ref)]
    if not found:
        raise NotFound(f"no session is called {ref!r}", hint="`manyhands ls --all` lists them")
    if len(found) > 1:
        names = ", ".join(sorted(f"{s.id} ({s.slug})" for s in found)[:6])
        raise BadInput(f"{ref!r} could be any of: {names}", hint="give more of the id")
    return found[0]


def require_living(s: Session) -> None:
    if s.life.archived:
        raise NotPossible(f"{s.slug} is archived", hint=f"`manyhands restore {s.slug}` first")


def require_ready(s: Session, hint: str = "") -> None:
    require_living(s)
    if not s.life.ready:
        raise NotPossible(f"{s.slug} is not ready yet", hint=hint)


def worktree_of(hub: Hub, s: Session) -> Worktree:
    return Worktree(
        session=s.id,
        repo=s.repo,
        path=s.workspace.worktree,
        base=s.workspace.base_commit,
        kept=str(hub.home.sessions / s.id),
        lock=str(hub.home.keeper_lock(s.id)),
        copied=s.workspace.copied,
        branch=s.workspace.branch,
        base_name=s.workspace.base,
        in_place=s.workspace.in_place,
        secrets=hub.redactor.known,
        locks=str(hub.home.locks),
    )


async def agent_environment(hub: Hub, s: Session) -> dict[str, str]:
    """For code of the repository, which the agent may have written."""
    passed = hub.last_settings.environment.passed
    return await load_environment(hub.home, worktree_of(hub, s), session_variables(s), passed)


async def require_worktree(hub: Hub, s: Session) -> None:
    """Refuse where the directory that the session works in is gone, or not git's any more."""
    if not s.life.has_worktree or s.life.archived:
        return
    at = worktree_of(hub, s)
    require_repository(at.repository)
    if harm := await find_harm(at):
        raise NotPossible(
            f"{s.slug}: {harm} ({s.workspace.worktree})",
            hint=f"`manyhands restore {s.slug}` brings it back",
        )
