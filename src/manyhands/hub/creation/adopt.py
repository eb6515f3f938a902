"""Make a session of a worktree that exists already, its branch and uncommitted work as they are."""

from __future__ import annotations

from pathlib import PurePath

import msgspec

from manyhands.agents.catalogue import agent_config
from manyhands.agents.known import capabilities_of
from manyhands.contract.sessions import Adopt, AdoptedView
from manyhands.errors import BadInput, ManyhandsError, NotFound, NotPossible, NotTrusted
from manyhands.hub.core import Hub, view_of
from manyhands.hub.creation.new import fresh_session_id, made_ready, require_trusted
from manyhands.hub.creation.steps import creation
from manyhands.hub.fleet.past import conversations_in
from manyhands.hub.repos.repos import require_repo
from manyhands.hub.repos.trust import unapproved
from manyhands.model import events as e
from manyhands.model.agent.views import PastConversation
from manyhands.model.ids import AgentSessionId, CommandId, SessionId
from manyhands.model.quoting import quoted
from manyhands.model.session.session import Session
from manyhands.model.slug import unique_slug
from manyhands.model.state import Repo, State
from manyhands.station.creation.worktrees import Adopted, find_adoptable
from manyhands.station.repos import load_in_worktree
from manyhands.station.worktree import Worktree
from manyhands.store import Decision


async def adopt(hub: Hub, asked: Adopt, *, command: CommandId | None = None) -> AdoptedView:
    """Harmless to repeat: a worktree that is a session already stays that session."""
    if "\0" in asked.path or not PurePath(asked.path).is_absolute():
        raise BadInput("a worktree is named by its absolute path")
    found = await find_adoptable(asked.path, _worktrees(hub.state))
    repo = await require_repo(hub, found.repo)
    require_trusted(repo)
    known = _session_at(hub.state, found)
    name = asked.agent or (known.main.agent if known else "") or hub.settings.defaults.agent
    agent = agent_config(name, hub.settings)
    past, unlisted = await _past(hub, asked, found, repo, name)
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
        notes = [e.NoteMade(session=created.session, text=text) for text in unlisted]
        begun = creation(created.session, created.repo)
        taken = _resumed(created.session, asked)
        return Decision((created, *notes, *begun, *taken), created.session)

    session = await hub.write(decide, command=command)
    made = await hub.until(lambda state: made_ready(state, session))
    return AdoptedView(**msgspec.structs.asdict(view_of(hub, made)), past=tuple(past))


async def _past(
    hub: Hub, asked: Adopt, found: Adopted, repo: Repo, agent: str
) -> tuple[list[PastConversation], list[str]]:
    """What the agent keeps of conversations there; why it could not be asked, if it could not,
    which keeps nobody from adopting unless one of them is to be gone on with."""
    config = agent_config(agent, hub.settings)
    if not asked.resume and capabilities_of(config).past == "no":
        return [], []
    try:
        if config.kind != "claude":
            await _require_looked_at(found, repo, agent)
        past = await conversations_in(hub, agent, found.path, repo.path)
    except ManyhandsError as error:
        if asked.resume:
            raise
        return [], [f"Earlier conversations of {agent} in this place are not known: {error}"]
    if asked.resume and all(known.id != asked.resume for known in past):
        raise NotFound(
            f"{agent} keeps no conversation {asked.resume!r} for {asked.path}",
            hint=f"`manyhands adopt {quoted(asked.path)} --json` lists them as `past`",
        )
    return past, []


async def _require_looked_at(found: Adopted, repo: Repo, agent: str) -> None:
    """An agent that is asked about a place may read its settings, and run what they name."""
    at = Worktree(
        session=SessionId(""), repo=repo.path, path=found.path, base=found.base_commit, kept=""
    )
    if fresh := unapproved(repo, await load_in_worktree(at)):
        names = ", ".join(p.path for p in fresh[:3]) + (" …" if len(fresh) > 3 else "")
        raise NotTrusted(
            f"nobody has looked at {names} there yet, so {agent} was not asked",
            hint="adopt it without --resume, and answer what the session asks; then try again",
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
