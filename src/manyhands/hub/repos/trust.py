"""Trust in what a repository could run: approved piece by piece, by content, outside of it.

Whatever was approved stays so. A new or changed piece raises attention `trust` with the
difference, and nothing of the session runs until a person has settled it.
"""

from __future__ import annotations

import asyncio
import difflib
import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from manyhands.config import Home
from manyhands.contract.repos import Bringing
from manyhands.hub.core import Hub, fresh_item, worktree_of
from manyhands.hub.core.work import Held
from manyhands.model import events as e
from manyhands.model.attention.attention import TRUST_OPTIONS, Attention, Resolution
from manyhands.model.ids import fresh_id
from manyhands.model.quoting import quoted
from manyhands.model.repo.runnable import Runnable, whole_digest
from manyhands.model.session.session import Session
from manyhands.model.state import Repo, State
from manyhands.station.repos import load_at_start, load_in_checkout, load_in_worktree

LONGEST_DIFF = 200_000


async def load_bringing(repo: Repo) -> Bringing:
    """What its checkout and its base hold now."""
    pieces = await load_in_checkout(repo.path, repo.default_base)
    fresh = unapproved(repo, pieces)
    return Bringing(whole_digest(pieces), pieces, tuple(dict.fromkeys(p.path for p in fresh)))


def unapproved(repo: Repo, pieces: Iterable[Runnable]) -> list[Runnable]:
    known = set(repo.approved)
    return [p for p in pieces if p.digest not in known]


def trusted(home: Home, repo: Repo, pieces: Iterable[Runnable], digest: str) -> e.RepoTrusted:
    """The event that approves the pieces; their text is kept for later comparison."""
    kept = list(pieces)
    _keep_texts(home, kept)
    files = {p.path: p.digest for p in kept}
    return e.RepoTrusted(
        path=repo.path, digest=digest, files=files, approved=tuple(p.digest for p in kept)
    )


async def is_trust_needed(hub: Hub, s: Session) -> bool:
    """Whether the commit that the session starts from brings something nobody approved."""
    return bool(await _unapproved_at_base(hub, s))


async def ask_for_trust(hub: Hub, s: Session) -> list[e.AnyEvent]:
    item = await trust_item(hub, s, await _unapproved_at_base(hub, s))
    if item is not None:
        raise Held(item)
    return []


async def require_trusted_worktree(hub: Hub, s: Session, *, installing: bool = False) -> None:
    """Raises where the session's worktree, as it is now, could run what nobody approved."""
    pieces = await load_in_worktree(worktree_of(hub, s), installing=installing)
    item = await trust_item(hub, s, pieces)
    if item is not None:
        raise Held(item)


async def trust_item(hub: Hub, s: Session, pieces: Iterable[Runnable]) -> Attention | None:
    """What a person must be asked before these pieces run; None where all are approved."""
    fresh = unapproved(_repo(hub.state, s), pieces)
    return await asyncio.to_thread(_item, hub, s, fresh) if fresh else None


async def _unapproved_at_base(hub: Hub, s: Session) -> list[Runnable]:
    is_there = s.workspace.in_place or s.workspace.adopted
    commit = s.workspace.tip or s.workspace.base_commit
    pieces = await load_at_start(worktree_of(hub, s), commit, is_there=is_there)
    return unapproved(_repo(hub.state, s), pieces)


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
        "difference": _bounded(hub.home, "\n".join(_difference(hub.home, repo, p) for p in fresh)),
    }
    summary = f"{names} {said}: nothing runs before you have looked at it"
    return fresh_item(s, "trust", summary, detail, TRUST_OPTIONS)


def _difference(home: Home, repo: Repo, piece: Runnable) -> str:
    """Against what was approved last under that name; its first line says who runs it."""
    before = _kept_text(home, repo.files.get(piece.path, ""))
    lines = difflib.unified_diff(
        before.splitlines(), piece.text.splitlines(), piece.path, piece.path, lineterm=""
    )
    changed = "\n".join(lines)
    if not changed and piece.text:
        changed = f"{piece.path}: it changed where it is not shown\n{piece.text.splitlines()[-1]}"
    about = f"# {piece.path}: {piece.about}\n" if piece.about else ""
    return about + (changed or f"{piece.path}: an empty file")


def _bounded(home: Home, difference: str) -> str:
    """Whole; or its beginning, with how much is missing and the file that has all of it."""
    left = len(difference) - LONGEST_DIFF
    if left <= 0:
        return difference
    data = difference.encode("utf-8", "replace")
    place = home.seen_scripts / f"{hashlib.sha256(data).hexdigest()}.diff"
    _keep(place, data)
    note = f"… {left:,} of {len(difference):,} characters are not shown; look at: {quoted(place)}"
    return f"{difference[:LONGEST_DIFF]}\n{note}"


def question(state: State, s: Session, item: Attention) -> Iterator[e.AnyEvent]:
    """The item, unless the same is asked already or was answered since the worktree was read."""
    newest, approved = state.session(s.id) or s, set(_repo(state, s).approved)
    is_asked = any(i.kind == "trust" for i in newest.inbox.items)
    if not is_asked and not set(item.detail["files"].values()) <= approved:
        yield e.AttentionRaised(session=s.id, turn=newest.main.turn, item=item)


def approval(item: Attention) -> e.RepoTrusted:
    """What a person's *trust* approves: exactly the content that the item showed."""
    files: dict[str, str] = item.detail["files"]
    return e.RepoTrusted(
        path=item.detail["repo"],
        digest=whole_digest([Runnable(p, d, "") for p, d in files.items()]),
        files=files,
        approved=tuple(files.values()),
    )


def with_others(state: State, trusted: e.RepoTrusted) -> Iterator[e.AnyEvent]:
    """The approval, and the end of all items that ask about nothing but what is approved then."""
    yield trusted
    known = state.repo(trusted.path)
    approved = {*trusted.approved, *(known.approved if known else ())}
    for s in state.all_sessions().values():
        for item in s.inbox.items if s.repo == trusted.path else ():
            if item.kind == "trust" and set(item.detail.get("files", {}).values()) <= approved:
                same = Resolution(options=("trust",), by="hub")
                yield e.AttentionResolved(session=s.id, item=item.id, resolution=same)


def _keep_texts(home: Home, pieces: Iterable[Runnable]) -> None:
    home.seen_scripts.mkdir(mode=0o700, exist_ok=True)
    for piece in pieces:
        _keep(home.seen_scripts / piece.digest, piece.text.encode("utf-8", "replace"))


def _keep(place: Path, data: bytes) -> None:
    if not place.exists():
        part = place.with_name(f"{place.name}.{fresh_id()}.part")
        # Whole as they are, secrets too: what is approved is these very bytes.
        part.touch(0o600)
        part.write_bytes(data)
        part.replace(place)


def _kept_text(home: Home, digest: str) -> str:
    try:
        return (home.seen_scripts / digest).read_text("utf-8") if digest else ""
    except OSError:
        return ""
