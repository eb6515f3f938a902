"""Trust in what a repository could run: approved piece by piece, by content, outside of it.

Whatever was approved stays so. A new or changed piece raises attention `trust` with the
difference, and nothing of the session runs until a person has settled it.
"""

from __future__ import annotations

import asyncio
import difflib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from manyhands.config import Home
from manyhands.git import refs
from manyhands.hub.held import Held
from manyhands.model import events as e
from manyhands.model.attention import TRUST_OPTIONS, Attention, Resolution
from manyhands.model.clock import Instant, now
from manyhands.model.ids import AttentionId, fresh_id
from manyhands.model.session import Session
from manyhands.model.state import Repo, State
from manyhands.workspace.runnable import (
    Runnable,
    runnable_at,
    runnable_beside,
    runnable_hooks,
    runnable_in,
    whole_digest,
)

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub

LONGEST_DIFF = 200_000


class Bringing(msgspec.Struct, frozen=True):
    """What a repository brings along; `digest` names exactly this content."""

    digest: str
    pieces: tuple[Runnable, ...]
    new: tuple[str, ...]
    """Paths of pieces that nobody has approved yet."""


def load_bringing(repo: Repo) -> Bringing:
    """What its checkout and its base hold now; reads the disk."""
    pieces = _checkout(Path(repo.path), repo.default_base)
    fresh = tuple(p.path for p in unapproved(repo, pieces))
    return Bringing(whole_digest(pieces), pieces, fresh)


def _checkout(path: Path, base: str) -> tuple[Runnable, ...]:
    found = {p.digest: p for p in (*runnable_in(path), *runnable_hooks(path))}
    commit = refs.resolve(path, base) if base else None
    if commit is not None:
        found |= {p.digest: p for p in runnable_at(path, commit)}
    return tuple(sorted(found.values(), key=lambda p: (p.path, p.digest)))


def unapproved(repo: Repo, pieces: Iterable[Runnable]) -> list[Runnable]:
    known = set(repo.approved)
    return [p for p in pieces if p.digest not in known]


def trusted(home: Home, repo: Repo, pieces: Iterable[Runnable], digest: str) -> e.RepoTrusted:
    """The event that approves the pieces; their text is kept for later comparison."""
    kept = list(pieces)
    _keep_texts(home, kept)
    files = {p.path: p.digest for p in kept}
    return e.RepoTrusted(
        at=now(),
        path=repo.path,
        digest=digest,
        files=files,
        approved=tuple(p.digest for p in kept),
    )


async def is_trust_needed(hub: Hub, s: Session) -> bool:
    """Whether the commit that the session starts from brings something nobody approved."""
    return bool(await asyncio.to_thread(_unapproved_at_base, hub, s))


async def ask_for_trust(hub: Hub, s: Session) -> list[e.AnyEvent]:
    fresh = await asyncio.to_thread(_unapproved_at_base, hub, s)
    if fresh:
        raise Held(_item(hub, s, fresh))
    return []


def require_trusted_worktree(hub: Hub, s: Session) -> None:
    """Raises where the session's worktree, as it is now, could run what nobody approved."""
    brought = runnable_in(Path(s.worktree), s.base_commit)
    pieces = (*brought, *runnable_beside(Path(s.repo)), *runnable_hooks(Path(s.repo)))
    fresh = unapproved(_repo(hub.state, s), pieces)
    if fresh:
        raise Held(_item(hub, s, fresh))


def trust_item(hub: Hub, s: Session, pieces: Iterable[Runnable]) -> Attention | None:
    """What a person must be asked before these pieces run; None where all are approved."""
    fresh = unapproved(_repo(hub.state, s), pieces)
    return _item(hub, s, fresh) if fresh else None


def _unapproved_at_base(hub: Hub, s: Session) -> list[Runnable]:
    path = Path(s.repo)
    brought = runnable_in(Path(s.worktree), s.base_commit) if s.in_place or s.adopted else ()
    pieces = brought or runnable_at(path, s.tip or s.base_commit)
    return unapproved(_repo(hub.state, s), (*pieces, *runnable_hooks(path)))


def _repo(state: State, s: Session) -> Repo:
    return state.repo(s.repo) or Repo(path=s.repo)


def _item(hub: Hub, s: Session, fresh: list[Runnable]) -> Attention:
    _keep_texts(hub.home, fresh)
    repo = _repo(hub.state, s)
    names = ", ".join(p.path for p in fresh[:3]) + (" …" if len(fresh) > 3 else "")
    is_new = not any(p.path in repo.files for p in fresh)
    said = "was not looked at yet" if is_new else "changed since it was trusted"
    detail = {
        "repo": s.repo,
        "files": {p.path: p.digest for p in fresh},
        "difference": "\n".join(_difference(hub.home, repo, p) for p in fresh)[:LONGEST_DIFF],
    }
    return Attention(
        id=AttentionId(fresh_id()),
        session=s.id,
        kind="trust",
        summary=f"{names} {said}: nothing runs before you have looked at it",
        detail=detail,
        options=TRUST_OPTIONS,
        raised_at=now(),
    )


def _difference(home: Home, repo: Repo, piece: Runnable) -> str:
    before = _kept_text(home, repo.files.get(piece.path, ""))
    lines = difflib.unified_diff(
        before.splitlines(), piece.text.splitlines(), piece.path, piece.path, lineterm=""
    )
    return "\n".join(lines)


def approval(item: Attention, at: Instant) -> Iterator[e.AnyEvent]:
    """What a person's *trust* approves: exactly the content that the item showed."""
    files: dict[str, str] = item.detail["files"]
    yield e.RepoTrusted(
        at=at,
        path=item.detail["repo"],
        digest=whole_digest([Runnable(p, d, "") for p, d in files.items()]),
        files=files,
        approved=tuple(files.values()),
    )


def settled_elsewhere(state: State, repo: str, at: Instant) -> Iterator[e.AnyEvent]:
    """Items of other sessions that ask about nothing but what is approved by now."""
    known = state.repo(repo)
    approved = set(known.approved) if known else set()
    for s in state.all_sessions().values():
        for item in s.attention if s.repo == repo else ():
            if item.kind == "trust" and set(item.detail.get("files", {}).values()) <= approved:
                same = Resolution(options=("trust",), by="hub")
                yield e.AttentionResolved(session=s.id, at=at, item=item.id, resolution=same)


def _keep_texts(home: Home, pieces: Iterable[Runnable]) -> None:
    home.seen_scripts.mkdir(mode=0o700, exist_ok=True)
    for piece in pieces:
        place = home.seen_scripts / piece.digest
        if not place.exists():
            part = place.with_suffix(".part")
            part.write_text(piece.text, "utf-8", errors="replace")
            part.replace(place)


def _kept_text(home: Home, digest: str) -> str:
    try:
        return (home.seen_scripts / digest).read_text("utf-8") if digest else ""
    except OSError:
        return ""
