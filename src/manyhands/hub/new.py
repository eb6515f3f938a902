"""Create a session: a name, a branch, a worktree, and the first message on its way."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

import msgspec

from manyhands.agents.catalogue import agent_config, require_mode, require_usable
from manyhands.config import Settings, Sum
from manyhands.errors import BadInput, NotPossible, NotTrusted
from manyhands.hub import creation
from manyhands.hub.attachments import Given, keep_attachments
from manyhands.hub.codename import fresh_worktree
from manyhands.hub.hub import Hub
from manyhands.hub.issues import Item, taken_in
from manyhands.hub.names import require_alone_in_place, require_session
from manyhands.hub.past import require_past
from manyhands.hub.repos import require_repo
from manyhands.model import events as e
from manyhands.model.clock import now
from manyhands.model.ids import AgentSessionId, CommandId, MessageId, SessionId, fresh_id
from manyhands.model.landing_events import Issue, IssueLinked
from manyhands.model.session import Session
from manyhands.model.slug import require_title, title_of, unique_slug
from manyhands.model.state import Repo, State
from manyhands.model.views import NewView, session_view
from manyhands.store import Decision
from manyhands.workspace.pool import spare_to_lease
from manyhands.workspace.repo_config import load_repo_config
from manyhands.workspace.starting_point import (
    DEFAULT_BRANCH,
    BranchNames,
    StartingPoint,
    require_template,
    starting_point,
    starting_point_in_place,
)

LONGEST_TEXT = 16 * 1024 * 1024


class New(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    repo: str
    text: str = ""
    name: str = ""
    base: str = ""
    branch: str = ""
    """A branch that exists, or that the new one is to be called."""
    in_place: bool = False
    """In the main checkout, without a worktree."""
    agent: str = ""
    model: str = ""
    effort: e.Effort | None = None
    mode: e.Mode | None = None
    budget_usd: Sum | None = None
    budget_minutes: Sum | None = None
    attachments: tuple[Given, ...] = ()
    resume: str = ""
    """A conversation that the agent keeps for the repository, to go on with in a copy."""
    start: bool = True
    detach: bool = False
    issue: int = 0
    """The number of the forge's issue that is the task."""
    item: Item | None = None
    """The item of a file that is the task."""


async def new(hub: Hub, asked: New, *, command: CommandId | None = None) -> NewView:
    """Returns once the worktree is there, or at once with `detach`."""
    asked, issue = await _with_issue(hub, asked)
    _require_sensible(asked)
    title = require_title(asked.name) or title_of(asked.text)
    repo = await _require_trusted(hub, asked.repo)
    name = asked.agent or hub.settings.defaults.agent
    agent = agent_config(name, hub.settings)
    if asked.start:
        await asyncio.to_thread(require_usable, name, hub.settings, hub.home)
    start, names = await asyncio.to_thread(_start, repo, asked)
    mode = _mode(hub.settings, name, asked)
    worktree = repo.path if asked.in_place else str(fresh_worktree(hub.home, repo.path))
    notice = review_notice(hub.state, hub.settings)
    session = SessionId(fresh_session_id(hub.state))
    attached = await keep_attachments(hub, session, asked.attachments)
    dialogue = await require_past(hub, name, repo.path, asked.resume) if asked.resume else None

    def decide(state: State) -> Decision[SessionId]:
        slug = unique_slug(title, Taken(state, repo, names, start.branch))
        _require_alone(state, repo, asked, start)
        wants_spare = hub.settings.workspaces.pool > 0 and not asked.in_place and not start.tip
        leased = _leased(state, repo, session, start) if wants_spare else None
        created = e.SessionCreated(
            session=session,
            at=now(),
            title=title,
            slug=slug,
            repo=repo.path,
            branch=start.branch if start.branch or asked.in_place else names.name(slug),
            new_branch=start.new_branch,
            base=start.base,
            base_commit=start.base_commit,
            base_given=start.base_given,
            tip=start.tip,
            in_place=asked.in_place,
            spare=leased.event.token if leased else 0,
            worktree=leased.worktree if leased else worktree,
            agent=name,
            kind=agent.kind,
            model=asked.model or agent.model,
            effort=asked.effort or agent.effort or "",
            mode=mode,
            budget_usd=asked.budget_usd,
            budget_minutes=asked.budget_minutes,
            start=asked.start,
            fork_of=dialogue.id if dialogue else AgentSessionId(""),
            fork_in=dialogue.directory if dialogue else "",
        )
        words = [*_first_words(created, asked, attached), *_linked(created, issue)]
        events = [*_moved_default(state, repo, start), created, *words]
        if leased:
            events += [leased.event, *leased.notes]
        return Decision(events, session)

    made = await hub.write(decide, command=command)
    if not asked.detach:
        await hub.waiters.until(lambda state: made_ready(state, made))
    view = session_view(require_session(hub.state, made))
    return NewView(**msgspec.structs.asdict(view), notice=notice)


def _mode(settings: Settings, agent: str, asked: New) -> e.Mode:
    mode = asked.mode or settings.defaults.mode
    require_mode(agent, settings, mode)
    return mode


def review_notice(state: State, settings: Settings) -> str:
    """People are the bottleneck: say so where much is finished and nobody has looked."""
    most = settings.limits.unread
    waiting = sum(map(is_unread, state.all_sessions().values()))
    if not most or waiting < most:
        return ""
    return f"{waiting} {'session waits' if waiting == 1 else 'sessions wait'} for your review"


