"""What comes out of every command: one JSON document, or as much of it as its reader wants."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import pytest

from manyhands.cli.main import manyhands
from tests.cli.conftest import console_in, make_repo, serving, trust
from tests.support.console import PROGRAM, SECONDS, Console, Done

Words = tuple[str, ...]
GIVEN: dict[Words, Words] = {
    ("repo", "add"): (".",),
    ("repo", "trust"): (".", "--yes"),
    ("new",): ("Nothing yet", "--no-start"),
    ("adopt",): ("/nowhere",),
    ("archive",): ("SESSION", "--dry-run"),
    ("open",): ("SESSION", "--editor", "true"),
    ("say",): ("nobody", "hello"),
    ("ask",): ("nobody", "hello"),
    ("answer",): ("SESSION", "--allow"),
    ("set",): ("SESSION", "--mode", "plan"),
    ("comment",): ("nobody", "a.txt:1", "why"),
    ("rewind",): ("SESSION", "nothing"),
    ("db", "drop"): ("nobody",),
    ("db", "reset"): ("nobody",),
    ("rm",): ("nobody", "--yes"),
    ("completion",): ("bash",),
    ("up",): ("--no-open",),
    ("demo",): ("--sessions", "0"),
}
"""Where a command needs more than the session, or must not reach it."""


def leaves(command: click.Command, path: Words = ()) -> Iterator[Words]:
    if not isinstance(command, click.Group):
        yield path
        return
    context = click.Context(command)
    if path and not command.no_args_is_help:
        yield path
    for name in command.list_commands(context):
        found = command.get_command(context, name)
        assert found is not None
        yield from leaves(found, (*path, name))


COMMANDS = sorted(leaves(manyhands), key=lambda path: (path == ("down",), path))


# One hub serves them all.
pytestmark = pytest.mark.xdist_group("output")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Console]:
    place = tmp_path_factory.mktemp("shared")
    with console_in(place) as console, serving(console):
        yield trust(console, make_repo(place / "repo"))


@pytest.fixture(scope="module")
def session(shared: Console) -> str:
    """With more to tell than a pipe holds."""
    made = shared.json("new", "Nothing yet", "--no-start")
    text = "".join(f"a line, and it is number {n}\n" for n in range(10_000))
    (Path(made["worktree"]) / "long.txt").write_text(text, encoding="utf-8")
    return str(made["id"])


def words_of(path: Words, session: str) -> Words:
    command: click.Command = manyhands
    for name in path:
        assert isinstance(command, click.Group)
        found = command.get_command(click.Context(command), name)
        assert found is not None
        command = found
    needs = [p.name for p in command.params if p.required]
    usual = ("SESSION",) if {"session", "sessions"} & set(needs) else ()
    return tuple(word.replace("SESSION", session) for word in GIVEN.get(path, usual))


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_command_speaks_json(shared: Console, session: str, path: Words) -> None:
    if path == ("down",):  # it would end the hub of all the others
        shared = Console(shared.home / "nowhere", shared.cwd)
    done = shared.run(*path, *words_of(path, session), "--json")
    require_json(done, lines=path == ("log",))


def require_json(done: Done, *, lines: bool) -> None:
    if done.out:
        for document in done.out.splitlines() if lines else [done.out]:
            json.loads(document)
    if done.err.startswith("{") or not done.out:
        assert done.error["code"], done
        assert done.error["message"]
        assert done.code not in (0, 3)
    else:
        assert done.code in (0, 1, 6), done


@pytest.mark.parametrize(
    "words",
    [
        *(("log", "SESSION"), ("log", "SESSION", "--json"), ("log", "SESSION", "--follow")),
        *(("ls", "--all"), ("ls", "--json"), ("diff", "SESSION"), ("show", "SESSION", "--json")),
        *(("--help",), ("completion", "bash")),
    ],
    ids=" ".join,
)
def test_a_reader_who_has_enough_is_no_failure(shared: Console, session: str, words: Words) -> None:
    done = without_reader(shared, [word.replace("SESSION", session) for word in words])
    assert (done.returncode, done.stderr) == (0, b"")
    assert list((shared.home / "logs").glob("crash-*")) == []


def without_reader(console: Console, words: Sequence[str]) -> subprocess.CompletedProcess[bytes]:
    """As behind `| head` that has ended."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        return subprocess.run(
            [PROGRAM, *words],
            cwd=console.cwd,
            env=console.environment,
            stdout=writing,
            stderr=subprocess.PIPE,
            timeout=SECONDS,
            check=False,
        )
    finally:
        os.close(writing)
