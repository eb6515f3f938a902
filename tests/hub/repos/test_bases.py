"""The base, as it is now: whoever moved it, every session of it learns of it, and once."""

from __future__ import annotations

import pytest

from tests.support.driver import Json, Refused, eventually
from tests.support.remote_hub import RemoteHub, hub, lasting_hub, lines, sshd

__all__ = ["hub", "lasting_hub", "sshd"]

POLL = 0.1


@pytest.fixture
def pair(hub: RemoteHub) -> tuple[Json, Json]:
    """Sessions that started from the branch here, and from the remote's."""
    return hub.plain("Here", base="main"), hub.plain("There", base="origin/main")


def unfetched(hub: RemoteHub) -> list[str]:
    """What the doctor says of the test's own remote."""
    found = [f["detail"] for f in hub.get("/api/doctor") if f["check"] == "fetch"]
    return [detail for detail in found if str(hub.repo) in detail]


@pytest.mark.parametrize("way", ["path", "ssh"])
def test_a_push_by_somebody_else_is_learnt_quietly_and_once(
    hub: RemoteHub, request: pytest.FixtureRequest, way: str
) -> None:
    if way == "ssh":
        hub.begin(request.getfixturevalue("sshd"))
    both = hub.plain("Here", base="main"), hub.plain("There", base="origin/main")
    hub.settle(poll=POLL)
    newest = hub.push({"theirs.txt": "1\n"})
    hub.await_move(newest, *both)
    hub.git("pull", "-q", cwd=hub.repo)
    last = hub.push({"theirs.txt": "2\n"})
    hub.await_move(last, *both)
    for s in both:
        assert hub.moves(s) == [("origin/main", newest), ("origin/main", last)]
    assert not (hub.repo / ".git/FETCH_HEAD").read_text().count("\n") > 1


def test_a_commit_and_a_merge_here_are_learnt_once_and_a_push_of_them_is_no_move(
    hub: RemoteHub, pair: tuple[Json, Json]
) -> None:
    mine = hub.commit(hub.repo, {"mine.txt": "1\n"})
    hub.await_move(mine, *pair)
    a = hub.work("Alpha", {"one.txt": lines(30, {3: "Alpha"})}, base="main")
    done = hub.act(a["id"], "merge")
    hub.await_move(done["commit"], *pair)
    hub.git("push", "-q", "origin", "main", cwd=hub.repo)
    newest = hub.commit(hub.repo, {"mine.txt": "2\n"})
    hub.await_move(newest, *pair, a)
    for s in pair:
        assert [commit for _, commit in hub.moves(s)] == [mine, done["commit"], newest]
    assert [commit for _, commit in hub.moves(a)] == [newest]


def test_a_merge_here_names_whose_it_was(hub: RemoteHub, pair: tuple[Json, Json]) -> None:
    a = hub.work("Alpha", {"one.txt": lines(30, {3: "Alpha"})})
    done = hub.act(a["id"], "merge")
    hub.await_move(done["commit"], *pair)
    for s in pair:
        told = [e for e in hub.events(s["id"]) if e["type"] == "base_moved"]
        assert [(e["by"], e["base"]) for e in told] == [(a["id"], "main")]


def test_thirty_sessions_learn_of_one_move_once_each_though_the_hub_is_killed(
    hub: RemoteHub,
) -> None:
    made = [hub.plain(f"Number {n}", base=("main", "origin/main")[n % 2]) for n in range(30)]
    hub.kill()
    moved = hub.commit(hub.repo, {"mine.txt": "1\n"})
    hub.start()
    eventually(lambda: hub.moves(made[0]))
    hub.restart()
    hub.await_move(moved, *made)
    last = hub.commit(hub.repo, {"mine.txt": "2\n"})
    hub.await_move(last, *made)
    for s in made:
        assert [commit for _, commit in hub.moves(s)] == [moved, last]


def test_a_session_that_starts_after_a_move_is_not_told_of_it(hub: RemoteHub) -> None:
    before = hub.plain("Before", base="main")
    mine = hub.commit(hub.repo, {"mine.txt": "1\n"})
    after = [hub.plain(f"After {base}", base=base) for base in ("main", "origin/main")]
    hub.await_move(mine, before)
    last = hub.commit(hub.repo, {"mine.txt": "2\n"})
    hub.await_move(last, before, *after)
    assert [hub.moves(s) for s in after] == [[("main", last)]] * 2


