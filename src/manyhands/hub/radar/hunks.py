"""The two sides of a conflict beside each other, without the secrets in them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator

import msgspec

from manyhands.contract.landing import ConflictHunks
from manyhands.errors import BadInput, NotFound
from manyhands.hub.core import Hub, require_session
from manyhands.hub.fleet.secrets import clean_views
from manyhands.hub.radar.radar import Radar, require_surveyed
from manyhands.model.radar.hunks import LONGEST_LINE, ConflictHunk, HunkPart, PathHunks
from manyhands.model.session.session import Session

MOST_PATHS = 50


async def conflict_hunks(
    hub: Hub, a: str, b: str = "", path: str = "", *, fresh: bool = False
) -> ConflictHunks:
    """`b` is another session, or the base: by its name, or empty. `path` empty means all."""
    s = require_session(hub.state, a)
    base = s.workspace.base if b in ("", s.workspace.base) else ""
    other = None if base else require_session(hub.state, b)
    if other is not None and (other.id == s.id or other.repo != s.repo):
        raise BadInput(f"{s.slug} and {other.slug} cannot be in each other's way")
    await require_surveyed(hub, fresh=fresh)
    found = await hub.part(Radar).hunks(s, other, path)
    name = other.slug if other else base
    if path and not found:
        raise NotFound(f"{s.slug} and {name} do not conflict in {path}")
    shown = await _without_secrets(hub, [s, *([other] if other else [])], found[:MOST_PATHS])
    return ConflictHunks(
        a=s.id,
        b=other.id if other else base,
        base=bool(base),
        paths=tuple(shown),
        more=max(0, len(found) - MOST_PATHS),
    )


async def _without_secrets(
    hub: Hub, sessions: list[Session], paths: list[PathHunks]
) -> list[PathHunks]:
    for s in sessions:
        await clean_views(hub, s)
    lines = [line for part in _parts(paths) for line in part.lines]
    clean = iter((await asyncio.to_thread(hub.redactor.lines, "\n".join(lines))).split("\n"))
    return [_with_lines(path, clean) for path in paths]


def _parts(paths: Iterable[PathHunks]) -> Iterator[HunkPart]:
    for path in paths:
        for hunk in path.hunks:
            yield from (hunk.base, hunk.a, hunk.b)


def _with_lines(path: PathHunks, lines: Iterator[str]) -> PathHunks:
    """The same with other lines, in the order of `_parts`."""

    def renewed(part: HunkPart) -> HunkPart:
        shown = tuple(next(lines)[:LONGEST_LINE] for _ in part.lines)
        return msgspec.structs.replace(part, lines=shown)

    hunks = tuple(ConflictHunk(renewed(h.base), renewed(h.a), renewed(h.b)) for h in path.hunks)
    return msgspec.structs.replace(path, hunks=hunks)
