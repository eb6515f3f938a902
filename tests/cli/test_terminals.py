"""`manyhands term` and `manyhands run`, from a real terminal and from scripts."""

from __future__ import annotations

import pytest

from tests.support.console import Console


@pytest.fixture
def slug(shared: Console) -> str:
    made = shared.json("new", "Nothing yet", "--no-start")
    found: str = made["slug"]
    return found


def test_a_command_runs_in_the_session_and_its_exit_code_is_ours(
    shared: Console, slug: str
) -> None:
    words = "echo $MANYHANDS_SESSION in $PWD; echo wrong >&2; exit 3"
    done = shared.run("run", slug, "--", "sh", "-c", words)
    worktree = shared.ok("path", slug).text.strip()
    id = shared.json("show", slug)["id"]
    assert (done.code, done.text) == (3, f"{id} in {worktree}\nwrong\n")
    told = shared.run("run", slug, "--json", "--", "printf", "%s", "--json")
    assert (told.data["exit_code"], told.data["output"]) == (0, "--json")


def test_a_command_runs_in_all_sessions_and_the_first_failure_counts(shared: Console) -> None:
    slugs = [shared.json("new", "Nothing yet", "--no-start")["slug"] for _ in range(2)]
    done = shared.run("run", *slugs, "--", "false")
    assert done.code == 1
    assert [f"{slug}:" in done.err for slug in slugs] == [True, True]
    everywhere = shared.run("run", "--all", "--json", "--", "pwd")
    assert {shared.json("show", slug)["worktree"] for slug in slugs} <= {
        one["output"].strip() for one in everywhere.data
    }


def test_what_cannot_be_run_is_told_in_a_sentence(shared: Console, slug: str) -> None:
    assert shared.run("run", slug, "--", "no-such-program").code == 1
    assert "no program 'no-such-program'" in shared.run("run", slug, "--", "no-such-program").err
    assert shared.run("run", slug).code == 2
    assert shared.run("run", "nobody", "--", "true").code == 5
    assert "no terminal" in shared.run("term", slug).err
    assert shared.run("term", slug, "nowhere", "--kill").code == 5
    shared.ok("archive", slug)
    assert "archived" in shared.run("run", slug, "--", "true").err


def test_a_terminal_is_left_and_found_again_as_it_was(shared: Console, slug: str) -> None:
    left = shared.on_terminal("term", slug, "mine", typed=b"echo kept-$((1+1))\n\x1d")
    assert left.code == 0
    assert b"detached" in left.out
    [listed] = shared.json("term", slug, "--list")
    assert (listed["name"], listed["exit_code"]) == ("mine", None)
    again = shared.on_terminal("term", slug, typed=b"exit 5\n")
    assert again.code == 5
    assert b"kept-2" in again.out
    assert shared.json("term", slug, "mine", "--kill") == []


def test_a_killed_terminal_is_off_the_list(shared: Console, slug: str) -> None:
    shared.on_terminal("term", slug, "mine", typed=b"\x1d")
    assert "ended mine" in shared.ok("term", slug, "mine", "--kill").err
    assert shared.json("term", slug, "--list") == []
