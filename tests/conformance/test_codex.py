"""Codex under a hub: where a budget can hold it, and how its own past is taken up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conformance.hubs import hub_of
from tests.conformance.subjects import CODEX, Place, script
from tests.support.driver import Refused, RunningHub, of_type

pytestmark = pytest.mark.timeout(300)

DEAR = {"usage": {"in": 100_000, "out": 1000}}
"""Less than its window holds: it would tidy that up first."""


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningHub]:
    with hub_of(tmp_path_factory.mktemp("codex"), (CODEX,)) as running:
        yield running


def test_codex_in_auto_asks_for_nothing_and_is_held_at_the_end_of_its_turn(
    hub: RunningHub,
) -> None:
    """Inside its sandbox it writes unasked: there is no call of its that could be made to wait."""
    nowhere = Place(Path(), Path(), "")
    first, second, third = (CODEX.write(nowhere, name, "x\n") for name in ("a", "b", "c"))
    words = script({**first, **DEAR}, second, {"text": "done"})
    session = hub.new(words, agent="codex", mode="auto", budget_usd=0.1)
    ref, place = session["id"], Path(session["worktree"])
    hub.say(ref, script(third, {"text": "."}), follow_up=True)
    item = hub.wait_attention(ref)
    assert (item["kind"], [o["id"] for o in item["options"]]) == ("budget", ["raise", "stop"])
    ended = of_type(hub.events(ref), "turn_finished")
    assert [turn.get("outcome", "done") for turn in ended] == ["done"]
    assert [(place / name).exists() for name in "abc"] == [True, True, False]
    assert hub.show(ref)["cost_usd"] >= 0.1
    hub.answer(ref, "raise")
    hub.wait_idle(ref)
    assert (place / "c").exists()


def test_what_codex_keeps_of_the_checkout_is_taken_up_in_a_worktree(hub: RunningHub) -> None:
    before = hub.new(script({"text": "the word is plum"}), agent="codex", in_place=True)
    hub.wait_idle(before["id"])
    hub.act(before["id"], "archive")
    [kept] = hub.get("/api/past", repo=str(hub.repo), agent="codex")
    assert kept["id"] == hub.show(before["id"])["agent_session"]
    recalled = {"text": "it was $WORD", "subst": {"$WORD": "the word is (plum)"}}
    copied = CODEX.write(Place(Path(), Path(), ""), "copied", "x\n")
    session = hub.new(script(copied, recalled), agent="codex", mode="auto", resume=kept["id"])
    [rested] = hub.wait_idle(session["id"])
    assert rested["agent_session"] not in ("", kept["id"])
    assert of_type(hub.events(session["id"]), "agent_message")[-1]["text"] == "it was plum"
    assert (Path(session["worktree"]) / "copied").exists()
    assert not (hub.repo / "copied").exists()
    assert hub.get("/api/past", repo=str(hub.repo), agent="codex") == [kept]
    other = hub.make_repo(hub.root / "other", trust=False)
    with pytest.raises(Refused, match="not trusted"):
        hub.get("/api/past", repo=str(other), agent="codex")
    with pytest.raises(Refused, match="only where it was led"):
        hub.new("go on", agent="opencode", start=False, resume=kept["id"])
