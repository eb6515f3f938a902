"""Fork a session: a new one with the files, and where the agent can the dialogue, of a checkpoint.

Branch and worktree are its own. Files come with everything uncommitted and untracked; the
origin is only looked at.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec

from manyhands.errors import NotPossible, NotTrusted
from manyhands.git.refs import has_commits
from manyhands.git.snapshot import load_snapshot
from manyhands.hub import creation
from manyhands.hub.checkpoints import make_checkpoint, require_checkpoint
from manyhands.hub.codename import fresh_worktree
from manyhands.hub.hub import Hub
from manyhands.hub.names import require_session
from manyhands.hub.new import Taken, fresh_session_id, made_ready
from manyhands.model import events as e
from manyhands.model.clock import now
from manyhands.model.ids import AgentSessionId, CommandId, Oid, SessionId
from manyhands.model.session import Checkpoint, Session
from manyhands.model.slug import LONGEST_TITLE, unique_slug
from manyhands.model.state import Repo, State
from manyhands.model.views import SessionView, session_view
from manyhands.store import Decision
from manyhands.workspace.repo_config import load_repo_config
from manyhands.workspace.starting_point import BranchNames, starting_point


async def fork(
    hub: Hub, ref: str, checkpoint: str = "", *, command: CommandId | None = None
) -> SessionView:
    """From a checkpoint by its id, or from what is there now."""
    s = require_session(hub.state, ref)
    repo = _require_trusted(hub, s)
    source = require_checkpoint(s, checkpoint) if checkpoint else await _now(hub, s)
    head, names = await asyncio.to_thread(_look, s, source)
    worktree = str(fresh_worktree(hub.home, s.repo))

    def decide(state: State) -> Decision[SessionId]:
        title = f"{s.title} (fork)"[:LONGEST_TITLE]
        slug = unique_slug(title, Taken(state, repo, names, ""))
        created = msgspec.structs.replace(
            _like(s, source),
            session=SessionId(fresh_session_id(state)),
            title=title,
            slug=slug,
            worktree=worktree,
            branch=names.name(slug),
            tip=head,
        )
        begun = e.StepStarted(session=created.session, at=created.at, step=creation.FIRST_STEP)
        return Decision((created, begun, *_notes(created, source)), created.session)

    session = await hub.write(decide, command=command)
    await hub.waiters.until(lambda state: made_ready(state, session))
    return session_view(require_session(hub.state, session))


def _require_trusted(hub: Hub, s: Session) -> Repo:
    repo = hub.state.repo(s.repo)
    if repo is None or not repo.trusted:
        raise NotTrusted(f"{s.repo} is not trusted, so nothing runs in it")
    return repo


async def _now(hub: Hub, s: Session) -> Checkpoint:
    if s.archived or not s.ready or not Path(s.worktree).is_dir():
        raise NotPossible(
            f"{s.slug} has no worktree to fork from", hint="name one of its checkpoints"
        )
    return await make_checkpoint(hub, s.id)


def _look(s: Session, source: Checkpoint) -> tuple[Oid, BranchNames]:
    """The commit that the new branch begins at, and the names that are free for it."""
    repo = Path(s.repo)
    if not has_commits(repo):
        raise NotPossible(f"{s.repo} has no commits any more")
    head = Oid(load_snapshot(repo, source.commit).manifest.head) or s.base_commit
    table = starting_point(repo, base=s.base_commit).table
    return head, BranchNames(load_repo_config(repo).worktree.branch, table.heads)


def _like(s: Session, source: Checkpoint) -> e.SessionCreated:
    """The dialogue goes along where the checkpoint knows its point in it."""
    dialogue = s.fork.worktree if s.fork and s.fork.worktree else s.worktree
    return e.SessionCreated(
        at=now(),
        title=s.title,
        slug=s.slug,
        repo=s.repo,
        branch=s.branch,
        base=s.base,
        base_commit=s.base_commit,
        base_given=True,
        worktree=s.worktree,
        agent=s.agent,
        kind=s.kind,
        model=s.model,
        mode=s.mode,
        start=False,
        origin=s.id,
        seed=source.commit,
        fork_of=source.agent_session if source.mark else AgentSessionId(""),
        fork_at=source.mark,
        fork_in=dialogue if source.mark else "",
    )


def _notes(created: e.SessionCreated, source: Checkpoint) -> list[e.AnyEvent]:
    if created.fork_of or not source.turn:
        return []
    text = "the dialogue could not be forked at this point, so the agent begins a new one"
    return [e.NoteMade(session=created.session, at=created.at, text=text)]
