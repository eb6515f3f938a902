"""Gitea and Forgejo of any age: what a server cannot do is said, or left out."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from manyhands.errors import NotPossible
from manyhands.forges import values as v
from tests.support.forge.gitea_server import GiteaServer
from tests.support.forge.http import served
from tests.support.forge.kinds import gitea_description, spoken_to


@pytest.fixture
def forge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GiteaServer]:
    with served(GiteaServer(tmp_path_factory.mktemp("gitea"), gitea_description())) as kept:
        first = kept.state.bare.write("main", "README", "hello\n")
        kept.state.bare.write("greet", "greeting", "hi\n", after=first)
        yield kept
        assert kept.complaints == [], kept.complaints


async def test_an_older_server_resolves_on_its_page_alone_and_shows_no_logs(
    forge: GiteaServer,
) -> None:
    forge.is_newer = False
    async with spoken_to("gitea", forge) as repo:
        new = v.NewPull(title="Greet", body="", head="greet", head_repo=repo.slug, base="main")
        made = await repo.create_pull(new)
        thread = forge.state.add_thread(made.number, "greeting", 1, "dana", "Too short")
        with pytest.raises(NotPossible, match="no way to resolve a remark but its page"):
            await repo.resolve(made.number, thread)
        forge.state.add_failure(made.sha, "tests", "E red\n")
        [check] = await repo.checks(made)
        assert (check.state, check.id) == ("failed", 0)
        assert await repo.failed_steps(check) == ()


async def test_checks_that_the_base_wants_may_be_named_by_a_pattern(forge: GiteaServer) -> None:
    async with spoken_to("gitea", forge) as repo:
        new = v.NewPull(title="Greet", body="", head="greet", head_repo=repo.slug, base="main")
        made = await repo.create_pull(new)
        forge.state.wanted_checks = ["ci/*"]
        assert (await repo.pull(made.number)).mergeable == "blocked"
        forge.state.add_check(made.sha, "ci/lint", "success")
        forge.state.add_check(made.sha, "ci/tests", None)
        assert (await repo.pull(made.number)).mergeable == "blocked"
        forge.state.add_check(made.sha, "ci/tests", "success")
        assert (await repo.pull(made.number)).mergeable == "clean"
