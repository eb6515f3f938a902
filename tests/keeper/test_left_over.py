"""What agents leave running ends with the session, by identity, however it tries to get away."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from manyhands.keeper.life import load_left_over, note_left_over
from manyhands.model.ids import fresh_id
from tests.support.driver import RunningHub, bash, eventually, gone, script

ESCAPES = {
    "setsid": "setsid sleep {n} >/dev/null 2>&1 &",
    "double fork": "(setsid sh -c '(sleep {n} >/dev/null 2>&1 &)' &)",
    "clean environment": "(env -i setsid sh -c '(sleep {n} >/dev/null 2>&1 &)' &)",
    "nohup": "nohup sleep {n} >/dev/null 2>&1 &",
}


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[RunningHub]:
    with RunningHub(tmp_path / "hub", linger=1.0) as running:
        running.start_model()
        running.make_repo()
        yield running


def sleepers(numbers: list[int]) -> list[psutil.Process]:
    wanted = [["sleep", str(n)] for n in numbers]
    found = []
    for process in psutil.process_iter():
        try:
            if process.cmdline() in wanted and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.Error:
            continue
    return found


def leave(hub: RunningHub, tmp_path: Path) -> tuple[str, list[psutil.Process]]:
    """A finished turn whose commands left one process per way of escape."""
    seed = abs(hash(str(tmp_path))) % 10**6 + 10**6
    numbers = [seed + n for n in range(len(ESCAPES))]
    ways = zip(ESCAPES.values(), numbers, strict=True)
    commands = "; ".join(way.format(n=n).removesuffix("&") + "&" for way, n in ways)
    session = hub.new(script(bash(commands.replace("&;", "&")), {"text": "done"}))["id"]
    (view,) = hub.wait_idle(session)
    assert view["status"] == "idle"
    eventually(lambda: len(sleepers(numbers)) == len(ESCAPES))
    return session, sleepers(numbers)


def test_a_finished_agent_with_a_server_left_is_finished_and_archive_ends_it(
    hub: RunningHub, tmp_path: Path
) -> None:
    session, left = leave(hub, tmp_path)
    bystander = psutil.Popen(["sleep", "1999"])
    try:
        plan = hub.act(session, "archive")
        assert plan["safe"]
        assert all(gone(process) for process in left)
        assert bystander.is_running()
    finally:
        bystander.kill()
        bystander.wait()


def test_what_got_away_after_the_turn_is_no_stranger(hub: RunningHub, tmp_path: Path) -> None:
    """Its keeper looks for such processes now and then only, and nobody waits for that."""
    number = abs(hash(str(tmp_path))) % 10**6 + 2 * 10**6
    wait = f"until test -e go; do sleep 0.05; done; (sleep {number} >/dev/null 2>&1 &)"
    escape = f"(env -i setsid sh -c '{wait}' >/dev/null 2>&1 &)"
    session = hub.new(script(bash(escape), {"text": "done"}))["id"]
    (view,) = hub.wait_idle(session)
    (Path(view["worktree"]) / "go").touch()
    eventually(lambda: sleepers([number]))
    [left] = sleepers([number])
    hub.act(session, "archive")
    assert gone(left)


def test_they_end_with_the_keeper_too(hub: RunningHub, tmp_path: Path) -> None:
    session, left = leave(hub, tmp_path)
    hub.keeper(session).terminate()
    assert all(gone(process) for process in left)


def test_what_a_killed_keeper_could_not_end_is_ended_at_the_archive(
    hub: RunningHub, tmp_path: Path
) -> None:
    session, left = leave(hub, tmp_path)
    wanted = {process.pid for process in left}
    place = hub.home.sessions / session
    eventually(lambda: wanted <= {one.pid for one in load_left_over(place, session)})
    keeper = hub.keeper(session)
    keeper.kill()
    assert gone(keeper)
    hub.act(session, "archive")
    assert all(gone(process) for process in left)


def test_what_is_noted_at_once_does_not_get_in_each_others_way(tmp_path: Path) -> None:
    """Turns that end together are each noted in a thread of their own."""
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(note_left_over, [tmp_path] * 400))
    assert load_left_over(tmp_path, fresh_id()) == []


def test_what_cannot_be_noted_does_not_end_the_keeper(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    note_left_over(tmp_path / "gone")
    assert "could not be noted" in caplog.text
