"""What holds for every command: help, JSON errors, exit codes, and that nothing else exists."""

from __future__ import annotations

import subprocess
import sys

import pytest

from manyhands.cli.main import COMMANDS
from tests.support.console import Console

SESSION_COMMANDS = [
    ("show", "x"),
    ("path", "x"),
    ("open", "x", "--editor", "true"),
    ("say", "x", "hello"),
    ("stop", "x"),
    ("resume", "x"),
    ("wait", "x"),
    ("answer", "x", "--allow"),
    ("log", "x"),
    ("log", "x", "--follow"),
    ("diff", "x"),
    ("archive", "x"),
    ("restore", "x"),
    ("db", "list", "x"),
    ("db", "reset", "x"),
    ("db", "drop", "x"),
]
NEEDS_A_HUB = [
    ("status",),
    ("down",),
    ("agents",),
    ("repo", "add", "."),
    ("repo", "list"),
    ("repo", "trust", ".", "--yes"),
    ("ls",),
    ("next",),
    *SESSION_COMMANDS,
]


@pytest.mark.parametrize("command", [*COMMANDS, "demo"])
def test_every_command_explains_itself(console: Console, command: str) -> None:
    shown = console.ok(command, "--help")
    assert shown.text.startswith(f"Usage: manyhands {command}")
    assert not shown.err


def test_without_a_command_the_help_is_shown(console: Console) -> None:
    assert "Commands:" in console.ok().text


@pytest.mark.parametrize("words", NEEDS_A_HUB, ids=" ".join)
def test_without_a_hub_it_ends_with_7_and_starts_none(
    console: Console, words: tuple[str, ...]
) -> None:
    done = console.run(*words, "--json")
    assert done.code == 7
    assert done.error["code"] == "hub_down"
    assert done.error["hint"] == "start it: manyhands up"
    assert done.out == b""
    assert not console.home.exists()


@pytest.mark.parametrize(
    "words",
    [
        ("new", "text", "--in-place", "--base", "main"),
        ("say", "x"),
        ("answer", "x"),
        ("answer", "x", "--allow", "--deny"),
        ("answer", "x", "--allow", "--choose", "a"),
        ("merge", "x", "--pr", "--into", "main"),
        ("merge", "x", "--pr", "--dry-run"),
        ("wait",),
        ("wait", "x", "--for", "rain"),
        ("wait", "x", "--timeout", "-1"),
        ("repo",),
        ("up", "--port", "70000"),
        ("new",),
        ("new", "text", "--mode", "wild"),
        ("new", "text", "--no-start", "--wait"),
        ("demo", "--sessions", "0"),
        ("completion", "cmd"),
    ],
    ids=" ".join,
)
def test_what_cannot_be_meant_is_a_usage_error(console: Console, words: tuple[str, ...]) -> None:
    done = console.run(*words, "--json")
    assert done.code == 2
    assert done.error["code"] == "bad_input"
    assert "--help" in done.error["hint"]


def test_an_error_for_a_person_is_a_sentence_and_what_to_do(console: Console) -> None:
    done = console.run("ls")
    assert done.err.splitlines() == [
        f"manyhands: no hub answers for {console.home}",
        "  start it: manyhands up",
    ]


@pytest.mark.parametrize(
    "words", [("repo", "--json", "list"), ("ls", "--json", "--all"), ("show", "--json", "x")]
)
def test_json_may_stand_anywhere_after_the_command(
    console: Console, words: tuple[str, ...]
) -> None:
    assert console.run(*words).error["code"] == "hub_down"


def test_a_json_flag_after_two_dashes_is_text(console: Console) -> None:
    assert console.run("say", "x", "--", "--json").err.startswith("manyhands: ")


@pytest.mark.parametrize("text", ["", "   \n"])
def test_an_empty_message_is_refused_before_anything_starts(console: Console, text: str) -> None:
    done = console.run("new", "-", "--json", stdin=text.encode())
    assert (done.code, done.error["message"]) == (2, "the message is empty")
    assert not console.home.exists()


def test_a_message_over_the_limit_is_refused(console: Console) -> None:
    done = console.run("new", "-", "--json", stdin=b"x" * (16 * 1024 * 1024 + 1))
    assert (done.code, done.error["message"]) == (2, "the message is larger than 16 MB")


def test_a_message_that_is_no_text_is_refused(console: Console) -> None:
    done = console.run("say", "x", "-", "--json", stdin=b"\xff\xfe")
    assert (done.code, done.error["message"]) == (2, "the message is not valid UTF-8")


def test_the_version_needs_nothing_but_click(console: Console) -> None:
    code = "import manyhands.cli.main, sys; print(*sorted(sys.modules))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    ).stdout.split()
    ours = [name for name in loaded if name.startswith("manyhands")]
    assert ours == ["manyhands", "manyhands.cli", "manyhands.cli.main"]
    assert not {"rich", "msgspec", "http.client", "asyncio", "json"} & set(loaded)


def test_listing_as_json_loads_no_views_and_no_tables() -> None:
    code = (
        "import sys, manyhands.cli.main as m; m.main(['ls', '--json']);print(*sorted(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    heavy = {"rich", "asyncio", "websockets", "manyhands.contract.sessions", "psutil", "litestar"}
    assert not heavy & set(done.stdout.split())


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_covers_both_names(console: Console, shell: str) -> None:
    script = console.ok("completion", shell).text
    assert "_MANYHANDS_COMPLETE" in script
    assert "_MH_COMPLETE" in script


def test_the_shell_can_complete_commands(console: Console) -> None:
    console.variables = {
        "_MANYHANDS_COMPLETE": "bash_complete",
        "COMP_WORDS": "manyhands arch",
        "COMP_CWORD": "1",
    }
    assert console.run().text.split() == ["plain,archive"]
