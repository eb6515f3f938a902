"""A session's way from an issue to a merge is the same on every forge."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from manyhands.forges.place import Kind
from tests.support.driver import ACTOR, of_type
from tests.support.forge.http import served
from tests.support.forge.hub import CONFIG, ForgeHub, Place, with_origin
from tests.support.forge.kinds import KINDS, server_of
from tests.support.forge.server import TOKEN, Fault, ForgeServer

CREATING = {"github": "/pulls$", "gitlab": "/merge_requests$", "gitea": "/pulls$"}
MERGING = {"github": "PUT", "gitlab": "PUT", "gitea": "POST"}
REPLYING = {"github": "/replies$", "gitlab": "/discussions/.*/notes$", "gitea": "/reviews$"}


@pytest.fixture(scope="module", params=KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    found: Kind = request.param
    return found


@pytest.fixture(scope="module")
def place(kind: Kind, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    root = tmp_path_factory.mktemp(kind)
    own = f'[forges."127.0.0.1"]\nkind = "{kind}"\ntoken = "env:FORGE_TOKEN"\n'
    settings = CONFIG.replace('token = "env:FORGE_TOKEN"\n', "") + own
    with served(server_of(kind, root / "forge")) as forge:
        hub = ForgeHub(root, agent=ACTOR)
        hub.configure(settings)
        with hub as running:
            with_origin(running, forge)
            config = (running.repo / ".git" / "config").read_bytes()
            yield Place(running, forge, config, settings)


def test_from_an_issue_to_a_pull_request(hub: ForgeHub, forge: ForgeServer) -> None:
    forge.state.add_issue(12, "Greet people", "They want it.\n- [ ] says hello", ("Soon",))
    forge.state.add_issue(15, "Count people", "")
    listed = hub.get("/api/issues", repo=str(hub.repo))
    assert [issue["number"] for issue in listed] == [15, 12]
    session = hub.work(issue=12)
    [event] = of_type(hub.events(session["id"]), "issue_linked")
    assert (event["issue"]["origin"], event["issue"]["number"]) == (forge.state.slug, 12)
    assert [comment["body"] for comment in event["issue"]["comments"]] == ["Soon"]
    opened = hub.act(session["id"], "pr", draft=True, labels=["greeting"], reviewers=["dana"])
    [pull] = forge.state.pulls.values()
    assert (pull.head, pull.base, pull.draft) == (session["branch"], "main", True)
    assert pull.sha == hub.git("rev-parse", session["branch"], cwd=hub.repo).strip()
    assert "Closes #12" in pull.body
    assert (forge.state.labels[pull.number], pull.reviewers) == (["greeting"], ["dana"])
    assert (opened["created"], opened["notes"], forge.pushes) == (True, [], 1)
    again = hub.act(session["id"], "pr", draft=False, title="Greet them all")
    assert (again["created"], again["pr"]["state"]) == (False, "open")
    assert (pull.title, pull.draft) == ("Greet them all", False)
    assert hub.show(session["id"])["pr"]["number"] == pull.number


def test_status_remarks_and_logs_come_in_and_answers_go_out(
    hub: ForgeHub, forge: ForgeServer
) -> None:
    id = hub.work()["id"]
    pr = hub.act(id, "pr")["pr"]
    thread = forge.state.add_thread(pr["number"], "add-a-greeting.txt", 1, "dana", "Too short")
    forge.state.add_review(pr["number"], "dana", "CHANGES_REQUESTED")
    forge.state.add_comment(pr["number"], "robin", "And the docs?")
    forge.state.add_failure(pr["head"], "tests", "E assert 1 == 2\n")
    status = hub.get(f"/api/sessions/{id}/pr")
    assert (status["pr"]["checks"], status["pr"]["review"]) == ("failed", "changes")
    [check] = status["checks"]
    assert check["steps"] == [{"name": "tests", "log": "E assert 1 == 2"}]
    texts = "\n".join(draft["text"] for draft in status["drafts"])
    assert all(text in texts for text in ("Too short", "And the docs?", "E assert 1 == 2"))
    hub.act(id, "pr/drafts", draft=f"thread:{thread}", action="reply", text="Longer now")
    assert forge.state.said(thread) == ["Too short", "Longer now"]
    hub.act(id, "pr/drafts", draft=f"thread:{thread}", action="resolve")
    assert forge.state.is_resolved(thread)


def test_it_is_merged_when_checks_and_reviewers_allow(hub: ForgeHub, forge: ForgeServer) -> None:
    id = hub.work()["id"]
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
    assert (again["already"], again["commit"]) == (True, merged["commit"])


def test_from_a_fork_it_goes_to_the_parent(hub: ForgeHub, forge: ForgeServer) -> None:
    session = hub.work()
    forge.state.rights[TOKEN] = {forge.state.fork}
    assert "may not push to" in hub.refusal(session["id"], "pr").message
    url = f"{forge.url}/{forge.state.fork}.git"
    hub.git("remote", "set-url", "origin", url, cwd=hub.repo)
    hub.trust()
    opened = hub.act(session["id"], "pr")
    assert opened["pr"]["repo"] == forge.state.slug
    [pull] = forge.state.pulls.values()
    assert (pull.owner, pull.head) == ("casey", session["branch"])
    assert not hub.act(session["id"], "pr")["created"]
    assert hub.get(f"/api/sessions/{session['id']}/pr")["pr"]["number"] == pull.number


def test_refused_it_is_told_and_can_be_repeated(
    hub: ForgeHub, forge: ForgeServer, kind: Kind
) -> None:
    session = hub.work()
    said = {401: "refused POST", 403: "refused", 404: "refused", 409: "refused", 422: "refused"}
    for status, words in {**said, 429: "refused", 500: "in trouble", 503: "in trouble"}.items():
        forge.faults.append(Fault("POST", CREATING[kind], status))
        refused = hub.refusal(session["id"], "pr")
        assert words in refused.message
        assert f"HTTP {status}" in refused.message
    assert forge.state.pulls == {}
    assert hub.show(session["id"])["pr"] is None
    assert hub.act(session["id"], "pr")["created"]


def test_an_error_after_success_does_nothing_twice(
    hub: ForgeHub, forge: ForgeServer, kind: Kind
) -> None:
    id, status = hub.work()["id"], 502
    forge.faults.append(Fault("POST", CREATING[kind], status, after=True))
    number = hub.act(id, "pr")["pr"]["number"]
    assert list(forge.state.pulls) == [number]
    thread = forge.state.add_thread(number, "add-a-greeting.txt", 1, "dana", "Too short")
    hub.get(f"/api/sessions/{id}/pr")
    forge.faults.append(Fault("POST", REPLYING[kind], status, after=True))
    hub.act(id, "pr/drafts", draft=f"thread:{thread}", action="reply", text="Longer now")
    assert forge.state.said(thread) == ["Too short", "Longer now"]
    forge.faults.append(Fault(MERGING[kind], "/merge$", status, after=True))
    merged = hub.act(id, "pr/merge")
    assert forge.state.bare.tip("main") == merged["commit"]


def test_without_a_token_it_says_where_to_name_one(hub: ForgeHub, place: Place, kind: Kind) -> None:
    session = hub.work()
    hub.configure(place.settings.replace("env:FORGE_TOKEN", "env:NOT_SET"))
    refused = hub.refusal(session["id"], "pr")
    assert "there is no token for 127.0.0.1" in refused.message
    where = "[github]" if kind == "github" else '[forges."127.0.0.1"]'
    assert where in refused.hint
    [told] = [found for found in hub.get("/api/doctor") if found["check"] == "forge"]
    assert "there is no token for 127.0.0.1" in told["detail"]
    assert where in told["fix"]


def test_a_branch_that_the_forge_protects(hub: ForgeHub, forge: ForgeServer) -> None:
    session = hub.work()
    forge.state.bare.protect(session["branch"])
    assert f"{session['branch']} is protected" in hub.refusal(session["id"], "pr").message
    assert forge.state.pulls == {}


def test_the_token_is_nowhere_to_be_found(hub: ForgeHub, forge: ForgeServer) -> None:
    session = hub.work()
    hub.act(session["id"], "pr")
    secret = hub.token_value.encode()
    places = (hub.home.root, hub.repo, hub.user)
    files = [path for root in places for path in root.rglob("*") if path.is_file()]
    assert [path for path in files if secret in path.read_bytes()] == []
