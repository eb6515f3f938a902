"""Real Claude Code asks: permissions, plans and questions, and what each answer does."""

from __future__ import annotations

import json
from typing import Any

import pytest

from manyhands.agents.permission.permits import Grant
from manyhands.model.agent.rules import Rule
from manyhands.model.attention.attention import Attention, Resolution
from manyhands.model.events import (
    AnswerDelivered,
    AttentionResolved,
    ModeChanged,
    ToolFinished,
    TurnFinished,
)
from tests.support.agent_driver import Bench, always, bash, never, question, script, task, write

PLAN_FILE = {"$PLAN": r"(\S+/plans/\S+?\.md)"}
PLAN = "1. read\n2. change\n3. test\n4. commit\n"
EXIT: dict[str, Any] = {"tool": "ExitPlanMode", "input": {}}


def write_plan(text: str = PLAN) -> dict[str, Any]:
    return {**write("$PLAN", text), "subst": PLAN_FILE}


async def test_allow_once_asks_again_for_the_same_call(bench: Bench) -> None:
    async with bench.agent("ask", always("allow")) as driver:
        await driver.turn(script(bash("touch a"), bash("touch a"), {"text": "ok"}))
    assert [item.summary for item in driver.asked] == ["Bash: touch a", "Bash: touch a"]
    assert driver.asked[0].detail["input"] == {"command": "touch a"}
    assert driver.asked[0].kind == "permission"
    assert (bench.worktree / "a").exists()


async def test_allow_for_the_session_covers_only_the_same_command(bench: Bench) -> None:
    async with bench.agent("ask", always("allow-session")) as driver:
        await driver.turn(script(bash("touch a"), bash("touch a"), bash("touch b"), {"text": "ok"}))
    assert [item.summary for item in driver.asked] == ["Bash: touch a", "Bash: touch b"]
    assert not (bench.worktree / ".claude").exists()


async def test_allow_for_the_repository_offers_its_rules_and_holds_at_once(bench: Bench) -> None:
    async with bench.agent("ask", always("allow-repo")) as driver:
        await driver.turn(script(write("a.txt"), write("b.txt"), {"text": "ok"}))
    offered = [(rule["kind"], rule["command"]) for rule in driver.asked[0].detail["rules"]]
    assert offered == [("call", ""), ("glob", "*"), ("tool", "")]
    assert [item.summary for item in driver.asked] == ["Write: a.txt"]
    assert not (bench.worktree / ".claude").exists()


async def test_a_rule_of_the_repository_needs_no_question(bench: Bench) -> None:
    bench.permits.repo = (Rule("Bash", "touch a"),)
    async with bench.agent("ask") as driver:
        await driver.turn(script(bash("touch a"), {"text": "ok"}))
    assert driver.asked == []
    assert (bench.worktree / "a").exists()


async def test_a_denial_carries_the_persons_words_to_the_agent(bench: Bench) -> None:
    async with bench.agent("ask", always("deny", "use make instead")) as driver:
        await driver.turn(script(bash("touch a"), {"text": "ok"}))
    (result,) = driver.all(ToolFinished)
    assert result.is_error
    assert "use make instead" in result.output
    assert not (bench.worktree / "a").exists()


async def test_a_one_time_grant_is_used_up(bench: Bench) -> None:
    path = str(bench.worktree.resolve() / "a.txt")
    bench.permits.grants.append(Grant("Write", {"file_path": path, "content": "x\n"}))
    async with bench.agent("ask", always("deny")) as driver:
        await driver.turn(script(write("a.txt"), write("a.txt"), {"text": "ok"}))
    assert len(driver.asked) == 1
    assert bench.permits.grants == []
    assert (bench.worktree / "a.txt").exists()


async def test_what_is_asked_can_be_granted_to_a_successor(bench: Bench) -> None:
    async with bench.agent("ask", always("deny")) as driver:
        await driver.turn(script(write("a.txt"), {"text": "ok"}))
    detail = driver.asked[0].detail
    bench.permits.grants.append(Grant(detail["tool"], detail["input"]))
    async with bench.agent("ask") as driver:
        await driver.turn(script(write("a.txt"), {"text": "ok"}))
    assert (bench.worktree / "a.txt").exists()


async def test_reading_inside_is_free_and_writing_is_asked(bench: Bench) -> None:
    read = {"tool": "Read", "input": {"file_path": "README"}}
    async with bench.agent("ask", always("allow")) as driver:
        await driver.turn(script(read, bash("git log --oneline | cat"), write("a"), {"text": "."}))
    assert [item.summary for item in driver.asked] == ["Write: a"]


