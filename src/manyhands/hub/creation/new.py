"""Create a session: a name, a branch, a worktree, and the first message on its way."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import msgspec

from manyhands.agents.catalogue import agent_config, require_mode, require_usable
from manyhands.config import Settings
from manyhands.contract.sessions import New, NewView
from manyhands.errors import BadInput, NotPossible, NotTrusted
from manyhands.hub.core import Boxes, Hub, require_session, view_of
from manyhands.hub.core.names import require_alone_in_place
from manyhands.hub.creation.codename import fresh_worktree
from manyhands.hub.creation.pool import spare_to_lease
from manyhands.hub.creation.steps import creation
from manyhands.hub.fleet.past import require_past
from manyhands.hub.fleet.say import keep_attachments, require_short
from manyhands.hub.repos.repos import require_repo
from manyhands.hub.trackers.issues import taken_in
from manyhands.model import events as e
from manyhands.model.ids import AgentSessionId, CommandId, MessageId, SessionId, fresh_id
from manyhands.model.landing.events import Issue, IssueLinked
from manyhands.model.quoting import quoted
from manyhands.model.session.session import Session
from manyhands.model.slug import require_title, title_of, unique_slug
from manyhands.model.state import Repo, Spare, State
from manyhands.model.workspace.branch_names import BranchNames
from manyhands.model.workspace.workspace import Workspace
from manyhands.providers import spoken
from manyhands.station.creation.start import Start, load_start
from manyhands.station.environment import load_file_secrets
from manyhands.station.repos import is_main_checkout
from manyhands.store import Decision

FIRST_WORDS = 4000
"""Characters in which a title is looked for."""


async def new(hub: Hub, asked: New, *, command: CommandId | None = None) -> NewView:
    """Returns once the worktree is there, or at once with `detach`."""
    asked, issue = await _with_issue(hub, asked)
    _require_sensible(asked)
    repo = await _require_trusted(hub, asked.repo)
    title = await _clean_title(hub, asked, repo.path)
    name = asked.agent or hub.settings.defaults.agent
    agent = agent_config(name, hub.settings)
    if asked.start:
        await asyncio.to_thread(require_usable, name, hub.settings, hub.home)
    wanted = {"base": asked.base, "branch": asked.branch}
    start = await load_start(repo.path, **wanted, in_place=asked.in_place)
    names = BranchNames(start.template, start.heads)
    mode = asked.mode or hub.settings.defaults.mode
    require_mode(name, hub.settings, mode)
    worktree = repo.path if asked.in_place else str(fresh_worktree(hub.home, repo.path))
    notice, session = review_notice(hub.state, hub.settings), fresh_session_id(hub.state)
    attached = await keep_attachments(hub, session, asked.attachments)
    dialogue = await require_past(hub, name, repo.path, asked.resume) if asked.resume else None

    def decide(state: State) -> Decision[SessionId]:
        slug = unique_slug(title, Taken(state, repo, names, start.branch))
        _require_alone(state, repo, asked, start)
        wants_spare = hub.settings.workspaces.pool > 0 and not asked.in_place and not start.tip
        known = state.repo(repo.path) or repo
        spare = spare_to_lease(known, start.base_commit) if wants_spare else None
        created = e.SessionCreated(
            session=session,
            title=title,
            slug=slug,
            repo=repo.path,
            branch=start.branch if start.branch or asked.in_place else names.name(slug),
            new_branch=start.new_branch,
            base=start.base,
            base_commit=start.base_commit,
            base_tip=start.base_tip,
            base_given=start.base_given,
            tip=start.tip,
            in_place=asked.in_place,
            spare=known.token + 1 if spare else 0,
            worktree=spare.worktree if spare else worktree,
            agent=name,
            kind=agent.kind,
            model=asked.model or agent.model,
            effort=asked.effort or agent.effort or "",
            mode=mode,
            **_own(asked),
            start=asked.start,
            fork_of=dialogue.id if dialogue else AgentSessionId(""),
            fork_in=dialogue.directory if dialogue else "",
        )
        begun = _begun(created, asked, attached, issue, spare)
        return Decision((*_moved_default(known, start), *begun), session)

    made = await hub.write(decide, command=command)
    if not asked.detach:
        await hub.part(Boxes).learn(await hub.until(lambda state: made_ready(state, made)))
    view = view_of(hub, require_session(hub.state, made))
    return NewView(**msgspec.structs.asdict(view), notice=notice)


def _own(asked: New) -> dict[str, Any]:
    """What is chosen for the session alone; None: as it is configured."""
    names = ("budget_usd", "budget_minutes", "box", "network")
    return {name: getattr(asked, name) for name in names}


async def _clean_title(hub: Hub, asked: New, repo: str) -> str:
    """Without secrets before it names a branch, where no redaction could reach it any more."""
    hub.redactor.learn(await load_file_secrets(repo))
    named = hub.redactor.text(require_title(asked.name))
    return named or title_of(hub.redactor.text(spoken(asked.text)[:FIRST_WORDS]))


def review_notice(state: State, settings: Settings) -> str:
    """People are the bottleneck: say so where much is finished and nobody has looked."""
    most = settings.limits.unread
    waiting = sum(map(is_unread, state.all_sessions().values()))
    if not most or waiting < most:
        return ""
    return f"{waiting} {'session waits' if waiting == 1 else 'sessions wait'} for your review"


def is_unread(s: Session) -> bool:
    """Finished, and nobody has looked at what came of it."""
    return s.inbox.unread and s.status == "idle"


async def _with_issue(hub: Hub, asked: New) -> tuple[New, Issue | None]:
    """What was asked, with the issue's or the item's words in it."""
    if not asked.issue and asked.item is None:
        return asked, None
    repo = (await _require_trusted(hub, asked.repo)).path
    issue, text = await taken_in(hub, repo, str(asked.issue or ""), asked.item, asked.text)
    name = asked.name or title_of(issue.title)
    return msgspec.structs.replace(asked, text=text, name=name), issue


def _require_sensible(asked: New) -> None:
    if not asked.text.strip() and asked.start:
        raise BadInput("a session needs a task", hint="say what the agent should do")
    require_short(asked.text)
    if asked.in_place and (asked.base or asked.branch):
        raise BadInput("--in-place takes the checkout as it is: leave out --base and --branch")


async def _require_trusted(hub: Hub, path: str) -> Repo:
    repo = hub.state.repo(path)
    # A main checkout that was added before need not be looked for again.
    if repo is None or not await is_main_checkout(path):
        repo = await require_repo(hub, path)
    return require_trusted(repo)


def require_trusted(repo: Repo) -> Repo:
    if not repo.trusted:
        raise NotTrusted(
            f"{repo.path} is not trusted yet, so nothing runs in it",
            hint=f"look at what it would run, then `manyhands repo trust {quoted(repo.path)}`",
        )
    return repo


def _require_alone(state: State, repo: Repo, asked: New, start: Start) -> None:
    """One session per branch, and one in the main checkout."""
    if asked.in_place:
        wanted = Session(id=SessionId(""), repo=repo.path, workspace=Workspace(in_place=True))
        require_alone_in_place(state, wanted)
        return
    for s in state.all_sessions().values():
        if s.repo != repo.path or s.life.archived or s.workspace.in_place or not start.branch:
            continue
        if s.workspace.branch == start.branch:
            raise NotPossible(f"{s.slug} is on the branch {s.workspace.branch} already")


def _moved_default(known: Repo, start: Start) -> Iterator[e.AnyEvent]:
    if known.default_base != start.default_base:
        yield e.RepoAdded(path=known.path, default_base=start.default_base)


def _begun(
    created: e.SessionCreated,
    asked: New,
    attached: tuple[e.Attachment, ...],
    issue: Issue | None,
    spare: Spare | None,
) -> Iterator[e.AnyEvent]:
    """All that goes on record with the session, which by this very decision gets its spare."""
    session = created.session
    yield created
    if asked.start and asked.text:
        id = MessageId(fresh_id())
        yield e.UserMessage(session=session, message=id, text=asked.text, attachments=attached)
    yield from creation(session, created.repo)
    if issue:
        yield IssueLinked(session=session, issue=issue)
    if spare:
        yield e.SpareLeased(path=created.repo, spare=spare.id, token=created.spare, holder=session)
        # What was found when it was filled is the session's to know, if nothing has moved since.
        if spare.note and spare.commit == created.base_commit:
            yield e.NoteMade(session=session, text=spare.note)


class Taken:
    """Slugs that would meet a session, a branch, or a directory of branches."""

    def __init__(self, state: State, repo: Repo, names: BranchNames, branch: str) -> None:
        sessions = state.all_sessions().values()
        self._slugs = {s.slug for s in sessions}
        self._branches = {s.workspace.branch for s in sessions if s.repo == repo.path}
        self._names = names
        self._has_branch = bool(branch)

    def __contains__(self, slug: object) -> bool:
        if slug in self._slugs or self._has_branch:
            return slug in self._slugs
        name = str(slug)
        return self._names.is_taken(name) or self._names.name(name) in self._branches


def fresh_session_id(state: State) -> SessionId:
    while state.session(id := SessionId(fresh_id())):
        pass
    return id


def made_ready(state: State, session: SessionId) -> Session | None:
    s = state.session(session)
    if s is None:
        return None
    # A setup may take minutes: whoever asked gets the worktree, and can follow the rest.
    return s if s.life.ready or s.life.error or s.inbox.items or s.life.step == "setup" else None
