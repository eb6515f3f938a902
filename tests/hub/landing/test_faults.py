"""Bad input and bad luck: each one clear sentence, nothing half-done, safe to repeat."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.driver import RunningHub, of_type
from tests.support.forge.github_server import TOKEN, Fault, GitHubServer
from tests.support.forge.github_state import GitHubState
from tests.support.forge.hub import CONFIG, ForgeHub


def test_no_remote_and_a_remote_that_is_no_forge(hub: ForgeHub, tmp_path: Path) -> None:
    session = hub.work()
    hub.git("remote", "set-url", "origin", str(tmp_path / "somewhere.git"), cwd=hub.repo)
    hub.trust()
    assert "is no repository of a forge's" in hub.refusal(session["id"], "pr").message
    hub.git("remote", "remove", "origin", cwd=hub.repo)
    assert "has no remote" in hub.refusal(session["id"], "pr").message


def test_no_token(hub: ForgeHub) -> None:
    session = hub.work()
    hub.configure(CONFIG.replace("FORGE_TOKEN", "NOT_SET"))
    refused = hub.refusal(session["id"], "pr")
    assert "there is no token for 127.0.0.1" in refused.message
    assert "gh auth login" in refused.hint


def test_a_token_that_is_wrong_or_lacks_rights(hub: ForgeHub, forge: GitHubServer) -> None:
    session = hub.work()
    del forge.state.rights[TOKEN]
    refused = hub.refusal(session["id"], "pr")
    assert "Bad credentials" in refused.message
    forge.state.rights[TOKEN] = {GitHubState.fork}
    refused = hub.refusal(session["id"], "pr")
    assert f"may not push to {GitHubState.slug}" in refused.message
    assert "fork it" in refused.hint
    assert forge.pushes == 0


def test_from_a_fork_it_goes_to_the_parent(hub: ForgeHub, forge: GitHubServer) -> None:
    session = hub.work()
    forge.state.rights[TOKEN] = {GitHubState.fork}
    url = f"{forge.url}/{GitHubState.fork}.git"
    hub.git("remote", "set-url", "origin", url, cwd=hub.repo)
    hub.trust()
    opened = hub.act(session["id"], "pr")
    assert opened["pr"]["repo"] == GitHubState.slug
    [pull] = forge.state.pulls.values()
    assert (pull.owner, pull.head) == ("casey", session["branch"])
    again = hub.act(session["id"], "pr")
    assert not again["created"]


def test_a_protected_branch_and_the_default_branch(hub: ForgeHub, forge: GitHubServer) -> None:
    session = hub.work()
    forge.state.bare.protect(session["branch"])
    refused = hub.refusal(session["id"], "pr")
    assert f"{session['branch']} is protected" in refused.message
    assert forge.state.pulls == {}
    in_place = hub.new("Here", name="here", in_place=True, start=False)
    assert "the default branch" in hub.refusal(in_place["id"], "pr").message


def test_a_pull_request_that_was_closed_meanwhile(hub: ForgeHub, forge: GitHubServer) -> None:
    session = hub.work()
    number = hub.act(session["id"], "pr")["pr"]["number"]
    forge.state.pulls[number].state = "closed"
    refused = hub.refusal(session["id"], "pr")
    assert f"#{number} was closed already" in refused.message
    assert "closed without a merge" in hub.refusal(session["id"], "pr/merge").message
    opened = hub.act(session["id"], "pr", again=True)
    assert opened["created"]
    assert opened["pr"]["number"] != number


def test_a_branch_that_was_deleted_on_the_forge(hub: ForgeHub, forge: GitHubServer) -> None:
    session = hub.work()
    hub.act(session["id"], "pr")
    forge.state.bare.delete(session["branch"])
    status = hub.get(f"/api/sessions/{session['id']}/pr")
    assert status["pr"]["state"] == "closed"
    opened = hub.act(session["id"], "pr", again=True)
    assert forge.state.bare.tip(session["branch"]) == opened["pr"]["head"]


def test_nothing_to_propose(hub: ForgeHub, forge: GitHubServer) -> None:
    session = hub.work(committed=False)
    refused = hub.refusal(session["id"], "pr")
    assert "no committed change against main" in refused.message
    assert f"manyhands commit {session['slug']}" in refused.hint
    assert forge.pushes == 0


def test_reviewers_that_cannot_be_asked_are_a_note(hub: ForgeHub, forge: GitHubServer) -> None:
    session = hub.work()
    opened = hub.act(session["id"], "pr", reviewers=["stranger"])
    assert "could not be asked" in opened["notes"][0]
    assert len(forge.state.pulls) == 1


HASTY = CONFIG.replace("timeout_seconds = 30", "timeout_seconds = 5")

STATUSES = {
    401: "refused POST",
    403: "refused POST",
    404: "refused POST",
    409: "refused POST",
    422: "refused POST",
    500: "in trouble",
    502: "in trouble",
    0: "does not answer",
}


@pytest.mark.parametrize("status", STATUSES)
def test_a_refused_creation_is_told_and_can_be_repeated(
    hub: ForgeHub, forge: GitHubServer, status: int
) -> None:
    session = hub.work()
    hub.configure(HASTY if status == 0 else CONFIG)
    forge.faults.append(Fault("POST", "/pulls$", status))
    assert STATUSES[status] in hub.refusal(session["id"], "pr").message
    assert forge.state.pulls == {}
    assert hub.show(session["id"])["pr"] is None
    hub.configure(CONFIG)
    hub.act(session["id"], "pr")
    assert len(forge.state.pulls) == 1


@pytest.mark.parametrize("status", [500, 502, 0])
def test_an_error_after_success_makes_no_second_one(
    hub: ForgeHub, forge: GitHubServer, status: int
) -> None:
    session = hub.work()
    hub.configure(HASTY if status == 0 else CONFIG)
    forge.faults.append(Fault("POST", "/pulls$", status, after=True))
    number = hub.act(session["id"], "pr")["pr"]["number"]
    forge.faults.append(Fault("PUT", "/merge$", status, after=True))
    merged = hub.act(session["id"], "pr/merge")
    assert list(forge.state.pulls) == [number]
    assert forge.state.bare.tip("main") == merged["commit"]


def test_reads_are_tried_again(hub: ForgeHub, forge: GitHubServer) -> None:
    session = hub.work()
    forge.faults.append(Fault("GET", "widgets$", 503, times=2))
    assert hub.act(session["id"], "pr")["created"]


def test_a_forge_that_asks_for_patience_is_obeyed(hub: ForgeHub, forge: GitHubServer) -> None:
    session = hub.work()
    forge.faults.append(Fault("GET", "widgets$", 429, headers=(("Retry-After", "1"),)))
    assert hub.act(session["id"], "pr")["created"]
    used_up = (("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", str(2**32)))
    forge.faults.append(Fault("GET", "widgets$", 403, headers=used_up))
    assert "asks to be left alone for" in hub.refusal(session["id"], "pr").message
    asked = len(forge.asked)
    assert "seconds: too many requests" in hub.refusal(session["id"], "pr").message
    assert len(forge.asked) == asked
    hub.restart()  # it would obey for as long as it lives
    forge.faults.append(Fault("GET", "widgets$", 403, headers=(("Retry-After", "3000"),)))
    assert "for 3000 seconds" in hub.refusal(session["id"], "pr").message
    hub.restart()


def test_a_push_that_fails_is_told_and_can_be_repeated(hub: ForgeHub, forge: GitHubServer) -> None:
    session = hub.work()
    forge.faults.append(Fault("GIT", "service=git-receive-pack", 500))
    assert "could not be pushed" in hub.refusal(session["id"], "pr").message
    assert forge.state.pulls == {}
    assert hub.act(session["id"], "pr")["created"]


PR_POINTS = [
    *("before:pr.push", "done:pr.push", "after:pr.push"),
    *("before:pr.open", "done:pr.open", "after:pr.open"),
]


@pytest.mark.parametrize("point", PR_POINTS)
def test_killed_anywhere_and_repeated_it_is_one_pull_request(
    hub: ForgeHub, forge: GitHubServer, point: str
) -> None:
    session = hub.work()
    hub.dies_at(point, session["id"], "pr")
    opened = hub.act(session["id"], "pr")
    assert list(forge.state.pulls) == [opened["pr"]["number"]]
    assert forge.pushes == 1
    assert hub.show(session["id"])["pr"]["number"] == opened["pr"]["number"]


@pytest.mark.parametrize("point", PR_POINTS)
def test_killed_anywhere_the_next_hub_opens_it_unasked(
    hub: ForgeHub, forge: GitHubServer, point: str
) -> None:
    session = hub.work()
    hub.dies_at(point, session["id"], "pr", labels=["greeting"])
    hub.await_jobs(session["id"])
    [pull] = forge.state.pulls.values()
    assert hub.show(session["id"])["pr"]["number"] == pull.number
    assert (forge.pushes, forge.state.labels[pull.number]) == (1, ["greeting"])
    assert len(of_type(hub.events(session["id"]), "branch_pushed")) == 1


MERGE_POINTS = ["before:merge-pr.merge", "done:merge-pr.merge", "after:merge-pr.merge"]


@pytest.mark.parametrize("point", MERGE_POINTS)
def test_killed_anywhere_and_repeated_it_is_one_merge(
    hub: ForgeHub, forge: GitHubServer, point: str
) -> None:
    session = hub.work()
    hub.act(session["id"], "pr")
    hub.dies_at(point, session["id"], "pr/merge")
    merged = hub.act(session["id"], "pr/merge")
    assert forge.state.bare.tip("main") == merged["commit"]
    assert forge.state.bare.git("rev-list", "--merges", "--count", "main") == "1"
    assert hub.show(session["id"])["pr"]["state"] == "merged"


@pytest.mark.parametrize("point", MERGE_POINTS)
def test_killed_anywhere_the_next_hub_merges_it_unasked(
    hub: ForgeHub, forge: GitHubServer, point: str
) -> None:
    session = hub.work()
    hub.act(session["id"], "pr")
    hub.dies_at(point, session["id"], "pr/merge")
    hub.await_jobs(session["id"])
    assert forge.state.bare.git("rev-list", "--merges", "--count", "main") == "1"
    assert hub.show(session["id"])["pr"]["state"] == "merged"


def put(path: str, content: str) -> Callable[[Path], None]:
    def write(worktree: Path) -> None:
        place = worktree / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content)

    return write


FINDINGS = {
    "secret": put("settings.py", 'key = "AKIA' + "ABCDEFGHIJKLMNOP" + '"\n'),
    "env_file": put("config/.env.production", "A=1\n"),
    "large_file": put("big.bin", "x" * 2_000_000),
    "workflow": put(".github/workflows/ci.yml", "on: push\n"),
}


@pytest.mark.parametrize("kind", FINDINGS)
def test_what_must_not_leave_unseen_needs_a_yes(
    hub: ForgeHub, forge: GitHubServer, kind: str
) -> None:
    hub.configure(CONFIG + "[landing]\nlargest_mb = 1\n")
    session = hub.work(committed=False)
    FINDINGS[kind](Path(session["worktree"]))
    hub.act(session["id"], "commit", message="Oops")
    if kind == "secret":  # removed again, it is still in what would be pushed
        (Path(session["worktree"]) / "settings.py").unlink()
        hub.act(session["id"], "commit", message="Remove it")
    refused = hub.refusal(session["id"], "pr")
    assert f"{kind}: " in refused.message
    assert forge.pushes == 0
    assert "AKIAABC" not in refused.message
    [found] = hub.get(f"/api/sessions/{session['id']}/pr/plan")["findings"]
    assert f"--accept {found['id']}" in refused.hint
    assert hub.act(session["id"], "pr", accept=[found["id"]])["created"]


def test_a_hook_of_the_user_may_stop_a_push_or_hang(hub: ForgeHub, forge: GitHubServer) -> None:
    session = hub.work()
    hook = hub.repo / ".git" / "hooks" / "pre-push"
    hook.write_text("#!/bin/sh\nenv >&2; echo 'the tests are red' >&2; exit 1\n")
    hook.chmod(0o755)
    hub.trust()
    refused = hub.refusal(session["id"], "pr")
    assert "the tests are red" in refused.message
    assert TOKEN not in refused.message
    hub.configure(CONFIG + "[landing]\npush_seconds = 2\n")
    hook.write_text("#!/bin/sh\nexec sleep 600\n")
    hub.trust()
    assert "did not end in time" in hub.refusal(session["id"], "pr").message
    assert forge.pushes == 0
    hook.unlink()
    hub.configure(CONFIG)
    assert hub.act(session["id"], "pr")["created"]


def test_a_base_that_the_forge_does_not_have(hub: ForgeHub, forge: GitHubServer) -> None:
    session = hub.work()
    refused = hub.refusal(session["id"], "pr", base="release/1.0")
    assert "acme/widgets has no branch release/1.0" in refused.message
    assert forge.pushes == 0
    bare = forge.state.bare
    bare.git("update-ref", "refs/heads/release/1.0", bare.tip("main"))
    assert hub.act(session["id"], "pr", base="release/1.0")["pr"]["base"] == "release/1.0"


def test_a_merge_that_the_forge_refuses_is_told_and_can_be_repeated(
    hub: ForgeHub, forge: GitHubServer
) -> None:
    session = hub.work()
    id, before = session["id"], forge.state.bare.tip("main")
    number = hub.act(id, "pr")["pr"]["number"]
    for status in (401, 403, 404, 405, 409, 422, 500):
        forge.faults.append(Fault("PUT", "/merge$", status))
        assert f"HTTP {status}" in hub.refusal(id, "pr/merge").message
    assert (forge.state.bare.tip("main"), hub.show(id)["pr"]["state"]) == (before, "open")
    assert hub.act(id, "pr/merge")["commit"] == forge.state.pulls[number].merged


def test_a_reply_whose_answer_is_lost_is_not_sent_twice(hub: ForgeHub, forge: GitHubServer) -> None:
    id = hub.work()["id"]
    number = hub.act(id, "pr")["pr"]["number"]
    thread = forge.state.add_thread(number, "add-a-greeting.txt", 1, "dana", "Too short")
    hub.get(f"/api/sessions/{id}/pr")
    asked = {"draft": f"thread:{thread}", "action": "reply", "text": "Longer now"}
    forge.faults.append(Fault("POST", "/replies$", 502))
    assert "in trouble" in hub.refusal(id, "pr/drafts", **asked).message
    forge.faults.append(Fault("POST", "/replies$", 502, after=True))
    hub.act(id, "pr/drafts", **asked)
    said = [c["body"] for c in forge.state.pulls[number].threads[0]["comments"]["nodes"]]
    assert said == ["Too short", "Longer now"]


def test_an_agent_is_given_no_token(hub: RunningHub) -> None:
    from manyhands.config import GITHUB_VARIABLES, INHERITED

    assert not INHERITED & {*GITHUB_VARIABLES, "FORGE_TOKEN"}
