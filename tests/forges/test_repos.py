"""Every forge does the same: issues, pull requests, threads, checks, merges and queues."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import msgspec
import pytest

from manyhands.errors import ForgeDenied, ForgeFailed, NotFound, NotPossible
from manyhands.forges import values as v
from manyhands.forges.forge import ForgeRepo
from manyhands.forges.place import Kind
from tests.support.forge.http import served
from tests.support.forge.kinds import KINDS, server_of, spoken_to
from tests.support.forge.server import TOKEN, Fault, ForgeServer

BRANCH = "mh/greet"


@pytest.fixture(scope="module", params=KINDS)
def kept(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Kind, ForgeServer]]:
    kind: Kind = request.param
    with served(server_of(kind, tmp_path_factory.mktemp(kind))) as server:
        server.state.first = server.state.bare.write("main", "README", "hello\n")
        fork = server.state.repos[server.state.fork]
        fork.git("fetch", "-q", str(server.state.bare.path), "main:main")
        yield kind, server


@pytest.fixture
def kind(kept: tuple[Kind, ForgeServer]) -> Kind:
    return kept[0]


@pytest.fixture
def forge(kept: tuple[Kind, ForgeServer]) -> Iterator[ForgeServer]:
    kept[1].begin_anew()
    yield kept[1]
    assert kept[1].complaints == [], kept[1].complaints


@pytest.fixture
async def repo(kind: Kind, forge: ForgeServer) -> AsyncIterator[ForgeRepo]:
    async with spoken_to(kind, forge) as opened:
        yield opened


def proposed(forge: ForgeServer, repo: ForgeRepo, **more: Any) -> v.NewPull:
    """A branch with a commit, and what is wanted for it."""
    state = forge.state
    slug = more.setdefault("head_repo", repo.slug)
    state.repos[slug].write(BRANCH, "greeting", "hi\n", after=state.bare.tip("main"))
    wanted = {"title": "Greet", "body": "Hello.", "head": BRANCH, "base": "main", **more}
    return v.NewPull(**wanted)


async def test_what_a_repository_is(repo: ForgeRepo, forge: ForgeServer, kind: Kind) -> None:
    facts = await repo.facts()
    assert (facts.slug, facts.default_branch, facts.parent) == (forge.state.slug, "main", "")
    assert facts.may_push
    assert facts.methods[:2] == ("merge", "squash")
    fork = await repo.of(forge.state.fork).facts()
    assert (fork.parent, fork.parent_branch) == (forge.state.slug, "main")
    forge.state.rights[TOKEN] = set()
    assert not (await repo.facts()).may_push
    assert await repo.me() == "casey"
    await repo.require_branch("main")
    with pytest.raises(NotFound, match=f"{forge.state.slug} has no branch no/where"):
        await repo.require_branch("no/where")
    assert repo.pull_word == ("merge request" if kind == "gitlab" else "pull request")


async def test_issues_are_listed_searched_read_and_made(
    repo: ForgeRepo, forge: ForgeServer
) -> None:
    forge.state.add_issue(3, "Greet people", "They want it.", ("Please soon", "Yes"))
    forge.state.add_issue(4, "Count people", "")
    made = await repo.create_issue("Part us", "A split.", labels=["bug"], assignees=["dana"])
    assert (made.number, made.labels, made.assignees) == (5, ("bug",), ("dana",))
    assert [issue.number for issue in await repo.issues()] == [5, 4, 3]
    assert [issue.number for issue in await repo.issues("greet")] == [3]
    assert [issue.number for issue in await repo.issues("label:bug")] == [5]
    assert [issue.number for issue in await repo.issues(most=2)] == [5, 4]
    issue = await repo.issue(3)
    assert (issue.title, issue.body, issue.state) == ("Greet people", "They want it.", "open")
    assert issue.comments == 2
    said = await repo.issue_comments(3)
    assert [comment.body for comment in said] == ["Please soon", "Yes"]


async def test_an_issue_is_talked_about_labelled_assigned_and_closed(
    repo: ForgeRepo, forge: ForgeServer
) -> None:
    forge.state.add_issue(3, "Greet people", "")
    forge.state.add_issue(4, "Count people", "")
    made = await repo.comment_issue(4, "Begun")
    assert (made.author, made.body) == ("casey", "Begun")
    assert [comment.body for comment in await repo.issue_comments(4)] == ["Begun"]
    changed = await repo.update_issue(
        3, add_labels=["bug", "greeting"], add_assignees=["dana"], state="closed"
    )
    assert changed.state == "closed"
    now = await repo.issue(3)
    assert (set(now.labels), now.assignees) == ({"bug", "greeting"}, ("dana",))
    now = await repo.update_issue(3, remove_labels=["bug", "never-there"], state="open")
    assert (now.labels, now.state) == (("greeting",), "open")
    assert [issue.number for issue in await repo.issues()] == [4, 3]


async def test_an_issue_is_closed_from_its_own_and_from_another_repository(
    repo: ForgeRepo, forge: ForgeServer
) -> None:
    assert repo.closes(repo.slug, 3) == "Closes #3"
    assert repo.closes(forge.state.fork, 3) == f"Closes {forge.state.fork}#3"


async def test_a_pull_request_is_opened_found_changed_and_closed(
    repo: ForgeRepo, forge: ForgeServer
) -> None:
    new = proposed(forge, repo, draft=True)
    made = await repo.create_pull(new)
    assert (made.title, made.draft, made.state) == ("Greet", True, "open")
    assert (made.head, made.head_repo, made.base) == (BRANCH, repo.slug, "main")
    assert made.sha == forge.state.bare.tip(BRANCH)
    [found] = await repo.pulls_from(repo.slug, BRANCH)
    assert found.number == made.number
    assert await repo.pulls_from(forge.state.fork, BRANCH) == []
    assert await repo.pulls_from(repo.slug, "mh/other") == []
    with pytest.raises(ForgeFailed, match="already exists") as caught:
        await repo.create_pull(new)
    assert caught.value.status in (409, 422)
    forge.state.bare.write("release", "notes", "1\n", after=forge.state.first)
    changed = await repo.update_pull(made, title="Greet all", body="More.", base="release")
    assert (changed.title, changed.draft, changed.base) == ("Greet all", True, "release")
    ready = await repo.update_pull(changed, draft=False)
    assert (ready.title, ready.draft) == ("Greet all", False)
    again = await repo.pull(made.number)
    assert (again.title, again.body, again.draft) == ("Greet all", "More.", False)
    assert (await repo.close_pull(made.number)).state == "closed"
    assert [p.state for p in await repo.pulls_from(repo.slug, BRANCH)] == ["closed"]


async def test_from_a_fork(repo: ForgeRepo, forge: ForgeServer) -> None:
    made = await repo.create_pull(proposed(forge, repo, head_repo=forge.state.fork))
    assert made.head_repo == forge.state.fork
    [found] = await repo.pulls_from(forge.state.fork, BRANCH)
    assert found.number == made.number
    assert (await repo.pull(made.number)).head_repo == forge.state.fork


async def test_labels_and_reviewers(repo: ForgeRepo, forge: ForgeServer) -> None:
    made = await repo.create_pull(proposed(forge, repo))
    await repo.add_labels(made.number, ["greeting", "brand-new"])
    await repo.ask_reviewers(made.number, ["dana"])
    pull = forge.state.pulls[made.number]
    assert (set(forge.state.labels[made.number]), pull.reviewers) == (
        {"greeting", "brand-new"},
        ["dana"],
    )
    with pytest.raises(ForgeFailed):
        await repo.ask_reviewers(made.number, ["stranger"])
    assert "greeting" in await repo.labels()
    assert "dana" in await repo.people()


async def test_reviews_and_what_is_said_about_the_whole(
    repo: ForgeRepo, forge: ForgeServer
) -> None:
    made = await repo.create_pull(proposed(forge, repo))
    forge.state.add_review(made.number, "dana", "CHANGES_REQUESTED")
    forge.state.add_review(made.number, "robin", "APPROVED")
    forge.state.add_comment(made.number, "dana", "Why?")
    forge.state.add_comment(made.number, "builder", "Preview is up", bot=True)
    verdicts = {review.author: review.verdict for review in await repo.reviews(made.number)}
    assert (verdicts["dana"], verdicts["robin"]) == ("changes_requested", "approved")
    said = [(one.author, one.body, one.bot) for one in await repo.conversation(made.number)]
    assert said[0] == ("dana", "Why?", False)
    assert (said[1][1], said[1][2]) == ("Preview is up", True)
    before = (await repo.pull(made.number)).stamp
    answer = await repo.comment_pull(made.number, "Because.")
    assert (answer.author, answer.body) == ("casey", "Because.")
    assert [one.body for one in await repo.conversation(made.number)][-1] == "Because."
    assert (await repo.pull(made.number)).stamp != before


async def test_threads_are_all_there_replied_to_and_resolved(
    repo: ForgeRepo, forge: ForgeServer, kind: Kind
) -> None:
    """More than fit on a page; Gitea's are small, and each of its reviews is asked about."""
    many, more = (32, 3) if kind == "gitea" else (130, 60)
    made = await repo.create_pull(proposed(forge, repo))
    ids = [
        forge.state.add_thread(made.number, "greeting", line, "dana", f"Line {line}")
        for line in range(1, many + 1)
    ]
    for _ in range(more):
        forge.state.add_remark(ids[0], "robin", "Me too")
    found = {thread.id: thread for thread in await repo.threads(made.number)}
    assert len(found) == many
    first = found[ids[0]]
    assert (first.path, first.line, first.resolved, first.outdated) == ("greeting", 1, False, False)
    assert [c.body for c in first.comments] == ["Line 1", *["Me too"] * more]
    answer = await repo.reply(made.number, first.id, first.comments[0].id, "Done")
    assert (answer.author, answer.body) == ("casey", "Done")
    assert forge.state.said(first.id)[-1] == "Done"
    await repo.resolve(made.number, first.id)
    assert forge.state.is_resolved(first.id)
    assert [t.resolved for t in await repo.threads(made.number)].count(True) == 1


