"""Follow-ups are kept in order, can be edited and deleted, and none is ever dropped."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.driver import REHEARSAL, Json, Refused, RunningHub, hold, of_type, script, write


def held(hub: RunningHub) -> Json:
    session = hub.new(script(hold("go"), {"text": "first"}))
    with hub.reader(after=0, session=session["id"]) as reader:
        reader.until_type("tool_called", session["id"])
    return session


def release(session: Json) -> None:
    (Path(session["worktree"]) / "go").touch()


def test_they_are_said_in_order_as_edited_and_without_the_deleted(shared: RunningHub) -> None:
    hub, session = shared, held(shared)
    ref = session["id"]
    for name in ("one", "two", "three"):
        assert hub.say(ref, script(write(f"{name}.txt"), {"text": name}), follow_up=True)
    one, two, three = hub.show(ref)["follow_ups"]
    path = f"/api/sessions/{ref}/follow-ups"
    edited = hub.post(f"{path}/{two['id']}", {"text": script(write("edited"), {"text": "2"})})
    assert [f["id"] for f in edited] == [one["id"], two["id"], three["id"]]
    left = hub.post(f"{path}/{one['id']}/delete")
    assert [f["id"] for f in left] == [two["id"], three["id"]]
    hub.restart()
    assert [f["id"] for f in hub.get(path)] == [two["id"], three["id"]]
    release(session)
    [rested] = hub.wait_idle(ref)
    assert rested["follow_ups"] == []
    files = {p.name for p in Path(session["worktree"]).iterdir()}
    assert {"edited", "three.txt"} <= files
    assert not {"one.txt", "two.txt"} & files
    said = [m["message"] for m in of_type(hub.events(ref), "user_message")]
    assert said[1:] == [two["id"], three["id"]]


def test_one_that_is_on_its_way_can_no_longer_be_changed(shared: RunningHub) -> None:
    session = shared.new(script({"text": "done"}))
    shared.wait_idle(session["id"])
    with pytest.raises(Refused) as refused:
        shared.post(f"/api/sessions/{session['id']}/follow-ups/nope", {"text": "x"})
    assert refused.value.status == 404


def test_a_message_with_a_model_of_its_own_leaves_the_session_as_it_is(shared: RunningHub) -> None:
    session = shared.new(script({"text": "a"}), model="sonnet", agent=REHEARSAL)
    shared.wait_idle(session["id"])
    shared.act(session["id"], "say", text=script({"text": "b"}), model="haiku", effort="low")
    shared.wait_idle(session["id"])
    shared.say(session["id"], script({"text": "c"}))
    [rested] = shared.wait_idle(session["id"])
    assert (rested["model"], rested["effort"]) == ("sonnet", "")
    usage = of_type(shared.events(session["id"]), "usage_recorded")
    exact = [u["model"] for u in usage if not u.get("estimated")]
    assert ["sonnet" in exact[0], "haiku" in exact[1], "sonnet" in exact[2]] == [True] * 3


def test_effort_mode_and_model_change_at_any_time(shared: RunningHub) -> None:
    session = shared.new(script({"text": "a"}), effort="high", agent=REHEARSAL)
    ref = session["id"]
    assert session["effort"] == "high"
    shared.wait_idle(ref)
    assert shared.act(ref, "effort", effort="low")["effort"] == "low"
    shared.say(ref, script({"text": "b"}))
    [rested] = shared.wait_idle(ref)
    assert rested["effort"] == "low"


def test_a_picture_goes_along_with_the_first_message_and_a_later_one(shared: RunningHub) -> None:
    attached = [{"name": "../a b.txt", "media_type": "text/plain", "data": "aGVsbG8="}]
    session = shared.new(script({"text": "a"}), attachments=attached)
    shared.wait_idle(session["id"])
    shared.act(session["id"], "say", text=script({"text": "b"}), attachments=attached)
    shared.wait_idle(session["id"])
    messages = of_type(shared.events(session["id"]), "user_message")
    for message in messages:
        (file,) = message["attachments"]
        assert (file["name"], file["size"]) == ("a_b.txt", 5)
        assert Path(file["path"]).read_text() == "hello"
        assert Path(file["path"]).is_relative_to(shared.home.sessions / session["id"])
    bad = [{**attached[0], "data": "%%"}]
    with pytest.raises(Refused, match="base64"):
        shared.act(session["id"], "say", text="x", attachments=bad)


MANY = 1000


def test_a_thousand_of_them_are_kept_in_order_and_nobody_else_waits(shared: RunningHub) -> None:
    hub, session = shared, held(shared)
    ref = session["id"]
    for number in range(MANY):
        hub.say(ref, f"word {number}", follow_up=True)
        if number % 250 == 0:
            hub.new("x", start=False)  # others are served between any two
    waiting = hub.show(ref)["follow_ups"]
    assert [one["text"] for one in waiting] == [f"word {n}" for n in range(MANY)]
    hub.restart()
    assert hub.show(ref)["follow_ups"] == waiting
    hub.act(ref, "stop")
    assert hub.show(ref)["follow_ups"] == waiting
