"""What the command line does when the hub misbehaves or goes away."""

from __future__ import annotations

import pytest

from tests.cli.stand_in import HALF, StandIn
from tests.support.console import SECONDS, Console

SESSION = {
    "id": "abcd1234",
    "title": "\x1b[31mRed\u202e",
    "slug": "red",
    "repo": "/r",
    "branch": "mh/red",
    "base": "main",
    "base_commit": "0" * 40,
    "worktree": "/w",
    "agent": "claude",
    "kind": "claude",
    "model": "",
    "effort": "",
    "mode": "ask",
    "status": "idle",
    "reason": "",
    "attention": [],
    "unread": False,
    "review": "none",
    "turn": 1,
    "cost_usd": 0.0,
    "cost_estimated": False,
    "budget": None,
    "tokens": {"in": 0, "out": 0},
    "context": None,
    "todos": [],
    "commands": [],
    "conversations": [],
    "quiet_since": None,
    "added": 0,
    "removed": 0,
    "files_changed": 0,
    "ports": {},
    "pr": None,
    "created_at": "",
    "updated_at": "",
    "error": None,
    "hint": "",
    "follow_ups": [],
    "agent_pid": 0,
    "agent_session": "",
    "limited": False,
    "limited_note": "",
}


def test_a_command_cut_off_is_sent_again_under_the_same_id(
    console: Console, stand_in: StandIn
) -> None:
    stand_in.answers = [None, None, (200, SESSION)]
    assert console.json("stop", "red")["id"] == "abcd1234"
    ids = {headers["command-id"] for _, _, headers, _ in stand_in.seen}
    assert len(stand_in.seen) == 3
    assert len(ids) == 1


def test_two_commands_have_two_ids(console: Console, stand_in: StandIn) -> None:
    stand_in.then = (200, SESSION)
    console.ok("stop", "red")
    console.ok("stop", "red")
    assert len({headers["command-id"] for _, _, headers, _ in stand_in.seen}) == 2


def test_a_hub_that_always_hangs_up_is_down(console: Console, stand_in: StandIn) -> None:
    stand_in.then = None
    done = console.run("stop", "red", "--json")
    assert (done.code, done.error["code"]) == (7, "hub_down")


def test_wait_goes_on_when_the_hub_comes_back(console: Console, stand_in: StandIn) -> None:
    waited = {"outcome": "reached", "sessions": [SESSION]}
    stand_in.answers = [None, None, (200, waited)]
    assert [s["slug"] for s in console.json("wait", "red", "--timeout", "60")] == ["red"]
    left = [body["timeout"] for _, _, _, body in stand_in.seen]
    assert left == sorted(left, reverse=True)
    assert left[0] > left[-1]


@pytest.mark.parametrize(
    ("outcome", "code"), [("reached", 0), ("attention", 6), ("timeout", 1), ("failed", 1)]
)
def test_wait_ends_with_what_came_of_it(
    console: Console, stand_in: StandIn, outcome: str, code: int
) -> None:
    session = {**SESSION, "status": "failed", "error": "no disk"}
    stand_in.then = (200, {"outcome": outcome, "sessions": [session]})
    done = console.run("wait", "red", "--json")
    assert done.code == code
    assert [s["id"] for s in done.data] == ["abcd1234"]


@pytest.mark.parametrize(
    ("status", "code", "exit_code"),
    [
        (400, "bad_input", 2),
        (401, "not_authorised", 4),
        (403, "not_trusted", 4),
        (404, "not_found", 5),
        (409, "git_failed", 1),
        (409, "not_possible", 1),
        (500, "bug", 1),
        (507, "store_failed", 1),
    ],
)
def test_the_hubs_errors_keep_their_words_and_get_their_exit_code(
    console: Console, stand_in: StandIn, status: int, code: str, exit_code: int
) -> None:
    stand_in.then = (status, {"code": code, "message": "It broke.", "hint": "Mend it."})
    done = console.run("show", "red", "--json")
    assert done.code == exit_code
    assert (done.error["message"], done.error["hint"]) == ("It broke.", "Mend it.")


def test_a_stranger_on_the_hubs_port_is_not_taken_for_the_hub(
    console: Console, stand_in: StandIn
) -> None:
    stand_in.then = (404, "nothing here")
    done = console.run("show", "red", "--json")
    assert done.code == 7
    assert "is not this home's hub" in done.error["message"]


def test_a_bug_leaves_a_report_and_one_sentence(console: Console, stand_in: StandIn) -> None:
    stand_in.then = (200, {"id": "not a session"})
    done = console.run("show", "red")
    assert done.code == 3
    (report,) = (console.home / "logs").glob("crash-*.txt")
    assert str(report) in done.err
    assert "Traceback" not in done.err
    assert "Traceback" in report.read_text("utf-8")
    assert report.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("words", [("ls",), ("show", "red")])
def test_a_hostile_title_is_inert_on_a_terminal(
    console: Console, stand_in: StandIn, words: tuple[str, ...]
) -> None:
    stand_in.then = (200, [SESSION] if words == ("ls",) else SESSION)
    shown = console.on_terminal(*words).text
    assert "\\x1b[31mRed\\u202e" in shown
    assert "\x1b[31m" not in shown


def test_half_an_answer_is_no_answer(console: Console, stand_in: StandIn) -> None:
    stand_in.answers = [HALF, HALF, (200, [])]
    assert console.json("ls") == []
    assert len(stand_in.seen) == 3


def test_json_is_passed_on_as_it_came(console: Console, stand_in: StandIn) -> None:
    stand_in.then = (200, [{"field": "of a newer version"}])
    assert console.json("ls") == [{"field": "of a newer version"}]


@pytest.mark.parametrize("name", ["..", "", "a/b?c#d", "ä", "\udcff"])
def test_any_name_is_one_piece_of_the_path(console: Console, stand_in: StandIn, name: str) -> None:
    stand_in.then = (404, {"code": "not_found", "message": "No.", "hint": ""})
    assert console.run("show", name, "--json").code == 5
    assert all(path.count("/") == 3 for _, path, _, _ in stand_in.seen)


def test_a_reader_that_closes_the_pipe_ends_us_quietly(console: Console, stand_in: StandIn) -> None:
    stand_in.then = (200, [{"text": "x" * 1000}] * 2000)
    child = console.start("ls", "--json")
    assert child.stdout is not None
    assert child.stderr is not None
    child.stdout.read(10)
    child.stdout.close()
    child.wait(SECONDS)
    assert b"Traceback" not in child.stderr.read()
    child.stderr.close()


def test_say_looks_up_every_name_before_it_says_anything(
    console: Console, stand_in: StandIn
) -> None:
    missing = {"code": "not_found", "message": "No.", "hint": ""}
    stand_in.answers = [(200, SESSION), (404, missing)]
    assert console.run("say", "red", "blue", "hello").code == 5
    assert [method for method, _, _, _ in stand_in.seen] == ["GET", "GET"]