def test_one_in_the_checkout_itself_is_not_told_of_its_own_commits(hub: RemoteHub) -> None:
    other = hub.plain("Other", base="main")
    own = hub.plain("Own", in_place=True)
    mine = hub.commit(hub.repo, {"mine.txt": "1\n"})
    hub.await_move(mine, other)
    assert hub.moves(own) == []


def test_a_remote_that_is_away_blocks_nothing_and_is_found_again(
    hub: RemoteHub, pair: tuple[Json, Json]
) -> None:
    hub.bare.rename(hub.bare.with_name("gone.git"))
    hub.settle(poll=POLL)
    mine = hub.commit(hub.repo, {"mine.txt": "1\n"})
    hub.await_move(mine, *pair)
    eventually(lambda: hub.base(pair[0])["error"])
    view = hub.base(pair[0])
    assert "main is 1 commit ahead of origin/main" in view["words"]
    assert "origin could not be asked" in view["words"]
    found = eventually(lambda: unfetched(hub))
    assert "origin/main could not be fetched" in found[0]
    hub.bare.with_name("gone.git").rename(hub.bare)
    newest = hub.push({"theirs.txt": "1\n"})
    eventually(lambda: hub.base(pair[1])["upstream"] == newest)
    hub.await_move(newest, pair[1])
    assert unfetched(hub) == []


def test_a_remote_that_was_led_elsewhere_is_not_asked(hub: RemoteHub) -> None:
    a = hub.plain("Alpha")
    known = hub.at("origin/main")
    hub.remote_end('exec git upload-pack "$@"')
    elsewhere = hub.bare.with_name("elsewhere.git")
    hub.git("clone", "-q", "--bare", str(hub.bare), str(elsewhere), cwd=hub.bare.parent)
    hub.git("remote", "set-url", "origin", str(elsewhere), cwd=hub.repo)
    hub.settle(poll=POLL)
    assert "elsewhere.git; it was" in eventually(lambda: hub.base(a)["error"])
    assert "elsewhere" in hub.base(a, fetch=True)["error"]
    assert (hub.asked(), hub.at("origin/main")) == (0, known)


def test_nothing_is_asked_quietly_where_that_is_switched_off(hub: RemoteHub) -> None:
    a = hub.plain("Alpha")
    hub.remote_end('exec git upload-pack "$@"')
    hub.push({"theirs.txt": "1\n"})
    mine = hub.commit(hub.repo, {"mine.txt": "1\n"})
    hub.await_move(mine, a)
    assert hub.asked() == 0
    assert hub.base(a, fetch=True)["relation"] == "diverged"
    assert hub.asked() == 1


def test_what_branch_a_name_stands_for_follows_gits_own_settings(hub: RemoteHub) -> None:
    newest = hub.push({"trunk.txt": "1\n"}, branch="trunk")
    hub.git("fetch", "-q", cwd=hub.repo)
    hub.git("branch", "-q", "--track", "mine", "origin/trunk", cwd=hub.repo)
    hub.git("branch", "-q", "--no-track", "alone", "main", cwd=hub.repo)
    hub.git("branch", "-q", "--track", "on-main", "main", cwd=hub.repo)
    found = {
        name: hub.base(hub.plain(name, base=name))
        for name in ("mine", "alone", "on-main", "origin/trunk")
    }
    assert (found["mine"]["tracking"], found["mine"]["upstream"]) == ("origin/trunk", newest)
    for name in ("alone", "on-main"):
        assert (found[name]["relation"], found[name]["words"]) == ("local", "")
    assert found["origin/trunk"]["words"] == "origin/trunk has no branch here"
    fixed = hub.base(hub.plain("At a commit", base=newest))
    assert (fixed["relation"], fixed["tip"]) == ("fixed", newest)


def test_a_base_of_an_unknown_session_is_refused(hub: RemoteHub) -> None:
    with pytest.raises(Refused, match="no session is called"):
        hub.get("/api/sessions/nobody/base")


@pytest.mark.parametrize("base", ["main", "origin/main"])
def test_the_radar_goes_by_the_base_as_it_is_now(hub: RemoteHub, base: str) -> None:
    a = hub.work("Alpha", {"one.txt": lines(30, {3: "Alpha"})}, base=base)
    hub.push({"one.txt": lines(30, {3: "theirs"})})
    assert hub.base(a, fetch=True)["relation"] == "behind"
    found = [c for c in hub.get("/api/conflicts", fresh=True) if c["a"] == a["id"]]
    assert [(c["b"], c["base"], c["paths"][0]["path"]) for c in found] == [(base, True, "one.txt")]
