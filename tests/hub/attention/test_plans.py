"""A plan can be approved into a mode, revised with words, or handed to a fresh session."""

from __future__ import annotations

from pathlib import Path

from tests.hub.fleet.test_turns import PLAN
from tests.support.driver import REHEARSAL, RunningHub, of_type, script, write


def test_a_plan_is_handed_to_a_fresh_session_once(shared: RunningHub) -> None:
    hub = shared
    carried = script(write("made.txt"), {"text": "carried out"}, words="1. Make it")
    plan = ({**PLAN[0], "input": {"file_path": "$PLAN", "content": carried}}, PLAN[1])
    session = hub.new(
        script(*plan, {"text": "noted"}), mode="plan", name="Planner", agent=REHEARSAL
    )
    item = hub.wait_attention(session["id"])
    assert "hand-over" in [option["id"] for option in item["options"]]
    hub.answer(session["id"], "hand-over")
    hub.wait_idle(session["id"])
    made = next(s for s in hub.get("/api/sessions") if s["title"] == "Planner (plan)")
    [rested] = hub.wait_idle(made["id"])
    assert rested["mode"] == "edits"
    first = of_type(hub.events(made["id"]), "user_message")[0]["text"]
    assert "1. Make it" in first
    assert (Path(rested["worktree"]) / "made.txt").exists()
    assert not (Path(session["worktree"]) / "made.txt").exists()
    assert hub.show(session["id"])["mode"] == "plan"
    notes = of_type(hub.events(session["id"]), "note_made")
    assert any(made["slug"] in note["text"] for note in notes)


def test_a_plan_is_revised_with_words_and_then_approved_into_a_mode(shared: RunningHub) -> None:
    hub = shared
    steps = (*PLAN, *PLAN, write("a.txt"), {"text": "ok"})
    session = hub.new(script(*steps), mode="plan", agent=REHEARSAL)
    first = hub.wait_attention(session["id"])
    hub.answer(session["id"], "revise", text="smaller steps")
    with hub.reader(after=0, session=session["id"]) as reader:
        reader.until(lambda f: f.get("type") == "plan_proposed" and f["item"]["id"] != first["id"])
    hub.answer(session["id"], "approve-auto")
    [rested] = hub.wait_idle(session["id"])
    assert rested["mode"] == "auto"
    refusals = [f["output"] for f in of_type(hub.events(session["id"]), "tool_finished")]
    assert any("smaller steps" in output for output in refusals)