async def test_edits_mode_writes_files_and_asks_for_commands(bench: Bench) -> None:
    async with bench.agent("edits", always("deny")) as driver:
        await driver.turn(script(write("a"), bash("touch b"), {"text": "ok"}))
    assert [item.summary for item in driver.asked] == ["Bash: touch b"]
    assert (bench.worktree / "a").exists()
    assert not (bench.worktree / "b").exists()


@pytest.mark.parametrize("mode", ["ask", "edits", "auto"])
async def test_leaving_the_worktree_is_asked_in_every_mode_even_by_sub_agents(
    bench: Bench, mode: Any
) -> None:
    outside = bench.home.parent / "outside.txt"
    steps = (write(str(outside)), bash(f"touch {outside}"), {"text": "sub"})
    async with bench.agent(mode, always("deny")) as driver:
        await driver.turn(script(*steps[:2], task(*steps), {"text": "ok"}))
    assert len(driver.asked) == 4
    assert driver.asked[0].summary == f"Write: {outside} (outside the worktree)"
    assert not outside.exists()


async def test_auto_asks_for_what_leaves_or_is_shared_and_says_why(bench: Bench) -> None:
    outside = bench.home.parent / "outside.txt"
    fetch = f"curl http://127.0.0.1:9/x>{outside}"
    settings = write(".claude/settings.json", "{}")
    harmless = (bash("sed -i '1s/.*/x/' README"), bash("cat README | head -1 > copy"))
    async with bench.agent("auto", always("deny")) as driver:
        steps = (*harmless, bash(fetch), bash("git stash clear"), settings, bash("ls; git push"))
        await driver.turn(script(*steps, {"text": "ok"}))
    reasons = [str(item.detail["reason"]) for item in driver.asked]
    assert reasons == [
        f"writes outside the worktree: {outside}",
        "drops what is on the stash, which all worktrees share",
        "changes .claude, which decides what may run here",
        "sends to another machine",
    ]
    assert driver.asked[0].detail["input"]["command"] == fetch
    assert driver.asked[0].summary == f"Bash: {fetch} ({reasons[0]})"
    assert (bench.worktree / "README").read_text() == "x\n"
    assert (bench.worktree / "copy").read_text() == "x\n"
    assert not outside.exists()
    assert not (bench.worktree / ".claude").exists()


async def test_a_rule_from_an_answer_covers_no_more_than_its_words(bench: Bench) -> None:
    async def answer(item: Attention) -> Resolution:
        return (
            Resolution(("allow-session",), rule="prefix") if allow(item) else Resolution(("deny",))
        )

    def allow(item: Attention) -> bool:
        return bool(item.detail["input"]["command"] == "touch a")

    async with bench.agent("ask", answer) as driver:
        steps = (bash("touch a"), bash("touch b | cat"), bash("touch c; mkdir d"))
        await driver.turn(script(*steps, bash("touch ../e"), {"text": "ok"}))
    asked = [item.detail["input"]["command"] for item in driver.asked]
    assert asked == ["touch a", "touch c; mkdir d", "touch ../e"]
    assert (bench.worktree / "b").exists()
    assert not (bench.worktree / "c").exists()


async def test_the_users_own_allow_list_does_not_go_round_us(bench: Bench) -> None:
    (bench.home / ".claude").mkdir()
    settings = {
        "permissions": {"allow": ["Bash(*)", "Bash", "Write", "Edit"]},
        "disableAllHooks": True,
    }
    (bench.home / ".claude" / "settings.json").write_text(json.dumps(settings))
    async with bench.agent("ask", always("deny")) as driver:
        await driver.turn(script(bash("touch a"), write("b"), {"text": "ok"}))
    assert len(driver.asked) == 2
    assert bench.git("status", "--porcelain") == ""


async def test_a_plan_is_proposed_and_its_approval_sets_the_mode(bench: Bench) -> None:
    async with bench.agent("plan", always("approve")) as driver:
        await driver.turn(script(write_plan(), EXIT, write("a.txt"), {"text": "ok"}))
    (item,) = driver.asked
    assert (item.kind, item.summary, item.detail) == ("plan", "Plan, 4 steps", {"plan": PLAN})
    approvals = ["approve", "approve-ask", "approve-auto"]
    assert [o.id for o in item.options] == [*approvals, "revise", "hand-over"]
    assert [event.mode for event in driver.all(ModeChanged)] == ["edits"]
    assert (bench.worktree / "a.txt").exists()


@pytest.mark.parametrize(("option", "asks"), [("approve-ask", 2), ("approve-auto", 0)])
async def test_the_other_approvals_ask_before_everything_or_nothing(
    bench: Bench, option: str, asks: int
) -> None:
    async def answer(item: Attention) -> Resolution:
        return Resolution((option if item.kind == "plan" else "allow",))

    async with bench.agent("plan", answer) as driver:
        await driver.turn(script(write_plan(), EXIT, write("a"), bash("touch b"), {"text": "."}))
    assert len(driver.asked) == 1 + asks
    assert (bench.worktree / "a").exists()
    assert (bench.worktree / "b").exists()


