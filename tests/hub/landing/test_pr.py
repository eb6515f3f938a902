"""Pull requests: opened once, brought up to date, looked at and merged."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from manyhands.forges.exchange import FEW
from manyhands.hub.landing.pr_status import BUSY_SLOWEST, SLOWER, SLOWEST, Pace
from tests.support.driver import Json, Refused, eventually, of_type
from tests.support.forge.github_server import Fault, GitHubServer
from tests.support.forge.hub import CONFIG, ForgeHub


def test_a_session_becomes_a_pull_request(hub: ForgeHub, forge: GitHubServer) -> None:
    session = hub.work()
    opened = hub.act(session["id"], "pr", draft=True, labels=["greeting"], reviewers=["dana"])
    [pull] = forge.state.pulls.values()
    assert (pull.head, pull.base, pull.draft) == (session["branch"], "main", True)
    assert pull.sha == hub.git("rev-parse", session["branch"], cwd=hub.repo).strip()
    assert (forge.state.labels[pull.number], pull.reviewers) == (["greeting"], ["dana"])
    assert opened["created"]
    assert opened["notes"] == []
    shown = hub.show(session["id"])["pr"]
    assert (shown["number"], shown["state"], shown["checks"]) == (pull.number, "draft", "none")


def test_sent_again_under_its_id_it_tells_what_it_did_and_does_nothing(
    hub: ForgeHub, forge: GitHubServer
) -> None:
    id = hub.work("sent-again")["id"]
    first = hub.post(f"/api/sessions/{id}/pr", {}, command="pr-1")
    asked = len(forge.asked)
    assert hub.post(f"/api/sessions/{id}/pr", {}, command="pr-1") == first
    assert first["created"]
    assert len(forge.asked) == asked


def test_asked_again_it_is_brought_up_to_date(hub: ForgeHub, forge: GitHubServer) -> None:
    session = hub.work()
    first = hub.act(session["id"], "pr")
    (Path(session["worktree"]) / "more.txt").write_text("more\n")
    hub.act(session["id"], "commit", message="More")
    second = hub.act(session["id"], "pr", title="A better title")
    assert (first["created"], second["created"]) == (True, False)
    [pull] = forge.state.pulls.values()
    assert pull.title == "A better title"
    assert forge.state.look(pull).sha == second["pr"]["head"]
    ready = hub.act(session["id"], "pr", draft=True)
    assert ready["pr"]["state"] == "draft"
    assert pull.draft


def test_history_that_changed_is_pushed_over_what_was_ours(
    hub: ForgeHub, forge: GitHubServer
) -> None:
    session = hub.work()
    hub.act(session["id"], "pr")
    (Path(session["worktree"]) / "add-a-greeting.txt").write_text("hello again\n")
    amended = hub.act(session["id"], "commit", amend=True, message="Greet better")
    opened = hub.act(session["id"], "pr")
    assert opened["forced"]
    assert forge.state.bare.tip(session["branch"]) == amended["commit"]


def test_what_somebody_else_pushed_is_never_overwritten(hub: ForgeHub, forge: GitHubServer) -> None:
    session = hub.work()
    hub.act(session["id"], "pr")
    bare, branch = forge.state.bare, session["branch"]
    tree = bare.git("rev-parse", f"{branch}^{{tree}}")
    theirs = bare.git("commit-tree", tree, "-p", bare.tip(branch), "-m", "Theirs")
    bare.git("update-ref", f"refs/heads/{branch}", theirs)
    (Path(session["worktree"]) / "add-a-greeting.txt").write_text("mine\n")
    hub.act(session["id"], "commit", amend=True, message="Mine")
    refused = hub.refusal(session["id"], "pr")
    assert "not the session's" in refused.message
    assert bare.tip(branch) == theirs


def test_the_template_is_filled_and_the_issue_is_closed_by_it(
    hub: ForgeHub, forge: GitHubServer
) -> None:
    forge.state.add_issue(12, "Greet people", "They want it.")
    session = hub.work(issue=12, committed=False)
    place = Path(session["worktree"]) / ".github"
    place.mkdir()
    (place / "PULL_REQUEST_TEMPLATE.md").write_text("## Description\n\n## Tested how\n")
    hub.act(session["id"], "commit", message="Greet")
    hub.act(session["id"], "pr")
    [pull] = forge.state.pulls.values()
    assert pull.body.startswith("## Description\n\n")
    assert pull.body.index("Closes #12") < pull.body.index("## Tested how")


def with_checks(hub: ForgeHub, forge: GitHubServer, *commands: str) -> None:
    (hub.repo / ".manyhands.toml").write_text(f"[checks]\nrun = {json.dumps(commands)}\n")
    hub.git("add", "-A", cwd=hub.repo)
    hub.git("commit", "-q", "-m", "Checks", cwd=hub.repo)
    hub.git("push", "-q", str(forge.state.bare.path), "main", cwd=hub.repo)
    hub.git("update-ref", "refs/remotes/origin/main", "main", cwd=hub.repo)
    hub.post("/api/repos/trust", {"path": str(hub.repo)})


def test_cancelled_while_its_checks_run_nothing_leaves_the_machine(
    hub: ForgeHub, forge: GitHubServer
) -> None:
    endless = "echo begun; sleep 600"
    with_checks(hub, forge, endless)
    session = hub.work()

    def running() -> list[Json]:
        found = [job for job in hub.get("/api/jobs") if job["session"] == session["id"]]
        return [job for job in found if job["progress"] == endless]

    with ThreadPoolExecutor(1) as hands:
        asked = hands.submit(hub.act, session["id"], "pr", check=True)
        eventually(running)
        [job] = running()
        assert (job["kind"], job["step"]) == ("pr", "check")
        assert hub.post(f"/api/jobs/{job['id']}/cancel")["state"] == "cancelled"
        with pytest.raises(Refused, match="cancelled"):
            asked.result()
    assert (forge.pushes, forge.state.pulls) == (0, {})
    assert "checks" not in hub.git("worktree", "list", cwd=hub.repo)


def test_checks_that_were_run_stand_in_the_body_and_failed_ones_stop_it(
    hub: ForgeHub, forge: GitHubServer
) -> None:
    with_checks(hub, forge, "true", "grep -q hello *.txt")
    session = hub.work()
    greeting = Path(session["worktree"]) / "add-a-greeting.txt"
    greeting.write_text("bye\n")
    hub.act(session["id"], "commit", message="Say good-bye")
    refused = hub.refusal(session["id"], "pr", check=True)
    assert "nothing was pushed" in refused.message
    assert forge.state.pulls == {}
    greeting.write_text("hello again\n")
    hub.act(session["id"], "commit", message="Greet after all")
    hub.act(session["id"], "pr", check=True)
    [pull] = forge.state.pulls.values()
    assert "**Checks run**\n\n- `true` passed\n- `grep -q hello *.txt` passed" in pull.body


def test_the_token_is_nowhere_to_be_found(hub: ForgeHub, forge: GitHubServer) -> None:
    session = hub.work()
    hub.act(session["id"], "pr")
    secret = hub.token_value.encode()
    holders = [
        path
        for root in (hub.home.root, hub.repo, hub.user)
        for path in root.rglob("*")
        if path.is_file() and secret in path.read_bytes()
    ]
    assert holders == []
    assert hub.token_value not in str(hub.events(session["id"]))


def test_status_tells_reviews_threads_and_why_a_check_failed(
    hub: ForgeHub, forge: GitHubServer
) -> None:
    session = hub.work()
    pr = hub.act(session["id"], "pr")["pr"]
    forge.state.add_review(pr["number"], "dana", "CHANGES_REQUESTED")
    forge.state.add_thread(pr["number"], "add-a-greeting.txt", 1, "dana", "Too short")
    forge.state.add_check(pr["head"], "tests", "failure", id=77)
    times = {"started_at": "2026-01-31T08:00:05Z", "completed_at": "2026-01-31T08:00:09Z"}
    steps = [
        {"name": "Install", "conclusion": "success", **times},
        {"name": "Run tests", "conclusion": "failure", **times},
    ]
    log = "2026-01-31T08:00:01.1Z set up\n2026-01-31T08:00:06.2Z E assert 1 == 2\n"
    forge.state.add_job(77, steps, log)
    status = hub.get(f"/api/sessions/{session['id']}/pr")
    assert (status["pr"]["checks"], status["pr"]["review"]) == ("failed", "changes")
    [check] = status["checks"]
    assert check["steps"] == [{"name": "Run tests", "log": "E assert 1 == 2"}]
    kinds = {draft["kind"]: draft for draft in status["drafts"]}
    assert kinds.keys() == {"thread", "check"}
    assert "Too short" in kinds["thread"]["text"]
    assert "E assert 1 == 2" in kinds["check"]["text"]
    assert hub.show(session["id"])["pr"]["checks"] == "failed"


def test_a_second_look_asks_only_whether_anything_changed(
    hub: ForgeHub, forge: GitHubServer
) -> None:
    session = hub.work()
    hub.act(session["id"], "pr")
    path = f"/api/sessions/{session['id']}/pr"
    first = hub.get(path)
    before = forge.count("304", "")
    assert hub.get(path) == first
    assert forge.count("304", "") >= before + 4


def test_what_happens_on_the_forge_is_seen_without_asking(
    hub: ForgeHub, forge: GitHubServer
) -> None:
    session = hub.work()
    head = hub.act(session["id"], "pr")["pr"]["head"]
    hub.configure(CONFIG.replace("poll_seconds = 0", "poll_seconds = 0.05"))
    hub.get("/api/issues", repo=str(hub.repo))  # any look at the config makes it known
    hub.act(session["id"], "pr")
    forge.state.add_check(head, "tests", None)
    eventually(lambda: hub.show(session["id"])["pr"]["checks"] == "running")
    forge.state.add_check(head, "tests", "success")
    eventually(lambda: hub.show(session["id"])["pr"]["checks"] == "passed")
    hub.configure(CONFIG)
    hub.restart()  # else it would still ask about it in the midst of the next test


def test_many_pull_requests_are_asked_about_by_few_requests_at_a_time(
    hub: ForgeHub, forge: GitHubServer
) -> None:
    ids = [hub.work()["id"] for _ in range(6)]
    for id in ids:
        hub.act(id, "pr")
    forge.busiest, forge.gathering = 0, FEW
    with ThreadPoolExecutor(len(ids)) as hands:
        list(hands.map(lambda id: hub.get(f"/api/sessions/{id}/pr"), ids))
    assert forge.busiest == FEW


def test_a_quiet_pull_request_is_asked_about_ever_more_seldom() -> None:
    pace, quiet, busy = Pace(), [], Pace()
    for _ in range(12):
        pace.next(moved=False, busy=False)
        busy.next(moved=False, busy=True)
        quiet.append(pace.factor)
    assert quiet == sorted(quiet)
    assert (quiet[0], quiet[-1], busy.factor) == (SLOWER, SLOWEST, BUSY_SLOWEST)
    pace.next(moved=True, busy=False)
    assert pace.factor == 1.0


def test_a_remark_is_sent_answered_and_resolved_when_the_person_says_so(
    hub: ForgeHub, forge: GitHubServer
) -> None:
    session = hub.work()
    id = session["id"]
    number = hub.act(id, "pr")["pr"]["number"]
    thread = forge.state.add_thread(number, "add-a-greeting.txt", 1, "dana", "Too short")
    hub.get(f"/api/sessions/{id}/pr")
    draft = f"thread:{thread}"
    hub.act(id, "pr/drafts", draft=draft, action="reply", text="Longer now")
    hub.act(id, "pr/drafts", draft=draft, action="resolve")
    [kept] = forge.state.pulls[number].threads
    assert [c["body"] for c in kept["comments"]["nodes"]] == ["Too short", "Longer now"]
    assert kept["isResolved"]


def test_remarks_and_failed_checks_are_drafts_of_the_review(
    hub: ForgeHub, forge: GitHubServer
) -> None:
    session = hub.work()
    id = session["id"]
    pr = hub.act(id, "pr")["pr"]
    thread = forge.state.add_thread(pr["number"], "add-a-greeting.txt", 1, "dana", "Too short")
    forge.state.add_check(pr["head"], "tests", "failure")
    hub.get(f"/api/sessions/{id}/pr")
    hub.get(f"/api/sessions/{id}/pr")
    check, remark = sorted(reviewed(hub, id), key=lambda c: c["path"])
    assert (remark["path"], remark["start"], remark["lines"]) == (
        "add-a-greeting.txt",
        1,
        ["hello"],
    )
    assert (remark["pending"], check["pending"], check["path"]) == (True, True, "")
    assert "tests failed" in check["text"]
    hub.act(id, "pr/drafts", draft=f"thread:{thread}", action="send", text="See to this.")
    [said] = of_type(hub.events(id), "user_message")
    assert said["text"].startswith("See to this.")
    assert f"Comment {remark['id']}" in said["text"]
    assert "~~~" in said["text"]
    assert "tests failed" not in said["text"]
    forge.state.add_check(pr["head"], "tests", "success")
    hub.act(id, "pr/drafts", draft=remark["id"], action="resolve")
    hub.get(f"/api/sessions/{id}/pr")
    assert [c["state"] for c in reviewed(hub, id)] == ["resolved", "resolved"]


def test_a_thread_that_moves_on_after_it_was_sent_is_a_draft_again(
    hub: ForgeHub, forge: GitHubServer
) -> None:
    id = hub.work()["id"]
    number = hub.act(id, "pr")["pr"]["number"]
    thread = forge.state.add_thread(number, "add-a-greeting.txt", 1, "dana", "Too short")
    draft = f"thread:{thread}"

    def looked() -> tuple[bool, str | None, str]:
        """Whether the remark waits to be sent, how its draft ended, and what it says last."""
        [kept] = hub.get(f"/api/sessions/{id}/pr")["drafts"]
        [comment] = reviewed(hub, id)
        return comment["pending"], kept.get("ended"), kept["text"].splitlines()[-1]

    assert looked() == (True, None, "dana: Too short")
    hub.act(id, "pr/drafts", draft=draft, action="send")
    assert looked() == (False, "sent", "dana: Too short")
    hub.act(id, "pr/drafts", draft=draft, action="reply", text="Longer now")
    assert looked() == (False, "replied", "casey: Longer now")
    forge.state.add_remark(thread, "dana", "Still too short")
    assert looked() == (True, None, "dana: Still too short")
    hub.act(id, "review/send", text="Once more.")
    assert "Still too short" in of_type(hub.events(id), "user_message")[-1]["text"]
    hub.act(id, "pr/drafts", draft=draft, action="resolve")
    assert looked() == (False, "resolved", "dana: Still too short")
    forge.state.reopen_thread(thread)
    assert looked() == (True, None, "dana: Still too short")


def test_logs_that_the_token_may_not_see_are_left_out(hub: ForgeHub, forge: GitHubServer) -> None:
    id = hub.work()["id"]
    head = hub.act(id, "pr")["pr"]["head"]
    forge.state.add_check(head, "tests", "failure", id=77)
    forge.faults.append(Fault("GET", "/actions/jobs/77", 403, times=99))
    [check] = hub.get(f"/api/sessions/{id}/pr")["checks"]
    assert (check["state"], check["steps"]) == ("failed", [])


def reviewed(hub: ForgeHub, id: str) -> list[Json]:
    comments: list[Json] = hub.get(f"/api/sessions/{id}/review")["comments"]
    return comments


def test_it_is_merged_when_checks_and_reviewers_allow(hub: ForgeHub, forge: GitHubServer) -> None:
    session = hub.work()
    id = session["id"]
    pr = hub.act(id, "pr")["pr"]
    forge.state.approvals = 1
    assert "lacks an approval" in hub.refusal(id, "pr/merge").message
    forge.state.add_review(pr["number"], "dana", "APPROVED")
    forge.state.add_check(pr["head"], "tests", None)
    assert "still run" in hub.refusal(id, "pr/merge").message
    forge.state.add_check(pr["head"], "tests", "failure")
    assert "failed checks: tests" in hub.refusal(id, "pr/merge").message
    forge.state.add_check(pr["head"], "tests", "success")
    merged = hub.act(id, "pr/merge", method="squash")
    assert forge.state.bare.tip("main") == merged["commit"]
    assert hub.show(id)["pr"]["state"] == "merged"
    again = hub.act(id, "pr/merge")
    assert again["already"]
    assert again["commit"] == merged["commit"]
