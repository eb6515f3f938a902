"""A review from the command line: comment, send, see what became of it, approve."""

from __future__ import annotations

import pytest

from tests.support.console import Console
from tests.support.rehearsed import WRITE, new, script


@pytest.fixture
def session(shared: Console) -> str:
    made = new(shared, WRITE, "--mode", "auto", "--wait")
    return str(made["id"])


def test_a_comment_goes_to_the_agent_and_is_followed(shared: Console, session: str) -> None:
    drafted = shared.json("comment", session, "b.txt:1", "Say three.", "--suggest", "three")
    assert (drafted["state"], drafted["lines"]) == ("draft", ["two"])
    assert "b.txt:1" in shared.ok("review", session).text
    step = {"tool": "Write", "input": {"file_path": "b.txt", "content": "three\n"}}
    sent = shared.json("review", session, "--send", "--text", script(step, {"text": "Done."}))
    assert sent["verdict"] == "commented"
    shared.ok("wait", session, "--timeout", "100")
    found = shared.json("review", session)
    assert [c["state"] for c in found["comments"]] == ["addressed"]


def test_an_approval_is_told_with_the_session(shared: Console, session: str) -> None:
    assert shared.json("review", session, "--approve")["verdict"] == "approved"
    assert shared.json("show", session)["review"] == "approved"


def test_a_file_and_the_whole_change_can_be_commented_on(shared: Console, session: str) -> None:
    assert shared.json("comment", session, "b.txt", "Hm.")["start"] == 0
    assert shared.json("comment", session, ".", "Hm.")["path"] == ""


def test_a_place_that_is_none_and_nothing_to_send_are_said(shared: Console, session: str) -> None:
    assert shared.run("comment", session, "b.txt:99", "Hm.").code == 2
    assert shared.run("comment", session, "none.txt:1", "Hm.").code == 5
    assert shared.run("review", session, "--send").code == 1
    assert shared.run("review", session, "--send", "--approve").code == 2
