"""Fork a session: a new one with the files, and where the agent can the dialogue, of a checkpoint.

Branch and worktree are its own. Files come with everything uncommitted and untracked; the
origin is only looked at.
"""

from __future__ import annotations

from manyhands.contract.sessions import SessionView
from manyhands.errors import NotPossible, NotTrusted
from manyhands.hub.core import Hub, view_of, worktree_of
from manyhands.hub.creation.codename import fresh_worktree
from manyhands.hub.creation.new import Taken, fresh_session_id, made_ready
from manyhands.hub.creation.steps import creation
from manyhands.hub.files.checkpoints import kept, make_checkpoint, require_checkpoint
from manyhands.model import events as e
from manyhands.model.ids import AgentSessionId, CommandId, SessionId
from manyhands.model.session.history import Checkpoint
from manyhands.model.session.session import Session
from manyhands.model.slug import LONGEST_TITLE, unique_slug
from manyhands.model.state import Repo, State
from manyhands.model.workspace.branch_names import BranchNames
from manyhands.station.creation.start import load_fork_start
from manyhands.station.worktree import is_there
from manyhands.store import Decision


async def fork(
    hub: Hub, ref: str, checkpoint: str = "", *, command: CommandId | None = None
) -> SessionView:
    """From a checkpoint by its id, or from what is there now."""
    s = await kept(hub, ref)
    repo = _require_trusted(hub, s)
    source = require_checkpoint(s, checkpoint) if checkpoint else await _now(hub, s)
    start = await load_fork_start(worktree_of(hub, s), source.commit)
    names = BranchNames(start.template, start.heads)
    worktree = str(fresh_worktree(hub.home, s.repo))

    def decide(state: State) -> Decision[SessionId]:
        title = f"{s.title} (fork)"[:LONGEST_TITLE]
        slug = unique_slug(title, Taken(state, repo, names, ""))
        created = e.SessionCreated(
            session=fresh_session_id(state),
            title=title,
            slug=slug,
            repo=s.repo,
            branch=names.name(slug),
            base=s.workspace.base,
            base_commit=s.workspace.base_commit,
            base_tip=start.base_tip,
            base_given=True,
            tip=start.tip,
            worktree=worktree,
            agent=s.main.agent,
            kind=s.main.kind,
            model=s.main.model,
            mode=s.mode,
            box=s.boxing.wish.level,
            network=s.boxing.wish.network,
            start=False,
            origin=s.id,
            seed=source.commit,
            fork_of=source.agent_session if source.mark else AgentSessionId(""),
            fork_at=source.mark,
            fork_in=_dialogue(s) if source.mark else "",
        )
        begun = creation(created.session, created.repo)
        return Decision((created, *begun, *_notes(created, source)), created.session)

    session = await hub.write(decide, command=command)
    return view_of(hub, await hub.until(lambda state: made_ready(state, session)))


def _require_trusted(hub: Hub, s: Session) -> Repo:
    repo = hub.state.repo(s.repo)
    if repo is None or not repo.trusted:
        raise NotTrusted(f"{s.repo} is not trusted, so nothing runs in it")
    return repo


async def _now(hub: Hub, s: Session) -> Checkpoint:
    if s.life.archived or not s.life.ready or not await is_there(worktree_of(hub, s)):
        raise NotPossible(
            f"{s.slug} has no worktree to fork from", hint="name one of its checkpoints"
        )
    return await make_checkpoint(hub, s.id)


def _dialogue(s: Session) -> str:
    """Where it was led, which goes along where the checkpoint knows its point in it."""
    return s.main.fork.worktree if s.main.fork and s.main.fork.worktree else s.workspace.worktree


def _notes(created: e.SessionCreated, source: Checkpoint) -> list[e.AnyEvent]:
    if created.fork_of or not source.turn:
        return []
    text = "the dialogue could not be forked at this point, so the agent begins a new one"
    return [e.NoteMade(session=created.session, text=text)]
