"""Checkpoints: the worktree's whole state at a turn's end, kept by a private ref."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path

from manyhands.git.refs import resolve, set_ref
from manyhands.git.snapshot import make_snapshot
from manyhands.model.events import AnyEvent, CheckpointMade, NoteMade
from manyhands.model.ids import Oid, SessionId

log = logging.getLogger(__name__)


def checkpoint_ref(session: SessionId, turn: int) -> str:
    return f"refs/manyhands/checkpoints/{session}/{turn}"


class Checkpoints:
    """`kept` is a directory that makes every snapshot after the first quick."""

    def __init__(
        self,
        session: SessionId,
        worktree: Path,
        base: Oid,
        kept: Path,
        tell: Callable[[AnyEvent], None],
    ) -> None:
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
        async with self._one_at_a_time:
            try:
                commit = await asyncio.to_thread(self._snapshot, turn)
            except Exception as error:
                log.exception("no checkpoint of turn %d", turn)
                self._tell(NoteMade(turn=turn, text=f"turn {turn} has no checkpoint: {error}"))
            else:
                self._tell(CheckpointMade(turn=turn, checkpoint=str(turn), commit=commit))

    def _snapshot(self, turn: int) -> Oid:
        self._kept.mkdir(mode=0o700, parents=True, exist_ok=True)
        made = make_snapshot(self._worktree, base=self._base, kept=self._kept, durable=False)
        ref = checkpoint_ref(self._session, turn)
        # A turn whose keeper was killed before it told of the checkpoint has one already.
        set_ref(self._worktree, ref, made, resolve(self._worktree, ref))
        return made
