"""Checkpoints: the worktree's whole state at a turn's end, kept by a private ref."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path

from manyhands.git.refs import put_ref, resolve
from manyhands.git.snapshot import make_snapshot
from manyhands.keeper.trail import Trail
from manyhands.model.events import AnyEvent, CheckpointMade, NoteMade
from manyhands.model.ids import Oid, SessionId

log = logging.getLogger(__name__)

BEGINNING = "0"
"""The checkpoint before the first turn."""


def checkpoint_ref(session: SessionId, id: str) -> str:
    return f"refs/manyhands/checkpoints/{session}/{id}"


class Checkpoints:
    """`kept` is a directory that makes every snapshot after the first quick."""

    def __init__(
        self,
        session: SessionId,
        worktree: Path,
        base: Oid,
        kept: Path,
        trail: Trail,
        tell: Callable[[AnyEvent], None],
        *,
        listed: tuple[str, ...] = (),
    ) -> None:
        self._trail = trail
        self._listed = listed
        self._session = session
        self._worktree = worktree
        self._base = base
        self._kept = kept
        self._tell = tell
        self._one_at_a_time = asyncio.Lock()

    @property
    def busy(self) -> bool:
        return self._one_at_a_time.locked()

    async def make(self, turn: int) -> None:
        """At a turn's end, from what changed since the last one where that is known."""
        changed = self._trail.take()
        async with self._one_at_a_time:
            try:
                commit = await asyncio.to_thread(self._snapshot, turn, changed)
            except Exception as error:
                log.exception("no checkpoint of turn %d", turn)
                self._trail.lose()
                self._tell(NoteMade(turn=turn, text=f"turn {turn} has no checkpoint: {error}"))
            else:
                self._tell(CheckpointMade(turn=turn, checkpoint=str(turn), commit=commit))

    async def prepare(self, turn: int) -> None:
        """While a turn begins: look at everything once, so that its end need not.

        Before the first turn this is a checkpoint too, if nothing was changed meanwhile.
        """
        if self._trail.is_whole:
            return
        self._trail.take()
        async with self._one_at_a_time:
            try:
                commit = await asyncio.to_thread(self._look)
                if turn == 1 and await asyncio.to_thread(self._keep_beginning, commit):
                    self._tell(CheckpointMade(checkpoint=BEGINNING, commit=commit))
            except Exception:
                log.exception("no checkpoint before turn %d", turn)
                self._trail.lose()

    def _keep_beginning(self, made: Oid) -> bool:
        """A fork has one already, and an agent that was quick has made it impossible."""
        known = resolve(self._worktree, checkpoint_ref(self._session, BEGINNING))
        if known is not None or not self._trail.is_untouched:
            return False
        self._keep(BEGINNING, made)
        return True

    def _snapshot(self, turn: int, changed: set[bytes] | None) -> Oid:
        made = self._look(changed)
        self._keep(str(turn), made)
        return made

    def _look(self, changed: set[bytes] | None = None) -> Oid:
        self._kept.mkdir(mode=0o700, parents=True, exist_ok=True)
        return make_snapshot(
            self._worktree, base=self._base, kept=self._kept, changed=changed, listed=self._listed
        )

    def _keep(self, id: str, made: Oid) -> None:
        put_ref(self._worktree, checkpoint_ref(self._session, id), made)
