"""A process that writes until it is killed, and prints what it was told is stored.

It takes up every keeper's items where the store says, and goes a little further back, as a
keeper would that never got the last acknowledgement.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path

from manyhands.model import events as e
from manyhands.model.ids import CommandId, MessageId, SessionId
from manyhands.model.state import State
from manyhands.store import Decision, Store

KEEPERS = 4


def note(text: str) -> e.NoteMade:
    return e.NoteMade(session=SessionId("notes"), text=text)


async def keep(store: Store, session: SessionId) -> None:
    acked = await store.acked(session, 1)
    while True:
        first, last = max(1, acked - 2), acked + 1 + acked % 5
        items = [
            e.AgentMessage(session=session, message=MessageId(str(n)), text=str(n))
            for n in range(first, last + 1)
        ]
        acked = await store.write_items(
            session, 1, first, items, lambda state, taken: [note(f"{session} {len(taken)}")]
        )
        print("acked", session, acked, flush=True)


def asking(number: int) -> Callable[[State], Decision[int]]:
    message = MessageId(str(number))
    event = e.UserMessage(session=SessionId("user"), message=message, text=message)
    return lambda state: Decision([event], number)


async def command(store: Store, start: int) -> None:
    number = start
    while True:
        decide = asking(number)
        for _ in range(2):
            assert await store.write(decide, receipt=CommandId(str(number))) == number
        print("done", number, store.last_seq, flush=True)
        number += 1


async def main(path: str, start: str) -> None:
    store = Store.open(Path(path))
    async with asyncio.TaskGroup() as tasks:
        for number in range(KEEPERS):
            tasks.create_task(keep(store, SessionId(f"k{number}")))
        tasks.create_task(command(store, int(start)))


asyncio.run(main(*sys.argv[1:]))
