"""A keeper and the hubs that come and go: nothing is lost, doubled or done twice."""

from __future__ import annotations

import asyncio
import stat
from pathlib import Path
from typing import Any

import msgspec
import psutil

from manyhands.keeper.spool import read_spool, spool_path
from manyhands.model import events as e
from manyhands.model import wire
from manyhands.model.ids import CommandId, ConversationId, MessageId, fresh_id
from manyhands.model.live import AnyLive, TextDelta
from tests.keeper.conftest import Keepers
from tests.keeper.hub_end import PATIENCE
from tests.keeper.scripted import say
from tests.keeper.worktree import git
from tests.support.driver import gone


async def test_a_turn_from_message_to_checkpoint(spec: wire.KeeperSpec, keepers: Keepers) -> None:
    keeper = await keepers.connected(spec)
    hub = keeper.hub
    assert await hub.do(say({"write": ["new.txt", "1\n2\n"]}, {"say": "done"})) == ""
    await hub.until_type("checkpoint_made", times=2)
    before, made = hub.all(e.CheckpointMade)
    core = [t for t, event in zip(hub.types, hub.events, strict=True) if event != before]
    assert [t for t in core if t != "diff_changed"] == [
        "box_entered",
        "agent_started",
        "turn_started",
        "message_delivered",
        "agent_message",
        "turn_finished",
        "checkpoint_made",
    ]
    assert hub.types.index("diff_changed") < hub.types.index("turn_finished")
    changed = hub.all(e.DiffChanged)[-1]
    assert (changed.path, changed.total_added, changed.total_files) == ("new.txt", 2, 1)
    for event in hub.events:
        assert not isinstance(event, e.Unknown)
        assert event.session == spec.session
        assert event.at
        earlier = isinstance(event, e.AgentStarted | e.BoxEntered) or event == before
        assert event.turn == (0 if earlier else 1)
    assert "new.txt" not in git(Path(spec.worktree), "ls-tree", f"{before.commit}:display")
    ref = f"refs/manyhands/checkpoints/{spec.session}/1"
    assert git(Path(spec.worktree), "rev-parse", ref) == made.commit
    assert git(Path(spec.worktree), "show", f"{made.commit}:display/new.txt") == "1\n2"