def is_unread(s: Session) -> bool:
    """Finished, and nobody has looked at what came of it."""
    return s.unread and s.status == "idle"


async def _with_issue(hub: Hub, asked: New) -> tuple[New, Issue | None]:
    """What was asked, with the issue's or the item's words in it."""
    if not asked.issue and asked.item is None:
        return asked, None
    repo = (await _require_trusted(hub, asked.repo)).path
    issue, text = await taken_in(hub, repo, asked.issue, asked.item, asked.text)
    name = asked.name or title_of(issue.title)
    return msgspec.structs.replace(asked, text=text, name=name), issue


def _linked(created: e.SessionCreated, issue: Issue | None) -> list[e.AnyEvent]:
    return [IssueLinked(session=created.session, at=created.at, issue=issue)] if issue else []


def _require_sensible(asked: New) -> None:
    if not asked.text.strip() and asked.start:
        raise BadInput("a session needs a task", hint="say what the agent should do")
    if len(asked.text) > LONGEST_TEXT:
        raise BadInput(f"the message is longer than {LONGEST_TEXT // 2**20} MB")
    if asked.in_place and (asked.base or asked.branch):
        raise BadInput("--in-place takes the checkout as it is: leave out --base and --branch")


async def _require_trusted(hub: Hub, path: str) -> Repo:
    repo = _known_repo(hub, path) or await require_repo(hub, path)
    if not repo.trusted:
        raise NotTrusted(
            f"{repo.path} is not trusted yet, so nothing runs in it",
            hint=f"look at what it would run, then `manyhands repo trust {repo.path}`",
        )
    return repo


def _known_repo(hub: Hub, path: str) -> Repo | None:
    """A main checkout that was added before need not be looked for again."""
    known = hub.state.repo(path)
    return known if known is not None and (Path(path) / ".git").is_dir() else None


def _start(repo: Repo, asked: New) -> tuple[StartingPoint, BranchNames]:
    path = Path(repo.path)
    if asked.in_place:
        start = starting_point_in_place(path)
    else:
        start = starting_point(path, base=asked.base, branch=asked.branch)
    template = load_repo_config(path).worktree.branch
    if template != DEFAULT_BRANCH:
        require_template(path, template)
    return start, BranchNames(template, start.table.heads)


def _require_alone(state: State, repo: Repo, asked: New, start: StartingPoint) -> None:
    """One session per branch, and one in the main checkout."""
    if asked.in_place:
        wanted = Session(id=SessionId(""), repo=repo.path, in_place=True)
        require_alone_in_place(state, wanted)
        return
    for s in state.all_sessions().values():
        if s.repo != repo.path or s.archived or s.in_place or not start.branch:
            continue
        if s.branch == start.branch:
            raise NotPossible(f"{s.slug} is on the branch {s.branch} already")


@dataclass(frozen=True)
class _Lease:
    worktree: str
    event: e.SpareLeased
    notes: tuple[e.NoteMade, ...]


def _leased(state: State, repo: Repo, session: SessionId, start: StartingPoint) -> _Lease | None:
    """A spare, if one is ready: the one decision by which it becomes this session's."""
    now_known = state.repo(repo.path) or repo
    spare = spare_to_lease(now_known, start.base_commit)
    if spare is None:
        return None
    token = now_known.token + 1
    lease = e.SpareLeased(at=now(), path=repo.path, spare=spare.id, token=token, holder=session)
    # What was found when it was filled is the session's to know, if nothing has moved since.
    note = spare.note if spare.commit == start.base_commit else ""
    said = (e.NoteMade(session=session, at=now(), text=note),) if note else ()
    return _Lease(spare.worktree, lease, said)


def _moved_default(state: State, repo: Repo, start: StartingPoint) -> list[e.AnyEvent]:
    known = state.repo(repo.path) or repo
    if known.default_base == start.table.default_base:
        return []
    return [e.RepoAdded(at=now(), path=repo.path, default_base=start.table.default_base)]


class Taken:
    """Slugs that would meet a session, a branch, or a directory of branches."""

    def __init__(self, state: State, repo: Repo, names: BranchNames, branch: str) -> None:
        sessions = state.all_sessions().values()
        self._slugs = {s.slug for s in sessions}
        self._branches = {s.branch for s in sessions if s.repo == repo.path}
        self._names = names
        self._has_branch = bool(branch)

    def __contains__(self, slug: object) -> bool:
        if slug in self._slugs or self._has_branch:
            return slug in self._slugs
        name = str(slug)
        return self._names.is_taken(name) or self._names.name(name) in self._branches


def fresh_session_id(state: State) -> str:
    while state.session(SessionId(id := fresh_id())):
        pass
    return id


def _first_words(
    created: e.SessionCreated, asked: New, attached: tuple[e.Attachment, ...]
) -> list[e.AnyEvent]:
    step = e.StepStarted(session=created.session, at=created.at, step=creation.FIRST_STEP)
    if not asked.start or not asked.text:
        return [step]
    message = e.UserMessage(
        session=created.session,
        at=created.at,
        message=MessageId(fresh_id()),
        text=asked.text,
        attachments=attached,
    )
    return [message, step]


def made_ready(state: State, session: SessionId) -> Session | None:
    s = state.session(session)
    if s is None:
        return None
    # A setup may take minutes: whoever asked gets the worktree, and can follow the rest.
    return s if s.ready or s.error or s.attention or s.step == "setup" else None
