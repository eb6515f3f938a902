"""The store is copied once a day, whatever the clock does; numbers, not times, order the log."""

from __future__ import annotations

from datetime import datetime, timedelta, tzinfo
from pathlib import Path

import pytest

from manyhands.config import Home
from manyhands.hub.house import open_hub
from manyhands.hub.insight.care import back_up, is_due
from manyhands.hub.insight.doctor import doctor
from manyhands.model import clock
from manyhands.model import events as e
from manyhands.store.backup import MOST_KEPT, backups


class Shifted(datetime):
    """The wall clock, set forwards or back by whoever runs the machine."""

    by = timedelta()

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Shifted:
        moment = datetime.now(tz) + cls.by
        return cls.fromtimestamp(moment.timestamp(), tz)


@pytest.fixture
def shifted(monkeypatch: pytest.MonkeyPatch) -> type[Shifted]:
    monkeypatch.setattr(clock, "datetime", Shifted)
    monkeypatch.setattr(Shifted, "by", timedelta())
    return Shifted


async def test_a_clock_that_jumps_orders_nothing_anew_and_makes_no_heap_of_backups(
    tmp_path: Path, shifted: type[Shifted]
) -> None:
    async with open_hub(Home(tmp_path / "home")) as hub:
        made = 0
        for days in (0, 30, 30, -30, 0, 0, 2, 2):
            shifted.by = timedelta(days=days)
            await hub.record(e.RepoAdded(path=f"/{hub.store.last_seq}"))
            if is_due(hub):
                await back_up(hub)
                made += 1
            assert not is_due(hub)
        assert made == 4  # one for each day that it was thought to be
        assert 1 <= len(backups(hub.home.backups)) <= MOST_KEPT
        stored = await hub.store.events(0)
        assert [seq for seq, _ in stored] == list(range(1, 9))
        assert len(hub.state.repos) == 8
        assert all(found.ok for found in await doctor(hub) if found.check in ("store", "fault"))


async def test_a_backup_that_cannot_be_made_is_a_fault_until_it_can(tmp_path: Path) -> None:
    async with open_hub(Home(tmp_path / "home")) as hub:
        await hub.record(e.RepoAdded(path="/a"))
        hub.home.backups.write_text("in the way\n")
        await back_up(hub)
        [fault] = [found for found in await doctor(hub) if found.check == "fault"]
        assert "backup" in fault.detail
        hub.home.backups.unlink()
        await back_up(hub)
        assert not [found for found in await doctor(hub) if found.check == "fault"]
        [backup] = backups(hub.home.backups)
        assert backup.stat().st_mode & 0o077 == 0
