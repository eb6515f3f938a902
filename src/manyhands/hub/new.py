"""Create a session: a name, a branch, a worktree, and the first message on its way."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec

from manyhands.agents.catalogue import agent_config, require_usable
from manyhands.errors import BadInput, NotTrusted
from manyhands.git import refs
from manyhands.hub import creation
from manyhands.hub.codename import codename
from manyhands.hub.hub import Hub
from manyhands.hub.repos import known_or_added
from manyhands.model import events as e
from manyhands.model.clock import now
from manyhands.model.ids import CommandId, MessageId, Oid, SessionId, fresh_id
from manyhands.model.session import Session
from manyhands.model.slug import require_title, title_of, unique_slug
from manyhands.model.state import Repo, State
from manyhands.model.views import SessionView, session_view
from manyhands.store import Decision

LONGEST_TEXT = 16 * 1024 * 1024
PREFIX = "mh/"


class New(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    repo: str
    text: str = ""
    name: str = ""
    base: str = ""
    agent: str = ""
    model: str = ""
    mode: e.Mode | None = None
    start: bool = True
    detach: bool = False


async def new(hub: Hub, asked: New, *, command: CommandId | None = None) -> SessionView:
    """Returns once the worktree is there, or at once with `detach`."""
    _require_sensible(asked)
    title = require_title(asked.name) or title_of(asked.text)
    repo = await known_or_added(hub, asked.repo)
    if not repo.trusted:
        raise NotTrusted(
            f"{repo.path} is not trusted yet, so nothing runs in it",
            hint=f"look at what it would run, then `manyhands repo trust {repo.path}`",
        )
    name = asked.agent or hub.settings.defaults.agent
    agent = agent_config(name, hub.settings)
    if asked.start:
        await asyncio.to_thread(require_usable, name, hub.settings, hub.home)
    base, commit = await asyncio.to_thread(_base, repo, asked.base)
    branches = set(await asyncio.to_thread(refs.branches, Path(repo.path)))
    prefix = PREFIX if PREFIX.strip("/") not in branches else "mh-"
    mode = asked.mode or hub.settings.defaults.mode
    worktree = hub.home.worktrees / Path(repo.path).name / codename()

    def decide(state: State) -> Decision[SessionId]:
        slug = unique_slug(title, _Taken(state, branches, prefix))
        created = e.SessionCreated(
            session=SessionId(_fresh_session_id(state)),
            at=now(),
            title=title,
            slug=slug,
            repo=repo.path,
            branch=prefix + slug,
            base=base,
            base_commit=commit,
            worktree=str(worktree),
            agent=name,
            kind=agent.kind,
            model=asked.model or agent.model,
            mode=mode,
            start=asked.start,
        )
        return Decision((created, *_first_words(created, asked)), created.session)

    session = await hub.write(decide, command=command)
    if not asked.detach:
        await hub.waiters.until(lambda state: _made(state, session))
    made = hub.state.session(session)
    assert made is not None
    return session_view(made)


def _require_sensible(asked: New) -> None:
    if not asked.text.strip() and asked.start:
        raise BadInput("a session needs a task", hint="say what the agent should do")
    if len(asked.text) > LONGEST_TEXT:
        raise BadInput(f"the message is longer than {LONGEST_TEXT // 2**20} MB")


def _base(repo: Repo, asked: str) -> tuple[str, Oid]:
    path = Path(repo.path)
    if not refs.has_commits(path):
        raise BadInput(
            f"{repo.path} has no commits yet, so there is nothing to branch from",
            hint="make a first commit there",
        )
    base = asked or refs.default_base(path)
    commit = refs.resolve(path, base)
    if commit is None:
        raise BadInput(
            f"{base!r} names no commit in {repo.path}", hint="`git branch -a` lists what there is"
        )
    return base, commit


class _Taken:
    """Slugs that would meet a session, a branch, or a directory of branches."""

    def __init__(self, state: State, branches: set[str], prefix: str) -> None:
        self._slugs = {s.slug for s in state.all_sessions().values()}
        self._branches = branches
        self._prefix = prefix

    def __contains__(self, slug: object) -> bool:
        branch = f"{self._prefix}{slug}"
        return slug in self._slugs or any(
            taken == branch or taken.startswith(branch + "/") for taken in self._branches
        )


def _fresh_session_id(state: State) -> str:
    while state.session(SessionId(id := fresh_id())):
        pass
    return id


def _first_words(created: e.SessionCreated, asked: New) -> list[e.AnyEvent]:
    step = e.StepStarted(session=created.session, at=created.at, step=creation.FIRST_STEP)
    if not asked.start or not asked.text:
        return [step]
    message = e.UserMessage(
        session=created.session, at=created.at, message=MessageId(fresh_id()), text=asked.text
    )
    return [message, step]


def _made(state: State, session: SessionId) -> Session | None:
    s = state.session(session)
    return s if s is not None and (s.ready or s.error) else None
