"""The verdict: given on the tree that a person saw, gone as soon as the files differ from it."""

from __future__ import annotations

import pytest

from tests.hub.review.conftest import Reviewed
from tests.support.driver import Refused, RunningHub, eventually, script, write


def test_an_approval_holds_until_the_files_change(session: Reviewed) -> None:
    session.edit("code.py", "line 10\n", "line ten\n")
    tree = session.ask("/diff")["tree"]
    assert session.do("verdict", verdict="approved", tree=tree)["review"] == "approved"
    assert session.ask()["verdict"] == "approved"
    session.ask("/diff")
    assert session.hub.show(session.id)["review"] == "approved"
    session.edit("code.py", "line 20\n", "line twenty\n")
    session.ask("/diff")
    assert session.hub.show(session.id)["review"] == "none"


def test_a_verdict_lapses_by_itself_when_the_agent_writes_on(hub: RunningHub) -> None:
    made = hub.new(script(write("a.txt")))
    hub.wait_idle(made["id"])
    session = Reviewed(hub, made)
    session.do("verdict", verdict="approved")
    assert hub.show(session.id)["review"] == "approved"
    hub.say(session.id, script(write("a.txt", "y\n")))
    eventually(lambda: hub.show(session.id)["review"] == "none")
    assert "verdict_lapsed" in hub.types(session.id)


def test_what_a_person_has_not_seen_is_not_judged(session: Reviewed) -> None:
    tree = session.ask("/diff")["tree"]
    session.edit("code.py", "line 10\n", "line ten\n")
    with pytest.raises(Refused, match="changed while you looked"):
        session.do("verdict", verdict="approved", tree=tree)
    assert session.hub.show(session.id)["review"] == "none"


def test_a_sent_review_counts_as_commented_and_can_be_taken_back(session: Reviewed) -> None:
    session.comment()
    session.do("send")
    assert session.hub.show(session.id)["review"] == "commented"
    assert session.do("verdict", verdict="none")["review"] == "none"


def test_the_last_review_is_something_to_compare_with(session: Reviewed) -> None:
    with pytest.raises(Refused, match="not reviewed yet"):
        session.files("review")
    session.edit("code.py", "line 10\n", "line ten\n")
    session.do("verdict", verdict="commented")
    assert session.files("review") == {}
    (session.worktree / "fresh.py").write_text("x\n")
    assert list(session.files("review")) == ["fresh.py"]
    assert list(session.files("base")) == ["code.py", "fresh.py"]
