"""Links over real sockets: nothing is lost, doubled or held in memory without bound."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from manyhands.hub.fleet.intake import Intake
from manyhands.hub.fleet.link import MOST_ARRIVED, Fenced, KeeperLink
from manyhands.model import wire
from manyhands.model.ids import CommandId, MessageId, SessionId
from manyhands.model.live import AnyLive, TextDelta

ONE, TWO = SessionId("one"), SessionId("two")


class Keeper:
    """The other end: greets, then sends what a test says and notes what it is told."""

    def __init__(self, session: SessionId) -> None:
        self.session = session
        self.acked: asyncio.Queue[int] = asyncio.Queue()
        self.asked = asyncio.Event()
        self.writer: asyncio.StreamWriter

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.writer = writer
        while message := await wire.read_from_hub(reader):
            if isinstance(message, wire.Hello):
                self.send(wire.Welcome(protocol=1, session=self.session, epoch=1, pid=7))
            elif isinstance(message, wire.Ack):
                self.acked.put_nowait(message.upto)
            else:
                self.asked.set()
        writer.close()

    def send(self, *messages: wire.AnyFromKeeper) -> None:
        self.writer.write(b"".join(map(wire.frame, messages)))


class Taken:
    """What a link hands on; `may_commit` lets it wait as a slow disk would."""

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self.commits = 0
        self.live: asyncio.Queue[AnyLive] = asyncio.Queue()
        self.may_commit = asyncio.Event()
        self.may_commit.set()

    async def ingest(self, items: wire.Items) -> int:
        await self.may_commit.wait()
        self.commits += 1
        self.numbers += [msgspec.json.decode(raw)["n"] for raw in items.events]
        return items.first + len(items.events) - 1

    def link(self, session: SessionId, epoch: int = 1) -> KeeperLink:
        def live(frames: Sequence[AnyLive]) -> None:
            for frame in frames:
                self.live.put_nowait(frame)

        return KeeperLink(session, epoch, ingest=self.ingest, live=live)


@asynccontextmanager
async def listening(place: Path, session: SessionId) -> AsyncIterator[tuple[Keeper, Path]]:
    keeper, path = Keeper(session), place / session
    server = await asyncio.start_unix_server(keeper.serve, str(path))
    try:
        yield keeper, path
    finally:
        server.close()


@pytest.fixture
async def intake() -> AsyncIterator[Intake]:
    intake = Intake()
    yield intake
    intake.close()


@asynccontextmanager
async def running(link: KeeperLink) -> AsyncIterator[None]:
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(link.run())
        yield
        link.close()


def items(number: int, size: int = 0) -> wire.Items:
    body = msgspec.json.encode({"n": number, "text": "x" * size})
    return wire.Items(first=number, events=(msgspec.Raw(body),))


async def until_acked(keeper: Keeper, upto: int) -> None:
    while await keeper.acked.get() < upto:
        pass


async def test_frames_are_taken_in_order_and_acknowledged(tmp_path: Path, intake: Intake) -> None:
    taken = Taken()
    link = taken.link(ONE)
    async with listening(tmp_path, ONE) as (keeper, path):
        await link.connect(intake, path, 0)
        async with running(link):
            keeper.send(*(items(n) for n in range(1, 501)))
            await until_acked(keeper, 500)
    assert taken.numbers == list(range(1, 501))
    assert taken.commits < 100


async def test_a_keeper_far_ahead_of_the_store_waits(tmp_path: Path, intake: Intake) -> None:
    taken = Taken()
    taken.may_commit.clear()
    slow, quick = taken.link(ONE), taken.link(TWO)
    most = 4 * MOST_ARRIVED
    async with listening(tmp_path, ONE) as (flood, path), listening(tmp_path, TWO) as (calm, other):
        await slow.connect(intake, path, 0)
        await quick.connect(intake, other, 0)
        async with running(slow), running(quick):
            flood.send(*(items(n, size=64 * 1024) for n in range(1, most + 1)))
            # By the time that the other's word is through, the first is held off.
            for n in range(2 * most):
                calm.send(
                    wire.Live(
                        frames=(
                            TextDelta(session=TWO, message=MessageId(str(n)), offset=0, text="x"),
                        )
                    )
                )
                await taken.live.get()
            assert flood.writer.transport.get_write_buffer_size() > 0
            taken.may_commit.set()
            await until_acked(flood, most)
    assert taken.numbers == list(range(1, most + 1))


async def test_what_came_before_the_end_is_taken(tmp_path: Path, intake: Intake) -> None:
    taken = Taken()
    link = taken.link(ONE)
    async with listening(tmp_path, ONE) as (keeper, path):
        await link.connect(intake, path, 0)
        keeper.send(*(items(n) for n in range(1, 11)))
        keeper.writer.close()
        await link.run()
    assert taken.numbers == list(range(1, 11))
    with pytest.raises(ConnectionError):
        await link.do("1", wire.Interrupt())


async def test_an_answer_that_never_comes_is_an_error(tmp_path: Path, intake: Intake) -> None:
    link = Taken().link(ONE)
    async with listening(tmp_path, ONE) as (keeper, path):
        await link.connect(intake, path, 0)
        async with asyncio.TaskGroup() as tasks:
            asked = tasks.create_task(_refused(link))
            await keeper.asked.wait()
            keeper.writer.close()
            await link.run()
        assert asked.result()


async def _refused(link: KeeperLink) -> bool:
    with pytest.raises(ConnectionError):
        await link.do("1", wire.Interrupt())
    return True


async def test_done_is_told_to_whoever_asked(tmp_path: Path, intake: Intake) -> None:
    link = Taken().link(ONE)
    async with listening(tmp_path, ONE) as (keeper, path):
        await link.connect(intake, path, 0)
        async with running(link), asyncio.TaskGroup() as tasks:
            asked = tasks.create_task(link.do("1", wire.Interrupt()))
            keeper.send(wire.Done(id=CommandId("1"), error="not now"))
            assert await asked == "not now"


async def test_nonsense_ends_the_link_after_what_made_sense(tmp_path: Path, intake: Intake) -> None:
    taken = Taken()
    link = taken.link(ONE)
    async with listening(tmp_path, ONE) as (keeper, path):
        await link.connect(intake, path, 0)
        keeper.send(items(1))
        async with asyncio.TaskGroup() as tasks:
            run = tasks.create_task(_ends_in_nonsense(link))
            await until_acked(keeper, 1)
            keeper.writer.write(b"\x00\x00\x00\x02{]")
            await run
    assert taken.numbers == [1]


async def _ends_in_nonsense(link: KeeperLink) -> None:
    with pytest.raises(ExceptionGroup) as ended:
        await link.run()
    assert ended.group_contains(msgspec.DecodeError)


async def test_a_stranger_is_let_go_of(tmp_path: Path, intake: Intake) -> None:
    async with listening(tmp_path, ONE) as (_, path):
        with pytest.raises(Fenced):
            await Taken().link(ONE, epoch=2).connect(intake, path, 0)
