"""What a keeper is told: only what it was not born with."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from manyhands.config import Home
from manyhands.errors import NotPossible
from manyhands.hub.core.feed import Feed, Subscription
from manyhands.hub.core.hub import Hub
from manyhands.hub.fleet.fleet import Fleet
from manyhands.hub.fleet.keepers import born_with
from manyhands.hub.fleet.link import KeeperLink, Links
from manyhands.hub.house import open_hub
from manyhands.model import events as e
from manyhands.model import wire
from manyhands.model.clock import now
from manyhands.model.ids import MessageId, Oid, SessionId
from manyhands.model.live import AnyLive, Patched
from manyhands.model.session.session import Session, fold
from manyhands.model.workspace.diff import FileDiff
from tests.hub.facts import created


def unconnected(session: SessionId) -> KeeperLink:
    async def ingest(items: wire.Items) -> int:
        raise AssertionError("nothing comes in")

    def live(frames: Sequence[AnyLive]) -> None:
        raise AssertionError("nothing comes in")

    return KeeperLink(session, 1, ingest=ingest, live=live)


async def about_to_speak(hub: Hub) -> Session:
    """A session that holds a place and has one message to be delivered; its worktree is nowhere."""
    made = created("one")
    word = e.UserMessage(session=made.session, at=now(), message=MessageId("m"), text="Go")
    await hub.record(made, word, e.SessionReady(session=made.session, at=now()))
    found = hub.state.session(made.session)
    assert found is not None
    return found


async def test_the_first_message_to_a_new_keeper_is_the_only_command(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    async with asyncio.timeout(60), open_hub(home) as hub:
        s = await about_to_speak(hub)
        link = unconnected(s.id)
        link.sent |= born_with(hub, s)
        assert list(hub.part(Fleet).unsent(link, s)) == ["say-m"]


async def test_what_changed_since_its_birth_is_told_before_the_message(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    async with asyncio.timeout(60), open_hub(home) as hub:
        s = await about_to_speak(hub)
        link = unconnected(s.id)
        link.sent |= born_with(hub, s)
        changed = fold(s, e.ModeChanged(session=s.id, at=now(), mode="auto"))
        assert list(hub.part(Fleet).unsent(link, changed)) == ["mode", "say-m"]


async def test_a_keeper_of_an_earlier_version_hears_of_no_services(tmp_path: Path) -> None:
    async with asyncio.timeout(60), open_hub(Home(tmp_path / "home")) as hub:
        s = await about_to_speak(hub)
        before, now_a_days = unconnected(s.id), unconnected(s.id)
        now_a_days.can = (wire.PARTS,)
        assert "services" not in hub.part(Fleet).unsent(before, s)
        assert "services" in hub.part(Fleet).unsent(now_a_days, s)
        hub.part(Links).live[s.id] = before
        with pytest.raises(NotPossible, match="earlier version"):
            await hub.part(Fleet).require_keeper(s.id)
        del hub.part(Links).live[s.id]


async def test_a_patch_against_another_base_is_shown_to_nobody(tmp_path: Path) -> None:
    async with asyncio.timeout(60), open_hub(Home(tmp_path / "home")) as hub:
        s = await about_to_speak(hub)
        viewer = Subscription()
        hub.part(Feed).join(viewer, f"events/{s.id}")
        file = FileDiff(path="a.txt", status="deleted")
        old, new = (
            Patched(session=s.id, base=base, file=file, number=number)
            for number, base in enumerate((Oid("old"), s.workspace.base_commit))
        )
        hub.part(Fleet).set_looks(viewer, frozenset({s.id}))
        hub.part(Links).hear([old, new])
        shown = [
            msgspec.json.decode(body) for body in await viewer.take() if isinstance(body, bytes)
        ]
        assert [frame["number"] for frame in shown if frame.get("type") == "patched"] == [1]
