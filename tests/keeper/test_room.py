"""An agent waits where too much of what it said waits for the hub."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from manyhands.keeper import outbox as outbox_module
from manyhands.keeper.outbox import Outbox
from manyhands.keeper.spool import Spool
from manyhands.model import events as e
from manyhands.model.ids import MessageId, SessionId


async def test_it_goes_on_once_the_hub_has_taken_some(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox_module, "MOST_WAITING", 300_000)
    spool = Spool(tmp_path / "1.spool", compact_bytes=100_000)
    outbox = Outbox(SessionId("s"), spool, lambda: None)
    while spool.waiting <= 300_000:
        await outbox.room()
        outbox.tell(e.AgentMessage(message=MessageId("m"), text="On and on. " * 200))
    waits = asyncio.create_task(outbox.room())
    outbox.ack(1)
    await asyncio.sleep(0)
    assert not waits.done()
    outbox.ack(spool.last - 1)
    await waits
    spool.close()