async def test_a_plan_sent_back_is_revised_with_the_persons_words(bench: Bench) -> None:
    answers = [Resolution(("revise",), "also the docs"), Resolution(("approve",))]

    async def answer(item: Attention) -> Resolution:
        return answers[len(driver.asked) - 1]

    async with bench.agent("plan", answer) as driver:
        steps = (write_plan(), EXIT, write_plan("- docs\n- code\n"), EXIT, {"text": "ok"})
        await driver.turn(script(*steps))
    assert [item.summary for item in driver.asked] == ["Plan, 4 steps", "Plan, 2 steps"]
    refused = next(r for r in driver.all(ToolFinished) if r.tool == "ExitPlanMode")
    assert "also the docs" in refused.output


async def test_a_plan_that_was_only_said_is_proposed_as_said(bench: Bench) -> None:
    async with bench.agent("plan", always("approve")) as driver:
        await driver.turn(script({"text": "1. do it", **EXIT}, {"text": "ok"}))
    assert driver.asked[0].detail == {"plan": "1. do it"}


async def test_plan_mode_leaves_every_byte_of_the_worktree_alone(bench: Bench) -> None:
    before = bench.tree()
    attempts = (
        write("README", "changed\n"),
        write("new.txt"),
        bash("touch by-bash"),
        bash("echo x > README"),
        bash("git log > log.txt"),
        bash("ls && touch by-list"),
        bash("find . -name README -delete"),
    )
    async with bench.agent("plan", always("allow")) as driver:
        end = await driver.turn(script(*attempts, task(*attempts, {"text": "."}), {"text": "."}))
    assert end.outcome == "done"
    assert driver.asked == []
    refused = [r for r in driver.all(ToolFinished) if r.is_error]
    assert len(refused) == 2 * len(attempts)
    assert bench.tree() == before


async def test_plan_mode_still_reads(bench: Bench) -> None:
    async with bench.agent("plan") as driver:
        await driver.turn(script(bash("git log --oneline | head -3"), {"text": "."}))
    (result,) = driver.all(ToolFinished)
    assert "first" in result.output


async def test_a_mode_the_agent_enters_itself_binds_it(bench: Bench) -> None:
    enter = {"tool": "EnterPlanMode", "input": {}}
    before = bench.tree()
    async with bench.agent("auto") as driver:
        await driver.turn(script(enter, bash("touch x"), write("y"), {"text": "."}))
    assert bench.tree() == before
    assert [event.mode for event in driver.all(ModeChanged)] == ["plan"]


@pytest.mark.parametrize(
    ("resolution", "told"),
    [
        (Resolution(("q1.2", "q2.1", "q2.3")), ["Blue", "S, L"]),
        (Resolution((), "whatever you like"), ["whatever you like", "whatever you like"]),
        (Resolution(("q1.1",), "none"), ["Red", "none"]),
    ],
)
async def test_questions_are_answered_by_choice_or_in_words(
    bench: Bench, resolution: Resolution, told: list[str]
) -> None:
    questions = [question("Which colour?", "Red", "Blue"), question("Sizes?", "S", "M", "L")]
    questions[1]["multiSelect"] = True

    async def answer(item: Attention) -> Resolution:
        return resolution

    async with bench.agent("ask", answer) as driver:
        asking = {"tool": "AskUserQuestion", "input": {"questions": questions}}
        await driver.turn(script(asking, {"text": "thanks"}))
    (item,) = driver.asked
    assert (item.kind, item.summary) == ("question", "Which colour? Sizes?")
    assert [o.id for o in item.options] == ["q1.1", "q1.2", "q2.1", "q2.2", "q2.3"]
    (result,) = driver.all(ToolFinished)
    for words in told:
        assert words in result.output


async def test_an_interrupted_question_is_taken_back(bench: Bench) -> None:
    async with bench.agent("ask", never) as driver:
        await driver.agent.send(script(bash("touch a"), {"text": "."}))
        await driver.until(lambda: driver.asked)
        await driver.agent.interrupt()
        await driver.until(lambda: driver.all(TurnFinished))
        (settled,) = driver.all(AttentionResolved)
        assert settled.item == driver.asked[0].id
        assert settled.resolution.by == "agent"
        assert len(driver.all(AnswerDelivered)) == 1


async def test_a_stop_leaves_what_is_pending_open(bench: Bench) -> None:
    async with bench.agent("ask", never) as driver:
        await driver.agent.send(script(bash("touch a"), {"text": "."}))
        await driver.until(lambda: driver.asked)
    assert driver.abandoned == driver.asked
    assert driver.all(AttentionResolved) == []
    assert not (bench.worktree / "a").exists()
