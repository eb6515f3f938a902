"""A session's box is chosen by a person, at any time, and holds from its next agent on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.driver import (
    REHEARSAL,
    Json,
    Refused,
    RunningHub,
    bash,
    hold,
    of_type,
    script,
    write,
)


def epochs(hub: RunningHub, ref: str) -> list[int]:
    return [event["epoch"] for event in of_type(hub.events(ref), "keeper_started")]


def test_a_choice_at_creation_is_the_sessions_own(shared: RunningHub) -> None:
    made = shared.new("x", start=False, box="none", network="listed")
    assert made["box"] == "none"
    detail = made["box_detail"]
    assert (detail["own"], detail["own_network"], detail["wanted"]) == ("none", "listed", "none")
    plain = shared.new("x", start=False)
    machine = shared.get("/api/status")
    assert (plain["box"], plain["box_detail"]["own"]) == (machine["box"], None)
    assert plain["box_detail"] == machine["box_detail"]
    fork = shared.act(made["id"], "fork")
    assert (fork["box_detail"]["own"], fork["box_detail"]["own_network"]) == ("none", "listed")


def test_what_is_no_level_is_refused(shared: RunningHub) -> None:
    made = shared.new("x", start=False)
    for body in ({"level": "half"}, {"network": "some"}, {"box": "none"}):
        with pytest.raises(Refused) as refused:
            shared.act(made["id"], "box", **body)
        assert refused.value.status == 400


def test_an_idle_agent_gives_way_and_the_next_message_goes_to_one_in_the_chosen_box(
    shared: RunningHub,
) -> None:
    ref = shared.new(script({"text": "a"}), box="full", agent=REHEARSAL)["id"]
    [boxed] = shared.wait_idle(ref)
    assert (boxed["box"], epochs(shared, ref)) == ("full", [1])
    with shared.reader(after=0, session=ref) as reader:
        changed = shared.act(ref, "box", level="none")
        assert changed["box_detail"]["own"] == "none"
        reader.until_type("keeper_exited", ref)
    assert shared.show(ref)["box"] == "none"
    shared.say(ref, script({"text": "b"}))
    [rested] = shared.wait_idle(ref)
    assert epochs(shared, ref)[:2] == [1, 2]
    assert not rested["box_detail"]["pending"]
    said = [m["text"] for m in of_type(shared.events(ref), "agent_message")]
    assert said == ["a", "b"]
    [event] = of_type(shared.events(ref), "box_changed")
    assert event["asked_by"]["token"] == "command line"


def test_while_a_turn_runs_a_choice_waits_for_its_end(shared: RunningHub) -> None:
    steps = (hold("go"), write("done.txt"), {"text": "a"})
    session = shared.new(script(*steps), mode="auto", agent=REHEARSAL)
    ref = session["id"]
    with shared.reader(after=0, session=ref) as reader:
        reader.until_type("tool_called", ref)
        pending = shared.act(ref, "box", network="none")["box_detail"]
        assert (pending["own_network"], epochs(shared, ref)) == ("none", [1])
        (Path(session["worktree"]) / "go").touch()
        reader.until_type("keeper_exited", ref)
    [rested] = shared.wait_idle(ref)
    assert (Path(session["worktree"]) / "done.txt").exists()
    assert [m["text"] for m in of_type(shared.events(ref), "agent_message")] == ["a"]
    assert rested["box_detail"]["wanted_network"] == "none"


def test_a_choice_that_changes_nothing_is_no_event(shared: RunningHub) -> None:
    ref = shared.new("x", start=False, box="files")["id"]
    shared.act(ref, "box", level="files")
    shared.act(ref, "box")
    assert not of_type(shared.events(ref), "box_changed")
    back = shared.act(ref, "box", level=None)
    assert back["box_detail"]["own"] is None


def test_the_repository_and_the_user_may_ask_for_another(hub: RunningHub) -> None:
    config, plain = hub.home.config, hub.home.config.read_text()
    config.write_text(plain.replace("[box]\n", "[box]\nnetwork = 'none'\n"))
    try:
        asked(hub, hub.new("x", start=False), "none", "none")
        (hub.repo / ".manyhands.toml").write_text("[box]\nlevel = 'files'\nnetwork = 'listed'\n")
        hub.git("add", ".manyhands.toml", cwd=hub.repo)
        hub.git("commit", "-qm", "A box", cwd=hub.repo)
        hub.post("/api/repos/trust", {"path": str(hub.repo)})
        asked(hub, hub.new("x", start=False), "files", "listed")
        asked(hub, hub.new("x", start=False, box="full"), "full", "listed")
        assert hub.get("/api/status")["box_detail"]["wanted"] == "none"
    finally:
        config.write_text(plain)


def test_no_agent_leaves_its_box_by_what_it_writes_into_the_worktree(hub: RunningHub) -> None:
    (hub.repo / ".manyhands.toml").write_text("[box]\nlevel = 'full'\nnetwork = 'listed'\n")
    hub.git("add", ".manyhands.toml", cwd=hub.repo)
    hub.git("commit", "-qm", "A box", cwd=hub.repo)
    hub.post("/api/repos/trust", {"path": str(hub.repo)})
    session = hub.new("x", start=False)
    asked(hub, session, "full", "listed")
    config = Path(session["worktree"]) / ".manyhands.toml"
    for sly in ("box = 'none'\n", "[box]\nnetwork = 'open'\nlevel = 'none'\n", "", "broken ["):
        config.write_text(sly)
        asked(hub, hub.act(session["id"], "box"), "full", "listed")
    config.unlink()
    asked(hub, hub.act(session["id"], "box"), "full", "listed")


def asked(hub: RunningHub, session: Json, level: str, network: str) -> None:
    for view in (session, hub.show(session["id"])):
        detail = view["box_detail"]
        assert (detail["wanted"], detail["wanted_network"]) == (level, network)


def test_the_doctor_tells_of_the_machine_and_of_who_has_less_than_it_asks_for(
    hub: RunningHub,
) -> None:
    less = hub.new("x", start=False, name="Lesser", in_place=True, box="full")
    found = [f for f in hub.get("/api/doctor") if f["check"] == "box"]
    assert found[0]["detail"].startswith(hub.get("/api/status")["box"])
    [told] = [f for f in found[1:] if f["detail"].startswith(f"{less['slug']} asks for full")]
    assert not told["ok"]
    assert told["fix"]


def test_every_agent_says_what_box_it_gets(shared: RunningHub) -> None:
    agents = shared.get("/api/agents")
    box = shared.get("/api/status")["box"]
    assert {agent["box"] for agent in agents} == {box}
    assert all(agent["box_note"].startswith(box) for agent in agents)


def test_in_a_box_auto_does_what_the_box_makes_harmless_and_the_outside_stays(
    hub: RunningHub,
) -> None:
    hub.git("branch", "precious", cwd=hub.repo)
    command = "git branch -D precious; git config user.name Agent; echo x > ~/made"
    ref = hub.new(script(bash(command), {"text": "done"}), mode="auto", box="full")["id"]
    [rested] = hub.wait_idle(ref)
    assert rested["box_detail"]["promise"].startswith("nothing outside the worktree can be changed")
    [entered] = of_type(hub.events(ref), "box_entered")
    assert (entered["level"], rested["box"]) == ("full", "full")
    [decided] = of_type(hub.events(ref), "permission_decided")
    assert (decided["decision"], decided["rule"]) == ("allow", "mode auto, in its box")
    assert hub.git("branch", "--list", "precious", cwd=hub.repo).strip() == "precious"
    assert hub.git("config", "user.name", cwd=hub.repo).strip() != "Agent"
    assert not (Path(hub.environment["HOME"]) / "made").exists()
    # Without one, the same is asked about.
    bare = hub.new(script(bash(command), {"text": "done"}), mode="auto", box="none")["id"]
    item = hub.wait_attention(bare)
    assert item["kind"] == "permission"
    assert "which all worktrees share" in item["detail"]["reason"]
