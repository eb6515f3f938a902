"""The script format, played by the real Claude Code."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rehearsal.claude import Claude, script


def bash(command: str) -> dict[str, Any]:
    return {"tool": "Bash", "input": {"command": command}}


UNTIL_STEERED = "while [ ! -e steered ]; do sleep 0.05; done"


def test_text_thinking_and_tools_in_parallel(claude: Claude) -> None:
    run = claude.run(
        script(
            {"thinking": "Where to begin?", "text": "Writing.", "tool": "Write"}
            | {"input": {"file_path": "a.py", "content": "x = 1\n"}},
            {"tools": [bash("echo one"), {"tool": "Read", "input": {"file_path": "a.py"}}]},
            {"text": "All done.", "usage": {"in": 11, "out": 22}},
        )
    )
    assert run.texts == ["Writing.", "All done."]
    assert run.calls == ["Write", "Bash", "Read"]
    assert run.failures == []
    assert (claude.cwd / "a.py").read_text() == "x = 1\n"
    deltas = [item["delta"] for item in run.of("delta")]
    assert "".join(d.get("thinking", "") for d in deltas) == "Where to begin?"
    assert [d["text"] for d in deltas if "text" in d] == ["Writing.", "All", " done."]
    assert run.results[-1]["total_cost_usd"] > 0


def test_without_a_script_it_answers_and_after_the_last_step_it_says_so(claude: Claude) -> None:
    run = claude.run("Hello.", script({"text": "only"}), "And now?")
    assert "no script" in run.texts[0]
    assert run.texts[1] == "only"
    assert "run out" in run.texts[2]


@pytest.mark.parametrize("status", [400, 401, 429, 529])
def test_errors_reach_the_agent_and_a_new_script_recovers(claude: Claude, status: int) -> None:
    run = claude.run(script({"status": status, "error": "no luck"}), script({"text": "recovered"}))
    failed, recovered = run.results
    assert (failed["is_error"], failed["api_error_status"]) == (True, status)
    assert "no luck" in failed["result"]
    assert (recovered["is_error"], recovered["result"]) == (False, "recovered")


def test_a_plan_is_written_proposed_and_carried_out(claude: Claude) -> None:
    run = claude.run(
        script(
            {"tool": "Write", "subst": {"$PLAN": r"(/\S+/plans/[\w.-]+\.md)"}}
            | {"input": {"file_path": "$PLAN", "content": "# The plan\n"}},
            {"tool": "ExitPlanMode"},
            {"tool": "Write", "input": {"file_path": "b.py", "content": "y = 2\n"}},
            {"text": "Built."},
        ),
        mode="plan",
    )
    (proposed,) = run.of("asked")
    assert (proposed["tool"], proposed["input"]["plan"]) == ("ExitPlanMode", "# The plan\n")
    assert (claude.cwd / "b.py").exists()
    assert run.texts == ["Built."]


def test_a_question_is_asked_and_its_answer_can_be_used(claude: Claude) -> None:
    options = [{"label": label, "description": label} for label in ("Red", "Blue")]
    question = {"question": "Which?", "header": "Colour", "options": options, "multiSelect": False}
    run = claude.run(
        script(
            {"tool": "AskUserQuestion", "input": {"questions": [question]}},
            {"text": "You said $COLOUR.", "subst": {"$COLOUR": r'"Which\?"="(\w+)"'}},
        ),
        choose="Blue",
    )
    assert [item["tool"] for item in run.of("asked")] == ["AskUserQuestion"]
    assert run.texts == ["You said Blue."]


def test_a_sub_agent_plays_the_script_in_its_own_prompt(claude: Claude) -> None:
    inner = "Look closer. " + script(bash("echo from-below"), {"text": "Seen."})
    agent = {"description": "Look", "prompt": inner, "subagent_type": "general-purpose"}
    run = claude.run(
        script(
            {"tool": "Agent", "input": {**agent, "run_in_background": False}}, {"text": "Above."}
        )
    )
    assert "from-below" in run.outputs
    assert run.results[-1]["result"] == "Above."
    assert any("Seen." in output for output in run.outputs)


def test_a_script_in_a_file_is_only_text(claude: Claude) -> None:
    planted = script({"text": "planted"})
    for name in ("CLAUDE.md", "notes.md"):
        (claude.cwd / name).write_text(planted, encoding="utf-8")
    read = {"tool": "Read", "input": {"file_path": "notes.md"}}
    run = claude.run(script(read, bash("cat notes.md"), {"text": "meant"}))
    assert any("planted" in output for output in run.outputs)
    assert run.texts == ["meant"]


@pytest.mark.parametrize("model", ["claude-opus-5-5", "claude-sonnet-4-6"])
def test_a_message_to_a_busy_agent_brings_its_script_along(claude: Claude, model: str) -> None:
    busy = [bash("echo 0"), bash(UNTIL_STEERED), bash("echo 2"), {"text": "old"}]
    run = claude.run(script(*busy), steer=script({"text": "steered"}), model=model)
    assert run.texts == ["steered"]


def test_a_killed_agent_resumes_where_the_script_was(claude: Claude) -> None:
    steps = [{"text": "0", **bash("true")}, bash("touch asked"), {"text": "2"}, {"text": "3"}]
    killed = claude.run_until(
        lambda item: item["kind"] == "asked" and "asked" in str(item["input"]),
        script(*steps),
        hang=["touch asked"],
    )
    resumed = claude.run("Go on.", script({"text": "new"}), resume=killed.session)
    # What the killed agent had not written down yet is played once more.
    assert resumed.texts[-2:] == ["2", "new"]
    assert resumed.session == killed.session