async def test_checks_with_the_log_of_what_failed(repo: ForgeRepo, forge: ForgeServer) -> None:
    made = await repo.create_pull(proposed(forge, repo))
    assert await repo.checks(made) == []
    forge.state.add_check(made.sha, "lint", "success")
    forge.state.add_check(made.sha, "docs", None)
    forge.state.add_failure(made.sha, "tests", "collected 1\nE assert 1 == 2\n")
    for n in range(40):
        forge.state.add_check(made.sha, f"part {n}", "success")
    checks = {check.name: check for check in await repo.checks(made)}
    assert len(checks) == 43
    states = [checks[name].state for name in ("lint", "docs", "tests")]
    assert states == ["passed", "running", "failed"]
    [step] = await repo.failed_steps(checks["tests"])
    assert step.log.splitlines() == ["collected 1", "E assert 1 == 2"]
    assert await repo.failed_steps(checks["lint"]) == ()


async def test_it_is_merged_if_it_is_what_was_looked_at(
    repo: ForgeRepo, forge: ForgeServer
) -> None:
    made = await repo.create_pull(proposed(forge, repo))
    assert (await repo.pull(made.number)).mergeable == "clean"
    with pytest.raises(ForgeFailed) as caught:
        await repo.merge(made.number, method="merge", head=forge.state.first)
    assert caught.value.status == 409
    commit = await repo.merge(made.number, method="squash", head=made.sha)
    assert commit == forge.state.bare.tip("main")
    after = await repo.pull(made.number)
    assert (after.state, after.merge_commit) == ("merged", commit)


