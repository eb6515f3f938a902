"""Comments: drafted in the hub, anchored by content, sent as one message, followed to their end."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hub.review.conftest import Reviewed
from tests.support.driver import Refused, RunningHub, eventually, script, write


def test_a_draft_outlives_a_kill_of_the_hub(tmp_path: Path) -> None:
    with RunningHub(tmp_path) as hub:
        hub.make_repo()
        made = hub.new("x", start=False)
        session = Reviewed(hub, hub.wait_idle(made["id"])[0])
        (session.worktree / "code.py").write_text("one\ntwo\n")
        drafted = session.comment(start=2, text="Half a sent")
        hub.restart()
        assert session.comments()[drafted["id"]]["text"] == "Half a sent"


def test_a_draft_is_written_on_under_its_id_and_can_be_discarded(session: Reviewed) -> None:
    session.edit("code.py", "line 10\n", "line ten\n")
    made = session.comment()
    session.comment(id=made["id"], text="Why ten?")
    assert [c["text"] for c in session.comments().values()] == ["Why ten?"]
    session.do(f"comments/{made['id']}/discard")
    assert session.comments() == {}


def test_a_comment_moves_with_its_lines_and_is_outdated_without_them(session: Reviewed) -> None:
    session.edit("code.py", "line 10\n", "line ten\n")
    made = session.comment(start=9, end=11)
    assert made["lines"] == ["line 9", "line ten", "line 11"]
    session.edit("code.py", "line 1\n", "new\nnew\nline 1\n")
    moved = session.comments()[made["id"]]
    assert (moved["start"], moved["end"], moved["outdated"]) == (11, 13, False)
    session.edit("code.py", "line ten\n", "")
    assert session.comments()[made["id"]]["outdated"]


def test_a_comment_on_lines_seen_before_an_edit_finds_them(session: Reviewed) -> None:
    session.edit("code.py", "line 1\n", "new\nline 1\n")
    made = session.comment(start=10, lines=["line 10"])
    assert made["start"] == 11
    gone = session.comment(start=10, lines=["never there"])
    assert gone["outdated"]


@pytest.mark.parametrize(
    "place",
    [
        {"path": "../x"},
        {"path": "/etc/passwd"},
        {"path": ".git/config"},
        {"path": "nowhere.py"},
        {"path": "code.py", "start": 99, "end": 99},
        {"path": "code.py", "start": 5, "end": 2},
        {"path": "", "start": 5, "end": 5},
        {"path": "code.py", "id": "../../x"},
    ],
)
def test_a_place_that_is_none_is_refused(session: Reviewed, place: dict[str, object]) -> None:
    with pytest.raises(Refused) as refused:
        session.do("comments", text="Why?", **place)
    assert refused.value.status in (400, 404)


def sent_and_edited(session: Reviewed, before: str, after: str) -> str:
    made = session.comment()
    session.do("send")
    session.edit("code.py", before, after)
    state: str = session.comments()[made["id"]]["state"]
    return state


def test_a_comment_is_addressed_by_a_change_of_its_hunk_only(session: Reviewed) -> None:
    session.edit("code.py", "line 10\n", "line ten\n")
    assert sent_and_edited(session, "line 30\n", "line thirty\n") == "open"
    assert sent_and_edited(session, "line 1\n", "moved\nline 1\n") == "open"
    assert sent_and_edited(session, "line 12\n", "line twelve\n") == "addressed"


def test_a_comment_on_removed_lines_is_addressed_when_they_come_back(session: Reviewed) -> None:
    session.edit("code.py", "line 10\n", "")
    made = session.comment(start=10, side="old")
    assert made["lines"] == ["line 10"]
    session.do("send")
    session.edit("code.py", "line 30\n", "line thirty\n")
    assert session.comments()[made["id"]]["state"] == "open"
    session.edit("code.py", "line 9\n", "line 9\nline 10\n")
    assert session.comments()[made["id"]]["state"] == "addressed"


def test_comments_on_a_file_and_on_everything_go_by_the_whole_content(session: Reviewed) -> None:
    session.edit("code.py", "line 10\n", "line ten\n")
    on_file = session.comment(start=0)["id"]
    on_all = session.comment(path="", start=0)["id"]
    session.do("send")
    (session.worktree / "other.py").write_text("x\n")
    states = {id: comment["state"] for id, comment in session.comments().items()}
    assert states == {on_file: "open", on_all: "addressed"}
    session.edit("code.py", "line 40\n", "line forty\n")
    assert session.comments()[on_file]["state"] == "addressed"


def test_a_resolved_comment_opens_again_on_what_is_there_then(session: Reviewed) -> None:
    session.edit("code.py", "line 10\n", "line ten\n")
    made = session.comment(start=12)
    session.do("send")
    session.edit("code.py", "line ten\n", "line 10!\n")
    assert session.comments()[made["id"]]["state"] == "addressed"
    assert session.do(f"comments/{made['id']}/resolve")["state"] == "resolved"
    reopened = session.do(f"comments/{made['id']}/reopen")
    assert (reopened["state"], reopened["pending"]) == ("open", True)
    session.do("send")
    session.edit("code.py", "line 10!\n", "line 10\n")
    assert session.comments()[made["id"]]["state"] == "addressed"


def test_what_was_sent_is_neither_sent_again_nor_changed(session: Reviewed) -> None:
    made = session.comment()
    session.do("send")
    with pytest.raises(Refused, match="no comment to send"):
        session.do("send")
    with pytest.raises(Refused, match="sent already"):
        session.comment(id=made["id"], text="Something else")
    with pytest.raises(Refused, match="sent already"):
        session.do(f"comments/{made['id']}/discard")


def test_the_same_command_twice_is_one_message(session: Reviewed) -> None:
    session.comment()
    path = f"/api/sessions/{session.id}/review/send"
    first = session.hub.post(path, {}, command="once")
    assert session.hub.post(path, {}, command="once") == first
    assert session.hub.types(session.id).count("review_sent") == 1


def test_an_agent_answers_one_comment_and_addresses_another(hub: RunningHub) -> None:
    made = hub.new(script(write("counted.py", "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n")))
    hub.wait_idle(made["id"])
    session = Reviewed(hub, hub.show(made["id"]))
    answered = session.comment("counted.py", start=1, text="Why one?")["id"]
    addressed = session.comment("counted.py", start=8, text="Say nine.")["id"]
    left = session.comment("counted.py", start=1, end=2, text="Hm.")["id"]
    steps = [
        write("counted.py", "one\ntwo\nthree\nfour\nfive\nsix\nseven\nnine\n"),
        {"text": f"Done.\n\n{answered}: because it comes first.\n\nThat is all."},
    ]
    said = session.do("send", text=script(*steps, words="Please look."))
    assert set(said["comments"]) == {answered, addressed, left}
    eventually(lambda: hub.show(session.id)["turn"] == 2)
    hub.wait_idle(session.id)
    states = {id: comment["state"] for id, comment in session.comments().items()}
    assert states == {answered: "answered", addressed: "addressed", left: "open"}
    assert session.comments()[answered]["reply"].startswith(f"{answered}: because")
    told = [e for e in hub.events(session.id) if e["type"] == "user_message"][-1]["text"]
    for words in ("`counted.py`, line 8", "> eight", "Say nine.", addressed, "lines 1 to 2"):
        assert words in told


def test_a_suggestion_takes_the_place_of_its_lines_after_a_checkpoint(session: Reviewed) -> None:
    session.edit("code.py", "line 10\n", "line ten\n")
    made = session.comment(start=10, end=11, suggestion="line X\nline XI\nline XII")
    before = len(hub_checkpoints(session))
    applied = session.do(f"comments/{made['id']}/apply")
    assert applied["state"] == "resolved"
    lines = (session.worktree / "code.py").read_text().splitlines()
    assert lines[8:14] == ["line 9", "line X", "line XI", "line XII", "line 12", "line 13"]
    assert len(hub_checkpoints(session)) == before + 1


def test_a_suggestion_for_lines_that_are_gone_changes_nothing(session: Reviewed) -> None:
    made = session.comment(start=10, suggestion="x")
    session.edit("code.py", "line 10\n", "line ten\n")
    with pytest.raises(Refused, match="gone"):
        session.do(f"comments/{made['id']}/apply")


def hub_checkpoints(session: Reviewed) -> list[object]:
    found: list[object] = session.hub.get(f"/api/sessions/{session.id}/checkpoints")
    return found
