"""Stacks: sessions whose base is the branch of another session, and where that has landed."""

from __future__ import annotations

import msgspec

from manyhands.model.ids import Oid
from manyhands.model.session.session import Session
from manyhands.model.state import State


class Landed(msgspec.Struct, frozen=True, kw_only=True):
    """How a session's work has landed."""

    into: str
    """The branch, as the session's base names it, or by its own name."""
    tip: Oid
    """What was landed."""
    commit: Oid
    """What the branch went to by it; empty where the forge does not tell."""
    number: int = 0
    """Of the pull request, if it was one."""
    repo: str = ""
    """The forge's repository that took it in."""


def parent_of(state: State, s: Session) -> Session | None:
    """The session that it is stacked on, put away or not."""
    base = s.workspace.base
    names = {base, base.partition("/")[2]} - {""}
    for other in state.all_sessions().values():
        same = other.repo == s.repo and other.id != s.id and not other.workspace.in_place
        if same and other.workspace.branch in names:
            return other
    return None


def restacked(s: Session) -> bool:
    """Whether its own commits are on their way to another base."""
    return s.merges.restack is not None and not s.life.archived


def landed(s: Session) -> Landed | None:
    """By its pull request, else by a merge here."""
    pr, merge = s.landing.pr, s.merges.last
    if pr is not None and pr.state == "merged":
        own = s.workspace.base
        into = own if own.partition("/")[2] == pr.base else pr.base
        return Landed(into=into, tip=pr.head, commit=pr.landed, number=pr.number, repo=pr.repo)
    if merge is not None:
        return Landed(into=merge.into, tip=merge.tip, commit=merge.commit)
    return None
