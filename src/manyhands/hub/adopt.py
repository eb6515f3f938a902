"""Make a session of a worktree that exists already, its branch and uncommitted work as they are."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec

from manyhands.agents.catalogue import agent_config
from manyhands.config import AgentConfig
from manyhands.errors import BadInput, NotFound, NotPossible, NotTrusted
from manyhands.hub import creation
from manyhands.hub.hub import Hub
from manyhands.hub.new import fresh_session_id
from manyhands.hub.past import conversations_in
from manyhands.hub.repos import require_repo
from manyhands.model import events as e
from manyhands.model.clock import now
from manyhands.model.ids import AgentSessionId, CommandId, SessionId
from manyhands.model.session import Session
from manyhands.model.slug import unique_slug
from manyhands.model.state import Repo, State
from manyhands.model.views import AdoptedView, PastConversation, session_view
from manyhands.store import Decision
from manyhands.workspace.adoption import Found, find_worktree_to_adopt


class Adopt(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    path: str
    resume: str = ""
    """One of the conversations that the agent keeps for the worktree."""
    name: str = ""
    agent: str = ""
    model: str = ""
    mode: e.Mode | None = None


async def adopt(hub: Hub, asked: Adopt, *, command: CommandId | None = None) -> AdoptedView:
    """Harmless to repeat: a worktree that is a session already stays that session."""
    if "\0" in asked.path or not Path(asked.path).is_absolute():
        raise BadInput("a worktree is named by its absolute path")
    found = await asyncio.to_thread(find_worktree_to_adopt, Path(asked.path))
    repo = await require_repo(hub, str(found.repo))
    _require_trusted(repo)
    name = asked.agent or hub.settings.defaults.agent
    agent = agent_config(name, hub.settings)
    past = await conversations_in(hub, name, found.path)
    _require_known(asked, past)
    mode = asked.mode or hub.settings.defaults.mode

    def decide(state: State) -> Decision[SessionId]:
        known = _session_at(state, found.path)
        if known is None:
            created = _created(state, asked, found, repo, name=name, agent=agent, mode=mode)
            step = e.StepStarted(session=created.session, at=now(), step=creation.FIRST_STEP)
            taken = _resumed(created.session, asked)
            return Decision((created, step, *taken), created.session)
        return Decision(_resumed(known.id, asked), known.id)

    session = await hub.write(decide, command=command)
    made = await hub.waiters.until(lambda state: _made(state, session))
    return AdoptedView(**msgspec.structs.asdict(session_view(made)), past=tuple(past))


def _require_trusted(repo: Repo) -> None:
    if not repo.trusted:
        raise NotTrusted(
            f"{repo.path} is not trusted yet, so nothing runs in it",
            hint=f"look at what it would run, then `manyhands repo trust {repo.path}`",
        )


def _require_known(asked: Adopt, past: list[PastConversation]) -> None:
    if asked.resume and all(known.id != asked.resume for known in past):
        raise NotFound(
            f"no conversation {asked.resume!r} is stored for {asked.path}",
            hint=f"`manyhands adopt {asked.path} --json` lists them as `past`",
        )


def _session_at(state: State, path: Path) -> Session | None:
    """The session that the worktree is already, if any; spares are nobody's to adopt."""
    wanted = str(path.resolve())
    for repo in state.all_repos().values():
        if any(str(Path(spare.worktree).resolve()) == wanted for spare in repo.spares):
            raise NotPossible(f"{path} is a spare worktree of Manyhands itself")
    for s in state.all_sessions().values():
        if not s.archived and str(Path(s.worktree).resolve()) == wanted:
            return s
    return None


def _created(
    state: State,
    asked: Adopt,
    found: Found,
    repo: Repo,
    *,
    name: str,
    agent: AgentConfig,
    mode: e.Mode,
) -> e.SessionCreated:
    title = " ".join(asked.name.split()) or found.branch.rsplit("/", 1)[-1] or found.path.name
    slugs = {s.slug for s in state.all_sessions().values()}
    return e.SessionCreated(
        session=SessionId(fresh_session_id(state)),
        at=now(),
        title=title,
        slug=unique_slug(title, slugs),
        repo=repo.path,
        branch=found.branch,
        new_branch=False,
        base=found.base,
        base_commit=found.base_commit,
        base_given=True,
        worktree=str(found.path),
        adopted=True,
        agent=name,
        kind=agent.kind,
        model=asked.model or agent.model,
        mode=mode,
        start=False,
    )


def _resumed(session: SessionId, asked: Adopt) -> tuple[e.AnyEvent, ...]:
    if not asked.resume:
        return ()
    chosen = AgentSessionId(asked.resume)
    return (e.ConversationResumed(session=session, at=now(), agent_session=chosen),)


def _made(state: State, session: SessionId) -> Session | None:
    s = state.session(session)
    return s if s is not None and (s.ready or s.error or s.attention) else None
