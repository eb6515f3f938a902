"""Standing permissions: what they cover, where they are kept, and the record of every decision."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.driver import Refused, RunningHub, bash, script, write


def test_a_rule_made_by_an_answer_holds_in_the_repository_and_can_be_removed(
    shared: RunningHub,
) -> None:
    hub = shared
    first = hub.new(script(bash("git add README.md"), {"text": "."}), mode="ask")
    item = hub.wait_attention(first["id"])
    kinds = {rule["kind"]: rule["command"] for rule in item["detail"]["rules"]}
    assert kinds == {"call": "git add README.md", "prefix": "git add", "tool": ""}
    hub.act(first["id"], "answer", options=["allow-repo"], rule="prefix")
    hub.wait_idle(first["id"])
    second = hub.new(script(bash("git add ."), {"text": "."}), mode="ask")
    hub.wait_idle(second["id"])
    (rule,) = hub.get("/api/rules")
    assert (rule["tool"], rule["kind"], rule["pattern"]) == ("Bash", "prefix", "git add")
    third = hub.new(script(bash("git add . && touch x"), {"text": "."}), mode="ask")
    assert hub.wait_attention(third["id"])["summary"] == "Bash: git add . && touch x"
    hub.answer(third["id"], "deny")
    hub.wait_idle(third["id"])
    hub.post("/api/rules/remove", {"id": rule["id"]})
    assert hub.get("/api/rules") == []
    hub.say(third["id"], script(bash("git add ."), {"text": "."}))
    assert hub.wait_attention(third["id"])["summary"] == "Bash: git add ."
    hub.answer(third["id"], "allow")
    hub.wait_idle(third["id"])
    for session in (first, second, third):
        assert not (Path(session["worktree"]) / ".claude").exists()
    audit = hub.get(f"/api/sessions/{first['id']}/audit")
    assert [(a["by"], a["decision"], a["what"]) for a in audit] == [
        ("human", "allow", "Bash: git add README.md")
    ]
    assert audit[0]["rule"] == "allow-repo: Bash: git add …"
    (by_rule,) = hub.get(f"/api/sessions/{second['id']}/audit")
    assert (by_rule["by"], by_rule["rule"]) == ("rule", "Bash: git add …")
    denied, allowed = hub.get(f"/api/sessions/{third['id']}/audit")
    assert (denied["decision"], allowed["decision"]) == ("deny", "allow")


def test_a_rule_of_a_session_outlives_its_keeper_and_holds_nowhere_else(shared: RunningHub) -> None:
    hub = shared
    session = hub.new(script(write("src/a.py"), {"text": "."}), mode="ask")
    hub.wait_attention(session["id"])
    hub.act(session["id"], "answer", options=["allow-session"], rule="glob", pattern="src/**")
    hub.wait_idle(session["id"])
    hub.keeper(session["id"]).kill()
    hub.say(session["id"], script(write("src/b/c.py"), write("d.py"), {"text": "."}))
    assert hub.wait_attention(session["id"])["summary"] == "Write: d.py"
    hub.answer(session["id"], "deny")
    hub.wait_idle(session["id"])
    assert (Path(session["worktree"]) / "src" / "b" / "c.py").exists()
    (rule,) = hub.get("/api/rules", session=session["id"])
    assert (rule["session"], rule["pattern"]) == (session["id"], "src/**")
    hub.post("/api/rules/remove", {"id": rule["id"]})


def test_rules_can_be_made_by_hand_and_must_make_sense(shared: RunningHub) -> None:
    rule = {"tool": "Bash", "kind": "prefix", "pattern": "npm test", "repo": str(shared.repo)}
    made = shared.post("/api/rules", rule)
    assert shared.get("/api/rules", repo=str(shared.repo)) == [made]
    shared.post("/api/rules/remove", {"id": made["id"]})
    for wrong in ({"pattern": ""}, {"tool": ""}, {"repo": ""}):
        with pytest.raises(Refused):
            shared.post("/api/rules", {**rule, **wrong})
