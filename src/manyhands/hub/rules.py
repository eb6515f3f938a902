"""Standing permissions: made by answers or by hand, listed, removed; and the audit of decisions.

They live in the store, for a repository or for one session, and never in a worktree.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from manyhands.agents.rules import chosen
from manyhands.errors import BadInput, NotFound
from manyhands.hub.hub import Hub
from manyhands.hub.names import require_session
from manyhands.hub.repos import require_repo
from manyhands.model import events as e
from manyhands.model.attention import Attention, Resolution
from manyhands.model.clock import Instant, now
from manyhands.model.ids import CommandId, SessionId
from manyhands.model.rules import Rule
from manyhands.model.session import Session
from manyhands.model.state import State
from manyhands.store import Decision


class RuleView(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    tool: str
    kind: e.RuleKind
    pattern: str
    repo: str = ""
    session: SessionId = SessionId("")
    """Of this session alone; empty where it holds in the whole repository."""


class NewRule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    tool: str
    kind: e.RuleKind = "call"
    pattern: str = ""
    repo: str = ""
    session: str = ""


def rules(state: State, repo: str = "", session: str = "") -> list[RuleView]:
    """All of them, or those of one repository or session."""
    found: list[RuleView] = []
    only = require_session(state, session).id if session else ""
    for known in state.all_repos().values():
        if not only and repo in ("", known.path):
            found += [_view(rule, repo=known.path) for rule in known.rules]
    for s in state.all_sessions().values():
        if s.id == only or (not only and not s.archived and repo in ("", s.repo)):
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
        await hub.write(lambda state: Decision((_for_session(s, rule, now()),), None))
        return _view(rule, repo=s.repo, session=s.id)
    repo = await require_repo(hub, asked.repo)
    added = _for_repo(repo.path, rule, now())
    await hub.write(lambda state: Decision((added,), None), command=command)
    return _view(rule, repo=repo.path)


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
        return Decision([_removal(view) for view in found], found)

    return msgspec.convert(await hub.write(decide, command=command), list[RuleView])


def _removal(view: RuleView) -> e.AnyEvent:
    at, what = now(), {"tool": view.tool, "command": view.pattern, "kind": view.kind}
    if view.session:
        return e.SessionRuleRemoved(session=view.session, at=at, **what)  # type: ignore[arg-type]
    return e.RuleRemoved(path=view.repo, at=at, **what)  # type: ignore[arg-type]


def _for_session(s: Session, rule: Rule, at: Instant) -> e.SessionRuleAdded:
    return e.SessionRuleAdded(
        session=s.id, at=at, tool=rule.tool, command=rule.command, kind=rule.kind
    )


def _for_repo(path: str, rule: Rule, at: Instant) -> e.RuleAdded:
    return e.RuleAdded(path=path, at=at, tool=rule.tool, command=rule.command, kind=rule.kind)


def permission_answered(
    s: Session, item: Attention, answer: Resolution, at: Instant
) -> Iterator[e.AnyEvent]:
    """What a person's answer makes last, and the record of it."""
    if item.kind != "permission":
        return
    rule = chosen(item, answer)
    if rule is not None and answer.option == "allow-repo":
        yield _for_repo(s.repo, rule, at)
    elif rule is not None:
        yield _for_session(s, rule, at)
    yield e.PermissionDecided(
        session=s.id,
        at=at,
        turn=s.turn,
        conversation=item.conversation,
        tool=str(item.detail.get("tool", "")),
        what=item.summary,
        decision="allow" if answer.option.startswith("allow") else "deny",
        by=answer.by,
        rule=f"{answer.option}: {rule}" if rule else answer.option,
        item=item.id,
    )
