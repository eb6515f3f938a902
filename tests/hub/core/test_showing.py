"""What whoever follows the fleet is told: each change, few views of many events, and no more."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest

from manyhands.config import Home
from manyhands.contract.live import Piece
from manyhands.hub.core.feed import Feed, Subscription
from manyhands.hub.core.hub import Hub
from manyhands.hub.core.showing import EVERY_SECONDS, FLEET, join
from manyhands.hub.house import open_hub
from manyhands.model import events as e
from manyhands.model.ids import MessageId, SessionId
from manyhands.model.live import TextDelta
from tests.hub.facts import AT, ready


@pytest.fixture
async def hub(tmp_path: Path) -> AsyncIterator[Hub]:
    async with asyncio.timeout(60), open_hub(Home(tmp_path / "home")) as opened:
        await opened.record(*ready("s"), *ready("t"))
        yield opened


def follower(hub: Hub) -> Subscription:
    """Who was told the beginning already."""
    subscription = Subscription()
    hub.part(Feed).join(subscription, FLEET)
    return subscription


def renamed(title: str, session: str = "s") -> e.SessionRenamed:
    return e.SessionRenamed(session=SessionId(session), at=AT, title=title)


async def pieces(subscription: Subscription) -> list[Piece]:
    found: list[bytes] = []
    for entry in await subscription.take():
        if isinstance(entry, bytes):
            found.append(entry)
        else:
            found += [body async for body in entry()]
    return [msgspec.json.decode(body, type=Piece) for body in found]


async def test_a_commit_of_many_events_is_one_view_and_all_readers_get_the_same(hub: Hub) -> None:
    one, other = (follower(hub) for _ in range(2))
    await hub.record(*(renamed(f"Title {number}") for number in range(1000)))
    [piece] = await pieces(one)
    [view] = piece.views
    assert (view.id, view.title, view.commands) == ("s", "Title 999", ())
    assert view.seq == piece.upto == hub.store.last_seq
    assert await pieces(other) == [piece]


async def test_a_burst_of_commits_is_few_views_and_the_last_one_is_the_newest(hub: Hub) -> None:
    reader = follower(hub)
    clock = asyncio.get_running_loop().time
    began = clock()
    for number in range(200):
        await hub.record(renamed(f"Title {number}"))
    titles: list[str] = []
    while "Title 199" not in titles:
        titles += [view.title for piece in await pieces(reader) for view in piece.views]
    # However long the machine takes for the commits.
    assert len(titles) <= 2 + (clock() - began) / EVERY_SECONDS
    assert titles[-1] == "Title 199"


async def test_nothing_gathers_for_nobody(hub: Hub) -> None:
    reader = follower(hub)
    hub.part(Feed).unsubscribe(reader)
    await hub.record(renamed("Unseen"))
    reader = follower(hub)
    await hub.record(renamed("Seen", "t"))
    [piece] = await pieces(reader)
    assert [view.title for view in piece.views] == ["Seen"]


async def test_who_joins_gets_all_that_is_not_archived_and_then_what_changes(hub: Hub) -> None:
    await hub.record(e.SessionArchived(session=SessionId("t"), at=AT))
    reader = Subscription()
    join(hub, reader, FLEET, 0)
    [piece] = await pieces(reader)
    assert piece.begins
    assert [view.id for view in piece.views] == ["s"]
    await hub.record(renamed("Next"))
    [piece] = await pieces(reader)
    assert not piece.begins
    assert [view.title for view in piece.views] == ["Next"]


async def test_news_is_told_whichever_session_it_is_of_and_again_to_who_was_away(hub: Hub) -> None:
    reader = follower(hub)
    before = hub.store.last_seq
    told = e.PersonNotified(
        session=SessionId("t"), at=AT, kind="finished", text="It is done.", about="turn 1"
    )
    await hub.record(renamed("No news"), told)
    [piece] = await pieces(reader)
    [news] = [msgspec.json.decode(frame) for frame in piece.frames]
    assert (news["type"], news["seq"]) == ("person_notified", before + 2)
    for after, count in ((before, 1), (before + 2, 0), (0, 0)):
        again = Subscription()
        join(hub, again, FLEET, after)
        assert [len(piece.frames) for piece in await pieces(again)] == [count]


async def test_a_view_tells_what_a_working_agent_called_last_and_when_it_was_heard(
    hub: Hub,
) -> None:
    s = SessionId("s")
    content = {"file_path": "/worktrees/s/a.py", "content": "x" * 5000, "n": 1}
    await hub.record(
        e.PlaceGranted(session=s, at=AT),
        e.TurnStarted(session=s, at=AT, turn=1),
        e.ToolCalled(session=s, at=AT, call="c", tool="Write", input=content),
    )
    said = TextDelta(session=s, message=MessageId("m"), offset=0, text="Hm", turn=1)
    hub.part(Feed).live([said])
    reader = Subscription()
    join(hub, reader, FLEET, 0)
    [piece] = await pieces(reader)
    [view] = [view for view in piece.views if view.id == "s"]
    assert view.doing is not None
    assert view.doing.tool == "Write"
    assert view.doing.input == {"file_path": "/worktrees/s/a.py", "content": "x" * 240}
    assert view.quiet_since == hub.part(Feed).heard(s) != AT
