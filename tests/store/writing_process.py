"""Processes that write until they are killed, and print what they were told is stored.

Each takes up every keeper's items where the store says, and goes a little further back, as a
keeper would that never got the last acknowledgement. All are forked by one that has loaded what
they need: a line in names the store and the first number, the last line out says how it ended.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

from manyhands.model import events as e
from manyhands.model.ids import CommandId, MessageId, SessionId
from manyhands.model.state import State
from manyhands.store import Decision, Store

KEEPERS = 4


def tell(*words: object) -> None:
    """In one piece: a kill comes before the line or after it."""
    os.write(1, f"{' '.join(map(str, words))}\n".encode())


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
        tell("acked", session, acked)


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
        tell("done", number, store.last_seq)
        number += 1


async def write(path: str, start: int) -> None:
    store = Store.open(Path(path))
    async with asyncio.TaskGroup() as tasks:
        for number in range(KEEPERS):
            tasks.create_task(keep(store, SessionId(f"k{number}")))
        tasks.create_task(command(store, start))


def be_a_writer(path: str, start: int) -> None:
    try:
        tell("born", os.getpid())
        asyncio.run(write(path, start))
    finally:
        traceback.print_exc()
        os._exit(1)


for line in sys.stdin:
    writer = os.fork()
    if writer == 0:
        be_a_writer(*json.loads(line))
    _, status = os.waitpid(writer, 0)
    tell("ended", os.waitstatus_to_exitcode(status))
