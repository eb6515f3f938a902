"""Issues of every forge, through the same seam as all trackers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from manyhands.errors import NotFound
from manyhands.forges.place import Kind
from manyhands.trackers.forge_issues import ForgeIssues
from manyhands.trackers.tracker import IssuesAsked, NewIssue, is_ahead, state_for
from tests.support.forge.http import served
from tests.support.forge.kinds import KINDS, server_of, spoken_to
from tests.support.forge.server import ForgeServer


@pytest.fixture(scope="module", params=KINDS)
def kept(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Kind, ForgeServer]]:
    kind: Kind = request.param
    with served(server_of(kind, tmp_path_factory.mktemp(kind))) as server:
        yield kind, server


@pytest.fixture
def forge(kept: tuple[Kind, ForgeServer]) -> Iterator[ForgeServer]:
    kept[1].begin_anew()
    yield kept[1]
    assert kept[1].complaints == [], kept[1].complaints


@pytest.fixture
async def tracker(kept: tuple[Kind, ForgeServer], forge: ForgeServer) -> AsyncIterator[ForgeIssues]:
    async with spoken_to(kept[0], forge) as repo:
        yield ForgeIssues(repo, "doing", "review")


async def test_an_issue_goes_its_way_by_labels(tracker: ForgeIssues, forge: ForgeServer) -> None:
    forge.state.add_issue(12, "Greet people", "Say hello.", ("Please soon",))
    found = await tracker.issue("12")
    assert (found.key, found.origin, found.state.kind) == ("#12", forge.state.slug, "todo")
    assert [comment.body for comment in found.said] == ["Please soon"]
    for stage, kind in (("in_progress", "started"), ("in_review", "review"), ("done", "done")):
        state = state_for(stage, await tracker.states("12"), "")  # type: ignore[arg-type]
        assert state is not None
        await tracker.set_state("12", state)
        after = await tracker.issue(f"{forge.state.slug}#12")
        assert after.state.kind == kind
        assert is_ahead(after.state, stage)  # type: ignore[arg-type]
    assert not {"doing", "review"} & set(after.labels)
    assert await tracker.issues(IssuesAsked()) == []


async def test_issues_are_made_said_to_and_found_again(tracker: ForgeIssues) -> None:
    assert await tracker.made("(mark 1)") is None
    made = await tracker.create(NewIssue(title="Split", body="(mark 1)"))
    await tracker.comment(made.key.removeprefix("#"), "hello")
    found = await tracker.made("(mark 1)")
    assert found is not None
    assert (found.key, found.title) == (made.key, "Split")
    whole = await tracker.issue(made.key.removeprefix("#"))
    assert [comment.body for comment in whole.said] == ["hello"]
    assert [issue.key for issue in await tracker.issues(IssuesAsked(search="split"))] == [made.key]
    assert await tracker.issues(IssuesAsked(mine=True)) == []
    with pytest.raises(NotFound, match="has no issue #99"):
        await tracker.issue("99")