async def test_what_keeps_it_from_a_merge(repo: ForgeRepo, forge: ForgeServer) -> None:
    made = await repo.create_pull(proposed(forge, repo, draft=True))
    assert (await repo.pull(made.number)).mergeable == "draft"
    ready = await repo.update_pull(made, draft=False)
    forge.state.approvals = 1
    assert (await repo.pull(made.number)).mergeable == "blocked"
    forge.state.add_review(made.number, "dana", "APPROVED")
    assert (await repo.pull(made.number)).mergeable == "clean"
    forge.state.bare.write("main", "greeting", "Moin\n")
    assert (await repo.pull(ready.number)).mergeable == "dirty"


async def test_it_waits_in_the_forges_own_queue(
    repo: ForgeRepo, forge: ForgeServer, kind: Kind
) -> None:
    made = await repo.create_pull(proposed(forge, repo))
    if kind != "gitea":  # which has none, and only waits for checks
        forge.state.has_queue = True
        forge.state.queues = {"main"}
        assert (await repo.protection("main")).has_queue
        await repo.queue(made, method="merge")
        assert await repo.is_queued(made)
        await repo.unqueue(made)
        assert not await repo.is_queued(made)
        forge.state.has_queue = False
        forge.state.queues = set()
    assert not (await repo.protection("main")).has_queue
    await repo.queue(made, method="merge")
    assert await repo.is_queued(made)
    await repo.unqueue(made)
    assert not await repo.is_queued(made)
    moved = msgspec.structs.replace(made, sha=forge.state.first)
    with pytest.raises(ForgeFailed):
        await repo.queue(moved, method="merge")


