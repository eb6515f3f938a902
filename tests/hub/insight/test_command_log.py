"""Every git command can be read again, whoever ran it, and no secret with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from manyhands.git import command_log as module
from manyhands.git.command_log import CommandLog, shown
from manyhands.model.clock import now
from manyhands.model.redaction import Redactor
from manyhands.model.repo.git import Trace
from tests.support.driver import RunningHub, eventually, script, write


def trace(*argv: str) -> Trace:
    return Trace(now(), argv, "/somewhere", 0.01, 0)


def test_the_commands_of_hub_and_keeper_are_there_newest_first(hub: RunningHub) -> None:
    session = hub.new(script(write("a.txt"), {"text": "Done."}))
    hub.wait_idle(session["id"])

    def told() -> bool:
        found = hub.get("/api/log/commands")
        times = [one["at"] for one in found]
        in_worktree = [one for one in found if one["cwd"] == session["worktree"]]
        return times == sorted(times, reverse=True) and any(
            one["argv"][0] == "write-tree" for one in in_worktree
        )

    eventually(told)
    adding = [one for one in hub.get("/api/log/commands") if one["argv"][0] == "worktree"]
    assert adding
    assert adding[0]["returncode"] == 0
    assert adding[0]["seconds"] > 0
    before = hub.get("/api/log/commands")[-1]
    hub.restart()
    assert before in hub.get("/api/log/commands")


def test_credentials_are_not_written_down() -> None:
    argv = ("fetch", "https://me:ghp_secret@example.invalid/x.git", "http.extraHeader=Basic abc")
    assert shown(argv) == ("fetch", "https://…@example.invalid/x.git", "http.extraHeader=…")


def test_the_file_stays_small_and_keeps_the_newest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 2000)
    log = CommandLog()
    log.keep_in(tmp_path / "log", Redactor(), owned=True)
    for n in range(100):
        log.append(trace("status", str(n)))
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) < 5000
    assert [one.argv[1] for one in log.load(3)] == ["99", "98", "97"]


def test_a_line_that_was_cut_off_is_passed_over(tmp_path: Path) -> None:
    log = CommandLog()
    log.keep_in(tmp_path / "log", Redactor())
    log.append(trace("status"))
    with (tmp_path / "log").open("ab") as file:
        file.write(b'{"at": "20')
    assert [one.argv for one in log.load(10)] == [("status",)]


def test_a_log_that_cannot_be_written_stops_no_command(tmp_path: Path) -> None:
    log = CommandLog()
    log.keep_in(tmp_path / "missing" / "log", Redactor())
    log.append(trace("status"))
    assert log.recent
