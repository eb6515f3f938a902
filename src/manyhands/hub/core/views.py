"""Sessions and repositories, as the outside sees them."""

from __future__ import annotations

import msgspec

from manyhands.contract.repos import RepoView
from manyhands.contract.sessions import (
    BudgetView,
    ConversationView,
    IssueLink,
    ServiceLink,
    SessionView,
    Tokens,
)
from manyhands.contract.terminals import TerminalView
from manyhands.hub.core.boxes import Boxes
from manyhands.hub.core.feed import Feed
from manyhands.hub.core.hub import Hub
from manyhands.hub.core.onlookers import Onlookers
from manyhands.hub.core.previews import Previews
from manyhands.model.agent.conversation import Conversation, ConversationStatus
from manyhands.model.clock import Instant
from manyhands.model.landing.events import Issue
from manyhands.model.service.service import Service
from manyhands.model.session.budget import Budget, raise_key
from manyhands.model.session.session import Session, Status
from manyhands.model.state import Repo

MOVING = ("queued", "preparing", "working")
SMALLEST_USD = 1e-7
"""Less than this is a rounding, not a cost."""
LIMITED = (
    "This agent runs in a terminal: what it does is known from its screen only. Idle means that "
    "the screen is quiet; permissions, plans and costs are not seen."
)


def view_of(hub: Hub, s: Session) -> SessionView:
    """As it is now."""
    newest = hub.state.session(s.id) or s
    view = session_view(newest, hub.part(Feed).heard(s.id), hub.store.last_seq)
    box = hub.part(Boxes).detail(newest)
    previews = hub.part(Previews)
    view = msgspec.structs.replace(
        view,
        box=box.level,
        box_detail=box,
        terminals=terminal_views(hub, newest),
        previews=previews.urls(newest),
        services=tuple(
            _service(previews, newest, one)
            for one in newest.services.values()
            if one.state != "stopped"
        ),
    )
    trouble = hub.store.trouble
    if trouble is None or view.status == (status := status_now(hub, newest)):
        return view
    return msgspec.structs.replace(
        view, status=status, reason=trouble.message, hint=trouble.hint, quiet_since=None
    )


def terminal_views(hub: Hub, s: Session) -> tuple[TerminalView, ...]:
    seen = hub.part(Onlookers)
    return tuple(
        TerminalView(
            name=one.name,
            command=one.command,
            title=seen.titles.get(one.id, ""),
            pid=one.pid if one.runs else 0,
            rows=seen.sizes.get(one.id, (0, 0))[0],
            columns=seen.sizes.get(one.id, (0, 0))[1],
            viewers=seen.viewers[one.id],
            exit_code=one.exit_code,
            started_at=one.started_at,
            seconds=one.seconds,
            position=position,
            bell=one.bell,
        )
        for position, one in enumerate(s.terminals)
    )


def status_now(hub: Hub, s: Session) -> Status:
    """Of one that moves while nothing can be stored nobody knows what becomes of it."""
    return "unreachable" if hub.store.trouble and s.status in MOVING else s.status


def brief_view(hub: Hub, s: Session) -> SessionView:
    """For a list: what an agent offers is long, and asked for one session at a time."""
    return msgspec.structs.replace(view_of(hub, s), commands=())


def session_view(s: Session, heard: Instant = "", seq: int = 0) -> SessionView:
    """`heard` is when live text last came, which the log does not know; nor what box it has."""
    main, workspace, status = s.main, s.workspace, s.status
    works = status == "working" and main.in_turn
    return SessionView(
        id=s.id,
        title=s.title,
        slug=s.slug,
        repo=s.repo,
        branch=workspace.branch,
        base=workspace.base,
        base_commit=workspace.base_commit,
        worktree=workspace.worktree,
        agent=main.agent,
        kind=main.kind,
        model=main.model,
        effort=main.effort,
        mode=s.mode,
        status=status,
        reason=s.place.reason,
        attention=s.inbox.items,
        unread=s.inbox.unread,
        review=s.review.verdict,
        turn=main.turn,
        cost_usd=s.spending.usd,
        cost_estimated=abs(s.spending.estimated_usd) > SMALLEST_USD,
        budget=_budget_view(s.budget),
        tokens=Tokens(s.spending.tokens_in, s.spending.tokens_out),
        context=main.context,
        doing=main.call if works else None,
        todos=main.todos,
        commands=main.commands,
        conversations=tuple(_conversation_view(s, c) for c in s.others),
        quiet_since=max(heard, main.heard_at) or None if works else None,
        added=s.totals.added,
        removed=s.totals.removed,
        files_changed=s.totals.files,
        database=workspace.database,
        ports=workspace.ports,
        listening=workspace.listening,
        setup=workspace.setup,
        progress=workspace.progress,
        in_place=workspace.in_place,
        adopted=workspace.adopted,
        pr=s.landing.pr,
        issues=tuple(map(_link, s.landing.issues)),
        created_at=s.created_at,
        updated_at=s.updated_at,
        seq=seq,
        error=s.life.error or None,
        hint=s.life.hint,
        follow_ups=main.follow_ups,
        agent_pid=main.agent_pid,
        agent_session=main.agent_session,
        taken=main.taken,
        limited=main.kind == "terminal",
        limited_note=LIMITED if main.kind == "terminal" else "",
    )


def _service(previews: Previews, s: Session, known: Service) -> ServiceLink:
    spec = known.spec
    return ServiceLink(
        name=spec.name,
        state=known.state,
        port=spec.port or None,
        url=previews.url(s, spec.name, spec.port),
        reason=known.reason,
    )


def _budget_view(budget: Budget) -> BudgetView | None:
    def raised(unit: str, given: float | None) -> float | None:
        times = budget.raises.get(raise_key("session", unit), 0)
        return None if given is None else given * (1 + times)

    if budget.usd is None and budget.minutes is None:
        return None
    return BudgetView(raised("usd", budget.usd), raised("minutes", budget.minutes))


def _conversation_view(s: Session, c: Conversation) -> ConversationView:
    status: ConversationStatus = "idle"
    if any(item.conversation == c.id for item in s.inbox.items):
        status = "waiting"
    elif c.in_turn:
        status = "working"
    elif c.undelivered:
        status = "queued"
    elif c.error:
        status = "failed"
    return ConversationView(
        id=c.id, agent=c.agent, kind=c.kind, writes=c.writes, status=status, error=c.error
    )


def repo_view(r: Repo) -> RepoView:
    return RepoView(path=r.path, trusted=r.trusted, default_base=r.default_base, spares=r.spares)


def _link(issue: Issue) -> IssueLink:
    return IssueLink(issue.origin, issue.number, issue.title, issue.url, issue.key, issue.tracker)