async def test_what_a_branch_wants(repo: ForgeRepo, forge: ForgeServer, kind: Kind) -> None:
    plain = await repo.protection("main")
    assert (plain.is_protected, plain.may_push, plain.approvals) == (False, True, 0)
    forge.state.protected = {"main"}
    forge.state.approvals = 2
    forge.state.wanted_checks = ["tests"]
    wanted = await repo.protection("main")
    assert (wanted.is_protected, wanted.may_push, wanted.approvals) == (True, False, 2)
    # GitLab wants the pipeline as a whole.
    assert wanted.checks[-1:] == (("pipeline",) if kind == "gitlab" else ("tests",))


async def test_a_token_that_is_not_known(kind: Kind, forge: ForgeServer) -> None:
    async with spoken_to(kind, forge, token="nobody") as repo:
        with pytest.raises(ForgeDenied, match="HTTP 401") as caught:
            await repo.facts()
    assert "the token is wrong or has expired" in caught.value.hint
    assert ("[github]" if kind == "github" else '[forges."127.0.0.1"]') in caught.value.hint


@pytest.mark.parametrize("status", [403, 404, 409, 422, 500, 502, 0])
async def test_what_writes_is_sent_once_whatever_comes_back(
    kind: Kind, forge: ForgeServer, status: int
) -> None:
    forge.state.add_issue(3, "Greet", "")
    forge.faults.append(Fault("POST", "/issues$", status))
    async with spoken_to(kind, forge, seconds=1.0 if status == 0 else 30.0) as repo:
        with pytest.raises(ForgeFailed) as caught:
            await repo.create_issue("Again", "")
    assert caught.value.status == status
    assert caught.value.unsure == (status == 0 or status >= 500)
    assert forge.count("POST", "/issues$") == 1
    assert len(forge.state.issues) == 1


@pytest.mark.parametrize("status", [502, 0])
async def test_after_an_error_that_hid_a_success_it_is_found(
    kind: Kind, forge: ForgeServer, status: int
) -> None:
    async with spoken_to(kind, forge, seconds=2.0 if status == 0 else 30.0) as repo:
        path = "/merge_requests$" if kind == "gitlab" else "/pulls$"
        forge.faults.append(Fault("POST", path, status, after=True))
        with pytest.raises(ForgeFailed) as caught:
            await repo.create_pull(proposed(forge, repo))
        assert caught.value.unsure
        [found] = await repo.pulls_from(repo.slug, BRANCH)
        assert forge.count("POST", path) == 1
        forge.faults.append(
            Fault("POST" if kind == "gitea" else "PUT", "/merge$", status, after=True)
        )
        with pytest.raises(ForgeFailed) as caught:
            await repo.merge(found.number, method="merge", head=found.sha)
        assert caught.value.unsure
        assert (await repo.pull(found.number)).state == "merged"


@pytest.mark.parametrize("status", [500, 503, 0])
async def test_what_reads_is_tried_again(kind: Kind, forge: ForgeServer, status: int) -> None:
    forge.state.add_issue(3, "Greet", "")
    forge.faults.append(Fault("GET", "/issues/3$", status, times=1))
    async with spoken_to(kind, forge, seconds=1.0 if status == 0 else 30.0) as repo:
        assert (await repo.issue(3)).title == "Greet"


async def test_a_forge_that_asks_for_patience_is_obeyed(
    repo: ForgeRepo, forge: ForgeServer
) -> None:
    forge.state.add_issue(3, "Greet", "")
    forge.faults.append(Fault("GET", "/issues/3$", 429, headers=(("Retry-After", "1"),)))
    assert (await repo.issue(3)).title == "Greet"
    forge.faults.append(Fault("GET", "/issues/3$", 429, headers=(("Retry-After", "3000"),)))
    with pytest.raises(ForgeFailed, match="left alone for 3000 seconds") as caught:
        await repo.issue(3)
    assert caught.value.status == 429
    asked = len(forge.asked)
    with pytest.raises(ForgeFailed, match="too many requests"):
        await repo.facts()
    assert len(forge.asked) == asked


async def test_an_answer_that_is_not_as_described_is_told(
    repo: ForgeRepo, forge: ForgeServer
) -> None:
    forge.faults.append(Fault("GET", "/issues/3$", 200))
    with pytest.raises(ForgeFailed, match="not as described"):
        await repo.issue(3)


async def test_a_method_that_the_project_does_not_allow(
    repo: ForgeRepo, forge: ForgeServer
) -> None:
    made = await repo.create_pull(proposed(forge, repo))
    forge.state.methods = {"merge"}
    assert (await repo.facts()).methods == ("merge",)
    with pytest.raises((ForgeFailed, NotPossible)):
        await repo.merge(made.number, method="squash", head=made.sha)
    assert not forge.state.pulls[made.number].merged
