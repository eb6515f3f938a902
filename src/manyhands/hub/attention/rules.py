"""Standing permissions: made by answers or by hand, listed, removed; and the audit of decisions.

They live in the store, for a repository or for one session, and never in a worktree.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from manyhands.agents.permission.answers import chosen
from manyhands.contract.attention import AuditLine, NewRule, RuleView
from manyhands.errors import BadInput, NotFound
from manyhands.hub.core import Hub, require_session
from manyhands.hub.repos.repos import require_repo
from manyhands.model import events as e
from manyhands.model.agent.rules import Rule
from manyhands.model.attention.attention import Attention, Resolution
from manyhands.model.ids import CommandId, SessionId
from manyhands.model.session.session import Session
from manyhands.model.state import State
from manyhands.store import Decision


def rules(state: State, repo: str = "", session: str = "") -> list[RuleView]:
    """All of them, or those of one repository or session."""
    found: list[RuleView] = []
    only = require_session(state, session).id if session else ""
    for known in state.all_repos().values():
        if not only and repo in ("", known.path):
            found += [_view(rule, repo=known.path) for rule in known.rules]
    for s in state.all_sessions().values():
        if s.id == only or (not only and not s.life.archived and repo in ("", s.repo)):
            found += [_view(rule, repo=s.repo, session=s.id) for rule in s.rules]
    return found


def _view(rule: Rule, *, repo: str, session: SessionId = SessionId("")) -> RuleView:
    return RuleView(
        id=rule.id,
        tool=rule.tool,
        kind=rule.kind,
        pattern=rule.command,
        repo=repo,
        session=session,
    )


async def add_rule(hub: Hub, asked: NewRule, *, command: CommandId | None = None) -> RuleView:
    rule = _require_sensible(asked)
    if asked.session:
        s = require_session(hub.state, asked.session)
        view = _view(rule, repo=s.repo, session=s.id)
    else:
        view = _view(rule, repo=(await require_repo(hub, asked.repo)).path)
    await hub.record(_changed(view, added=True), command=command)
    return view


def _require_sensible(asked: NewRule) -> Rule:
    if bool(asked.repo) == bool(asked.session):
        raise BadInput("a rule holds for one repository or for one session")
    if not asked.tool.strip():
        raise BadInput("a rule names a tool", hint="for example Bash, Write or WebFetch")
    if asked.kind in ("prefix", "glob") and not asked.pattern.strip():
        raise BadInput(f"a rule by {asked.kind} needs its pattern")
    return Rule(asked.tool, asked.pattern, asked.kind)


async def remove_rule(hub: Hub, id: str, *, command: CommandId | None = None) -> list[RuleView]:
    """By its id or a beginning of it, wherever it holds; what was removed."""

    def decide(state: State) -> Decision[list[RuleView]]:
        found = [view for view in rules(state) if id and view.id.startswith(id)]
        if not found:
            raise NotFound(f"no rule is called {id!r}", hint="`manyhands rules` lists them")
        if len({view.id for view in found}) > 1:
            raise BadInput(f"{id!r} could be several rules", hint="give more of the id")
        return Decision([_changed(view, added=False) for view in found], found)

    return msgspec.convert(await hub.write(decide, command=command), list[RuleView])


def _changed(view: RuleView, *, added: bool) -> e.AnyEvent:
    what: dict[str, Any] = {"tool": view.tool, "command": view.pattern, "kind": view.kind}
    if view.session:
        of_session = e.SessionRuleAdded if added else e.SessionRuleRemoved
        return of_session(session=view.session, **what)
    return (e.RuleAdded if added else e.RuleRemoved)(path=view.repo, **what)


def permission_answered(s: Session, item: Attention, answer: Resolution) -> Iterator[e.AnyEvent]:
    """What a person's answer makes last, and the record of it."""
    if item.kind != "permission":
        return
    rule = chosen(item, answer)
    if rule is not None:
        session = SessionId("") if answer.option == "allow-repo" else s.id
        yield _changed(_view(rule, repo=s.repo, session=session), added=True)
    yield e.PermissionDecided(
        session=s.id,
        turn=s.main.turn,
        conversation=item.conversation,
        tool=str(item.detail.get("tool", "")),
        what=item.summary,
        decision="allow" if answer.option.startswith("allow") else "deny",
        by=answer.by,
        rule=f"{answer.option}: {rule}" if rule else answer.option,
        item=item.id,
    )


PAGE = 5000


async def audit(hub: Hub, ref: str) -> list[AuditLine]:
    """Who decided what about a session's calls and plans, and by which rule."""
    session, after = require_session(hub.state, ref).id, 0
    found: list[AuditLine] = []
    while page := await hub.store.events(after, session=session, limit=PAGE):
        facts = [e.decode(body) for _, body in page if b'"permission_decided"' in body]
        decided = [fact for fact in facts if isinstance(fact, e.PermissionDecided)]
        found += msgspec.convert(decided, list[AuditLine], from_attributes=True)
        after = page[-1][0]
    return found