async def test_a_checkpoint_holds_its_own_turn_however_soon_the_next_one_begins(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    hub = (await keepers.connected(spec)).hub
    turns = ["first", "second", "third"]
    for n, text in enumerate(turns, 1):
        hub.tell(say({"write": ["new.txt", text]}, id=text))
        await hub.until_type("turn_finished", times=n)
    await hub.until_type("checkpoint_made", times=1 + len(turns))
    made = hub.all(e.CheckpointMade)[1:]
    kept = [git(Path(spec.worktree), "show", f"{c.commit}:display/new.txt") for c in made]
    assert kept == turns


async def test_a_conversation_beside_writes_once_the_main_ones_turn_is_kept(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    hub = (await keepers.connected(spec)).hub

    def beside(*steps: dict[str, Any]) -> wire.Say:
        other = wire.OtherConversation(agent=spec.agent, mode="auto", writes=True)
        said = say(*steps, id=fresh_id())
        return msgspec.structs.replace(said, conversation=ConversationId("c2"), beside=other)

    hub.tell(beside({"say": "I am up"}))
    await hub.until_type("turn_finished")
    for n, text in enumerate(["first", "second"], 1):
        hub.tell(say({"write": ["new.txt", text]}, id=text))
        await hub.until_type("turn_finished", times=2 * n)
        hub.tell(beside({"write": ["new.txt", "not the main one's"]}))
        await hub.until_type("turn_finished", times=2 * n + 1)
        await hub.until(lambda: str(n) in [c.checkpoint for c in hub.all(e.CheckpointMade)])  # noqa: B023
        ref = f"refs/manyhands/checkpoints/{spec.session}/{n}"
        assert git(Path(spec.worktree), "show", f"{ref}:display/new.txt") == text


async def test_nobody_else_can_reach_the_socket(spec: wire.KeeperSpec, keepers: Keepers) -> None:
    await keepers.start(spec)
    assert stat.S_IMODE(Path(spec.socket).stat().st_mode) == 0o600


async def test_a_dropped_hub_resumes_without_gap_or_double(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    keeper = await keepers.connected(spec)
    hub = keeper.hub
    hub.tell(say({"many": 3000}))
    for drop_at in (200, 900, 2000):
        await hub.until(lambda: hub.last >= drop_at)  # noqa: B023
        await hub.drop()
        await hub.connect()
    await hub.until_type("turn_finished")
    texts = [m.message for m in hub.all(e.AgentMessage)]
    assert texts == [f"m{n}" for n in range(3000)]
    await hub.until(lambda: hub.last == len(hub.events))


async def test_what_was_received_but_not_acknowledged_comes_again(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    keeper = await keepers.connected(spec)
    hub = keeper.hub
    hub.acks = False
    await hub.do(say({"say": "one"}, {"say": "two"}))
    await hub.until_type("checkpoint_made", times=2)
    seen = dict(hub.numbered)
    await hub.drop()
    hub.numbered.clear()
    await hub.connect(acked=0)
    await hub.until(lambda: hub.last == max(seen))
    assert hub.numbered == seen


async def test_a_newer_hub_takes_over_from_an_older(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    keeper = await keepers.connected(spec)
    old = keeper.hub
    new = keepers.hub(spec)
    await new.connect()
    await old.until(lambda: old.ended)
    await new.do(say({"say": "hello"}))
    await new.until_type("agent_message")
    assert old.events == []


async def test_a_killed_keeper_leaves_the_rest_in_its_spool(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    keeper = await keepers.connected(spec)
    hub = keeper.hub
    hub.acks = False
    await hub.do(say({"many": 500}, {"wait": True}))
    await hub.until(lambda: len(hub.all(e.AgentMessage)) == 500)
    [agent] = hub.all(e.AgentStarted)
    process = psutil.Process(agent.pid)
    await keeper.kill()
    assert await asyncio.to_thread(gone, process)
    left = read_spool(spool_path(spec.spool, spec.epoch))
    told = {n: e.decode(body) for n, body in left}
    assert told == {n: told[n] for n in range(1, len(told) + 1)}
    assert all(told[n] == event for n, event in hub.numbered.items())


async def test_a_second_keeper_of_a_session_refuses(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    first = await keepers.connected(spec)
    second = await keepers.start(msgspec.structs.replace(spec, epoch=2), ready=False)
    assert await second.exit() != 0
    assert await first.hub.do(say({"say": "still here"})) == ""
    await first.kill()
    third = await keepers.connected(msgspec.structs.replace(spec, epoch=3))
    assert third.hub.welcome is not None
    assert third.hub.welcome.epoch == 3


async def test_a_newer_epoch_fences_an_old_keeper_off(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    keeper = await keepers.connected(spec)
    await keeper.hub.do(say({"wait": True}))
    await keeper.hub.until_type("agent_started")
    agent = psutil.Process(keeper.hub.all(e.AgentStarted)[0].pid)
    newer = keepers.hub(spec)
    await newer.connect(epoch=2)
    assert newer.welcome is not None
    assert newer.welcome.epoch == 1
    assert await keeper.exit() == 0
    assert await asyncio.to_thread(gone, agent)


async def test_another_protocol_is_answered_with_ours(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    keeper = await keepers.start(spec)
    await keeper.hub.connect(protocol=99)
    assert keeper.hub.welcome is not None
    assert keeper.hub.welcome.protocol == wire.PROTOCOL


async def test_a_stranger_on_the_socket_harms_nothing(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    keeper = await keepers.start(spec)
    for junk in (b"", b"\0\0\0\5hello", b"\xff\xff\xff\xff", b"\0\0\0\2{}", b"GET / HTTP/1.1\r\n"):
        reader, writer = await asyncio.open_unix_connection(spec.socket)
        writer.write(junk)
        writer.write_eof()
        await reader.read()
        writer.close()
    await keeper.hub.connect()
    assert await keeper.hub.do(say({"say": "fine"})) == ""


async def test_a_command_sent_again_does_nothing_twice(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    keeper = await keepers.connected(spec)
    hub = keeper.hub
    assert await hub.do(say({"say": "once"}), id="c1") == ""
    await hub.until_type("turn_finished")
    hub.done.clear()
    assert await hub.do(say({"say": "once"}), id="c1") == ""
    assert await hub.do(say({"say": "once"}), id="c2") == ""
    assert await hub.do(say({"say": "other"}, id="m2")) == ""
    await hub.until_type("turn_finished", 2)
    assert [m.text for m in hub.all(e.AgentMessage)] == ["once", "other"]
    assert [m.message for m in hub.all(e.MessageDelivered)] == ["m1", "m2"]
    assert [t.turn for t in hub.all(e.TurnStarted)] == [1, 2]


async def test_live_text_comes_whole_to_whoever_joins(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    keeper = await keepers.connected(spec)
    hub = keeper.hub
    await hub.do(say({"stream": ["Hel", "lo, ", "world"]}, {"wait": True}))

    def text(frames: list[AnyLive]) -> str:
        said = ""
        for frame in frames:
            assert isinstance(frame, TextDelta)
            said = said[: frame.offset] + frame.text
        return said

    await hub.until(lambda: text(hub.live) == "Hello, world")
    await hub.drop()
    await hub.connect()
    assert hub.welcome is not None
    assert text(list(hub.welcome.live)) == "Hello, world"
    assert {(f.session, f.turn) for f in hub.live} == {(spec.session, 1)}
    await hub.do(wire.Say(message=MessageId("m2"), text="end"))
    await hub.until_type("turn_finished")
    await hub.drop()
    await hub.connect()
    assert hub.welcome.live == ()


async def test_a_hub_that_does_not_read_slows_nobody_and_misses_nothing(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    keeper = await keepers.start(spec)
    _, writer = await asyncio.open_unix_connection(spec.socket, limit=1024)
    writer.write(wire.frame(wire.Hello(protocol=1, epoch=1, acked=0)))
    command = wire.Do(id=CommandId("c"), command=say({"many": 20000}))
    writer.write(wire.frame(command))
    path = spool_path(spec.spool, 1)
    async with asyncio.timeout(PATIENCE):
        while len(await asyncio.to_thread(read_spool, path)) <= 20000:
            pass
    writer.transport.abort()
    await keeper.hub.connect()
    await keeper.hub.until(lambda: keeper.hub.last > 20000)
    await keeper.hub.until(lambda: len(keeper.hub.all(e.AgentMessage)) == 20000)
