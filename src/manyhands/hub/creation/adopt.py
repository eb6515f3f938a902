"""Make a session of a worktree that exists already, its branch and uncommitted work as they are."""

from __future__ import annotations

from pathlib import PurePath

import msgspec

from manyhands.agents.catalogue import agent_config
from manyhands.contract.sessions import Adopt, AdoptedView
from manyhands.errors import BadInput, NotFound, NotPossible
from manyhands.hub.core import Hub, view_of
from manyhands.hub.creation.new import fresh_session_id, made_ready, require_trusted
from manyhands.hub.creation.steps import creation
from manyhands.hub.fleet.past import conversations_in
from manyhands.hub.repos.repos import require_repo
from manyhands.model import events as e
from manyhands.model.agent.views import PastConversation
from manyhands.model.ids import AgentSessionId, CommandId, SessionId
from manyhands.model.quoting import quoted
from manyhands.model.session.session import Session
from manyhands.model.slug import unique_slug
from manyhands.model.state import State
from manyhands.station.creation.worktrees import Adopted, find_adoptable
from manyhands.store import Decision


async def adopt(hub: Hub, asked: Adopt, *, command: CommandId | None = None) -> AdoptedView:
    """Harmless to repeat: a worktree that is a session already stays that session."""
    if "\0" in asked.path or not PurePath(asked.path).is_absolute():
        raise BadInput("a worktree is named by its absolute path")
    found = await find_adoptable(asked.path, _worktrees(hub.state))
    repo = await require_repo(hub, found.repo)
    require_trusted(repo)
    name = asked.agent or hub.settings.defaults.agent
    agent = agent_config(name, hub.settings)
    past = await conversations_in(hub, name, found.path)
    _require_known(asked, past)
    mode = asked.mode or hub.settings.defaults.mode
    directory = found.branch.rsplit("/", 1)[-1] or PurePath(found.path).name
    title = " ".join(asked.name.split()) or directory

    def decide(state: State) -> Decision[SessionId]:
        if (known := _session_at(state, found)) is not None:
            return Decision(_resumed(known.id, asked), known.id)
        created = e.SessionCreated(
            session=fresh_session_id(state),
            title=title,
            slug=unique_slug(title, {s.slug for s in state.all_sessions().values()}),
            repo=repo.path,
            branch=found.branch,
            new_branch=False,
            base=found.base,
            base_commit=found.base_commit,
            base_tip=found.base_tip,
            base_given=True,
            worktree=found.path,
            adopted=True,
            agent=name,
            kind=agent.kind,
            model=asked.model or agent.model,
            mode=mode,
            start=False,
        )
        begun = creation(created.session, created.repo)
        taken = _resumed(created.session, asked)
        return Decision((created, *begun, *taken), created.session)

    session = await hub.write(decide, command=command)
    made = await hub.until(lambda state: made_ready(state, session))
    return AdoptedView(**msgspec.structs.asdict(view_of(hub, made)), past=tuple(past))


def _require_known(asked: Adopt, past: list[PastConversation]) -> None:
    if asked.resume and all(known.id != asked.resume for known in past):
        raise NotFound(
            f"no conversation {asked.resume!r} is stored for {asked.path}",
            hint=f"`manyhands adopt {quoted(asked.path)} --json` lists them as `past`",
        )


def _worktrees(state: State) -> frozenset[str]:
    living = [s for s in state.all_sessions().values() if not s.life.archived]
    spares = [spare.worktree for repo in state.all_repos().values() for spare in repo.spares]
    return frozenset([*spares, *(s.workspace.worktree for s in living)])


def _session_at(state: State, found: Adopted) -> Session | None:
    """The session that the worktree is already, if any; spares are nobody's to adopt."""
    for repo in state.all_repos().values():
        if any(spare.worktree in found.same for spare in repo.spares):
            raise NotPossible(f"{found.path} is a spare worktree of Manyhands itself")
    for s in state.all_sessions().values():
        if not s.life.archived and s.workspace.worktree in found.same:
            return s
    return None


def _resumed(session: SessionId, asked: Adopt) -> tuple[e.AnyEvent, ...]:
    if not asked.resume:
        return ()
    chosen = AgentSessionId(asked.resume)
    return (e.ConversationResumed(session=session, agent_session=chosen),)
