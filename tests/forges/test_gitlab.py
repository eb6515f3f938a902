"""The loopback GitLab is one that python-gitlab, too, can use: what either writes, both read."""

from __future__ import annotations

import importlib
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from manyhands.forges import values as v
from manyhands.forges.forge import ForgeRepo
from tests.support.forge.gitlab_server import GitLabServer
from tests.support.forge.http import served
from tests.support.forge.kinds import spoken_to
from tests.support.forge.server import TOKEN

gitlab: Any = importlib.import_module("gitlab")
BRANCH = "mh/greet"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GitLabServer]:
    with served(GitLabServer(tmp_path_factory.mktemp("gitlab"))) as kept:
        kept.state.first = kept.state.bare.write("main", "README", "hello\n")
        yield kept


@pytest.fixture
def forge(server: GitLabServer) -> Iterator[GitLabServer]:
    server.begin_anew()
    yield server
    assert server.complaints == [], server.complaints


@pytest.fixture
async def ours(forge: GitLabServer) -> AsyncIterator[ForgeRepo]:
    async with spoken_to("gitlab", forge) as repo:
        yield repo


@pytest.fixture
def theirs(forge: GitLabServer) -> Any:
    """The same project, as python-gitlab has it."""
    client = gitlab.Gitlab(forge.url, private_token=TOKEN)
    return client.projects.get(forge.state.slug)


async def test_what_they_open_we_find_answer_and_merge(
    ours: ForgeRepo, theirs: Any, forge: GitLabServer
) -> None:
    forge.state.bare.write(BRANCH, "greeting", "hi\n", after=forge.state.first)
    wanted = {"source_branch": BRANCH, "target_branch": "main", "title": "Draft: Greet"}
    made = theirs.mergerequests.create({**wanted, "description": "Hello."})
    [found] = await ours.pulls_from(ours.slug, BRANCH)
    assert (found.number, found.title, found.draft) == (made.iid, "Greet", True)
    made.notes.create({"body": "Please look"})
    assert [one.body for one in await ours.conversation(made.iid)] == ["Please look"]
    await ours.update_pull(found, draft=False)
    assert theirs.mergerequests.get(made.iid).title == "Greet"
    thread = forge.state.add_thread(made.iid, "greeting", 1, "dana", "Too short")
    made.discussions.get(thread).notes.create({"body": "Is it?"})
    [kept] = await ours.threads(made.iid)
    assert [comment.body for comment in kept.comments] == ["Too short", "Is it?"]
    commit = await ours.merge(made.iid, method="merge", head=found.sha)
    merged = theirs.mergerequests.get(made.iid)
    assert (merged.state, merged.merge_commit_sha) == ("merged", commit)


async def test_what_we_open_they_find_answer_and_merge(
    ours: ForgeRepo, theirs: Any, forge: GitLabServer
) -> None:
    forge.state.bare.write(BRANCH, "greeting", "hi\n", after=forge.state.first)
    new = {"title": "Greet", "body": "Hello.", "head": BRANCH, "head_repo": ours.slug}
    made = await ours.create_pull(v.NewPull(**new, base="main", draft=True))
    await ours.add_labels(made.number, ["greeting"])
    await ours.ask_reviewers(made.number, ["dana"])
    [listed] = theirs.mergerequests.list(source_branch=BRANCH, state="all", get_all=True)
    assert (listed.iid, listed.title, listed.labels) == (made.number, "Draft: Greet", ["greeting"])
    request = theirs.mergerequests.get(made.number)
    assert [person["username"] for person in request.reviewers] == ["dana"]
    thread = forge.state.add_thread(made.number, "greeting", 1, "dana", "Too short")
    await ours.reply(made.number, thread, 0, "Longer now")
    await ours.resolve(made.number, thread)
    found = request.discussions.get(thread)
    notes = [(note["body"], note["resolved"]) for note in found.attributes["notes"]]
    assert notes == [("Too short", True), ("Longer now", True)]
    found.resolved = False
    found.save()
    assert [t.resolved for t in await ours.threads(made.number)] == [False]
    forge.state.add_failure(made.sha, "tests", "E assert 1 == 2\n")
    [job] = theirs.pipelines.get(request_pipeline(theirs, made.number), lazy=True).jobs.list()
    assert (job.name, job.status) == ("tests", "failed")
    assert theirs.jobs.get(job.id, lazy=True).trace() == b"E assert 1 == 2\n"
    theirs.mergerequests.update(made.number, {"title": "Greet"})
    request.merge(sha=made.sha)
    assert (await ours.pull(made.number)).state == "merged"


def request_pipeline(project: Any, number: int) -> int:
    return int(project.mergerequests.get(number).head_pipeline["id"])


async def test_issues_of_either_are_the_others(
    ours: ForgeRepo, theirs: Any, forge: GitLabServer
) -> None:
    made = theirs.issues.create({"title": "Greet people", "description": "Hello."})
    made.notes.create({"body": "Soon"})
    assert (await ours.issue(made.iid)).title == "Greet people"
    assert [comment.body for comment in await ours.issue_comments(made.iid)] == ["Soon"]
    await ours.update_issue(made.iid, state="closed", add_labels=["bug"], add_assignees=["dana"])
    after = theirs.issues.get(made.iid)
    assert (after.state, after.labels) == ("closed", ["bug"])
    assert [person["username"] for person in after.assignees] == ["dana"]
    split = await ours.create_issue("A part", "Of it.", labels=["bug"])
    assert theirs.issues.get(split.number).description == "Of it."
    many = [theirs.issues.create({"title": f"Part {n}"}).iid for n in range(25)]
    listed = theirs.issues.list(state="opened", get_all=True)
    assert {issue.iid for issue in listed} == {split.number, *many}
    assert len(await ours.issues(most=1000)) == 26


async def test_a_pipeline_elsewhere_and_jobs_that_may_fail(
    ours: ForgeRepo, forge: GitLabServer
) -> None:
    """A fork's pipeline runs in the fork; what may fail does not make a failure."""
    state = forge.state
    fork = state.repos[state.fork]
    fork.git("fetch", "-q", str(state.bare.path), "main:main")
    fork.write(BRANCH, "greeting", "hi\n", after=state.first)
    wanted = v.NewPull(title="Greet", body="", head=BRANCH, head_repo=state.fork, base="main")
    made = await ours.create_pull(wanted)
    marks = "\x1b[0Ksection_start:1:x\r\x1b[0K\x1b[31mE red\x1b[0m\n"
    state.add_failure(made.sha, "tests", marks)
    state.add_check(made.sha, "flaky", "failure")
    state.checks[-1].may_fail = True
    checks = {check.name: check for check in await ours.checks(made)}
    assert (checks["tests"].state, checks["flaky"].state) == ("failed", "skipped")
    assert "allowed to" in checks["flaky"].summary
    [step] = await ours.failed_steps(checks["tests"])
    assert step.log == "E red"
    assert forge.count("GET", "/projects/42/jobs/") == 1
