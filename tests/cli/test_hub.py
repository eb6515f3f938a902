"""Commands against a real hub, with real Claude Code on the scripted model."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from tests.cli.console import Console


def script(*steps: dict[str, Any]) -> str:
    return f"Do it. <<SCRIPT {json.dumps(steps)} SCRIPT>>"


WRITE = script(
    {"tool": "Write", "input": {"file_path": "b.txt", "content": "two\n"}}, {"text": "Written."}
)


@pytest.fixture
def trusted(console: Console, repo: Path) -> Path:
    console.ok("up", "--no-open")
    console.ok("repo", "trust", str(repo), "--yes")
    console.cwd = repo
    return repo


def new(console: Console, text: str, *words: str) -> dict[str, Any]:
    made: dict[str, Any] = console.json("new", text, "--agent", "rehearsal", *words)
    return made


def is_alive(pid: int) -> bool:
    try:
        return f"({pid})" != "" and Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False


# The hub


def test_up_starts_one_hub_and_prints_a_link_that_works_once(console: Console) -> None:
    first = console.json("up", "--no-open")
    again = console.json("up", "--no-open")
    assert first["pid"] == again["pid"]
    assert first["url"] != again["url"]
    address, _, code = first["url"].partition("/#code=")
    assert console.json("status")["url"] == address
    assert exchange(address, code) == 200
    assert exchange(address, code) == 403


def exchange(address: str, code: str) -> int:
    body = json.dumps({"code": code}).encode()
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"{address}/api/exchange", body, headers)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code


def test_down_stops_the_hub_and_only_once(console: Console) -> None:
    pid = console.json("up", "--no-open")["pid"]
    assert console.json("status")["pid"] == pid
    console.ok("down")
    assert not is_alive(pid)
    assert console.run("status").code == 7
    assert console.run("down").code == 7


def test_after_a_crash_the_hub_takes_the_same_port_again(console: Console) -> None:
    first = console.json("up", "--no-open")
    address = console.json("status")["url"]
    os.kill(first["pid"], signal.SIGKILL)
    second = console.json("up", "--no-open")
    assert second["pid"] != first["pid"]
    assert console.json("status")["url"] == address


def test_a_wanted_port_is_taken_or_refused_in_one_sentence(console: Console) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = console.run("up", "--no-open", "--port", str(port), "--json")
        assert refused.code == 1
        assert refused.error["message"] == f"port {port} is in use by another program"
    console.ok("up", "--no-open", "--port", str(port))
    assert console.json("status")["url"].endswith(f":{port}")
    moved = console.run("up", "--no-open", "--port", str(port + 1), "--json")
    assert "already runs at" in moved.error["message"]


def test_a_corrupt_config_is_named_before_anything_starts(console: Console) -> None:
    console.home.mkdir(mode=0o700)
    (console.home / "config.toml").write_text("[limits]\nworking = 'many'\n", encoding="utf-8")
    done = console.run("up", "--no-open", "--json")
    assert done.code == 2
    assert "config.toml, line 2: limits.working" in done.error["message"]
    assert not (console.home / "hub.json").exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root can write everywhere")
def test_an_unwritable_home_is_one_sentence(console: Console) -> None:
    console.home.mkdir(mode=0o500)
    done = console.run("up", "--no-open", "--json")
    assert done.code == 1
    assert "cannot be written" in done.error["message"]


def test_a_home_that_is_a_file_is_one_sentence(console: Console) -> None:
    console.home.write_text("", encoding="utf-8")
    done = console.run("up", "--no-open", "--json")
    assert (done.code, done.error["code"]) == (1, "failed")
    assert "cannot be written" in done.error["message"]


# Repositories


def test_an_untrusted_repository_runs_nothing(console: Console, repo: Path) -> None:
    done = console.run("new", "hello", "--repo", str(repo), "--json")
    assert done.code == 4
    assert f"manyhands repo trust {repo}" in done.error["hint"]
    assert console.json("repo", "list") == [
        {"path": str(repo), "trusted": False, "default_base": "main"}
    ]


def test_trust_is_asked_of_a_person_and_never_assumed(console: Console, repo: Path) -> None:
    (repo / ".mcp.json").write_text("{}", encoding="utf-8")
    console.ok("up", "--no-open")
    refused = console.run("repo", "trust", str(repo), "--json")
    assert (refused.code, refused.error["code"]) == (4, "not_trusted")
    declined = console.on_terminal("repo", "trust", str(repo), typed=b"n\n")
    assert (declined.code, ".mcp.json" in declined.text) == (4, True)
    assert not console.json("repo", "list")[0]["trusted"]
    agreed = console.on_terminal("repo", "trust", str(repo), typed=b"y\n")
    assert agreed.code == 0
    assert console.json("repo", "list")[0]["trusted"]


@pytest.mark.parametrize("place", ["missing", "plain"])
def test_a_path_that_is_no_repository_is_refused(
    console: Console, tmp_path: Path, place: str
) -> None:
    (tmp_path / "plain").mkdir()
    console.ok("up", "--no-open")
    done = console.run("repo", "add", str(tmp_path / place), "--json")
    assert done.code in (2, 5)
    assert str(tmp_path / place) in done.error["message"]


# Sessions


def test_a_session_from_task_to_archive_and_back(console: Console, trusted: Path) -> None:
    made = new(console, WRITE, "--mode", "edits", "--name", "Second file")
    assert made["status"] in ("queued", "preparing", "working")
    slug = made["slug"]
    waited = console.json("wait", slug, "--timeout", "100", seconds=110)
    assert [s["status"] for s in waited] == ["idle"]
    worktree = Path(console.ok("path", slug).text.rstrip("\n"))
    assert (worktree / "b.txt").read_text(encoding="utf-8") == "two\n"
    diff = console.json("diff", slug)
    assert [(f["path"], f["status"], f["added"]) for f in diff["files"]] == [("b.txt", "added", 1)]
    assert "+two" in console.ok("diff", slug).text
    assert "b.txt" in console.ok("diff", slug, "--stat").text
    assert console.json("show", slug[:99])["files_changed"] == 1
    plan = console.json("archive", slug, "--dry-run")
    assert (plan["session"], plan["blocked_by"]) == (made["id"], [])
    assert worktree.exists()
    console.ok("archive", slug)
    assert not worktree.exists()
    assert console.json("ls") == []
    assert [s["status"] for s in console.json("ls", "--all")] == ["archived"]
    console.ok("restore", made["id"])
    assert (worktree / "b.txt").read_text(encoding="utf-8") == "two\n"


def test_the_log_is_one_event_per_line_in_order(console: Console, trusted: Path) -> None:
    made = new(console, script({"text": "Hello there."}), "--wait")
    events = [json.loads(line) for line in console.ok("log", made["id"], "--json").out.splitlines()]
    numbers = [event["seq"] for event in events]
    assert numbers == sorted(set(numbers))
    assert "Hello there." in [e.get("text") for e in events if e["type"] == "agent_message"]
    later = console.ok("log", made["id"], "--json", "--after", str(numbers[2])).out.splitlines()
    assert [json.loads(line)["seq"] for line in later] == numbers[3:]
    assert "agent: Hello there.\n" in console.ok("log", made["id"]).text


def test_following_the_log_shows_what_is_being_said(console: Console, trusted: Path) -> None:
    made = new(console, script({"text": "one two three four", "chunk_delay": 0.05}))
    child = console.start("log", made["id"], "--follow", "--json")
    assert child.stdout is not None
    assert child.stderr is not None
    seen = []
    for line in child.stdout:
        seen.append(json.loads(line))
        if seen[-1].get("type") == "turn_finished":
            break
    child.send_signal(signal.SIGINT)
    assert child.wait(20) == 130
    child.stdout.close()
    child.stderr.close()
    live = [frame for frame in seen if frame.get("live")]
    assert "".join(f["text"] for f in live if f["type"] == "text_delta").startswith("one")
    assert "one two three four" in [e.get("text") for e in seen if e["type"] == "agent_message"]


def test_a_permission_is_waited_for_shown_and_answered(console: Console, trusted: Path) -> None:
    assert console.run("next").code == 5
    made = new(console, WRITE)
    waited = console.run("wait", made["slug"], "--json", "--timeout", "100", seconds=110)
    assert waited.code == 6
    (item,) = waited.data[0]["attention"]
    assert item["kind"] == "permission"
    assert console.json("next")["id"] == item["id"]
    assert [s["id"] for s in console.json("ls", "--attention")] == [made["id"]]
    assert "--allow" in console.ok("next").text
    assert console.run("answer", made["slug"], "--approve").code == 2
    settled = console.json("answer", made["slug"], "--allow")
    assert (settled["id"], settled["options"]) == (item["id"], [])
    console.ok("wait", made["slug"], "--timeout", "100", seconds=110)
    assert (Path(made["worktree"]) / "b.txt").exists()


def test_say_steers_or_follows_and_tells_which(console: Console, trusted: Path) -> None:
    made = new(console, script({"text": "First."}), "--wait")
    said = console.json("say", made["slug"], script({"text": "Second."}))
    assert said == [{"session": made["id"], "follow_up": False}]
    console.ok("wait", made["slug"], "--timeout", "60", seconds=70)
    assert "agent: Second.\n" in console.ok("log", made["slug"]).text


def test_stop_interrupts_a_long_turn(console: Console, trusted: Path) -> None:
    made = new(console, script({"text": "Slow.", "delay": 60}))
    console.ok("stop", made["slug"])
    console.ok("wait", made["slug"], "--timeout", "30")


def test_a_message_of_five_megabytes_arrives(console: Console, trusted: Path) -> None:
    text = "x" * (5 * 1024 * 1024)
    words = ("new", "-", "--agent", "rehearsal", "--name", "Large", "--no-start")
    made = console.json(*words, stdin=text.encode())
    assert made["title"] == "Large"
    assert made["status"] == "idle"


@pytest.mark.parametrize(
    "title", ["$(id); rm -rf /", "日本語\u3000題", "\u202eevil", "x" * 10_000, "CON", "'\"`"]
)
def test_any_title_is_kept_safely(console: Console, trusted: Path, title: str) -> None:
    made = new(console, "hello", "--no-start", "--name", title)
    assert made["slug"].isascii()
    assert 0 < len(made["slug"]) <= 100
    assert console.json("show", made["slug"])["id"] == made["id"]


def test_unknown_and_ambiguous_names_are_told_apart(console: Console, trusted: Path) -> None:
    assert console.run("show", "nobody", "--json").error["code"] == "not_found"
    assert console.run("show", "nobody").code == 5


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("--base", "nowhere"), "nowhere"),
        (("--agent", "nobody"), "nobody"),
    ],
)
def test_a_wrong_choice_is_one_sentence_and_leaves_no_session(
    console: Console, trusted: Path, words: tuple[str, ...], named: str
) -> None:
    done = console.run("new", "hello", *words, "--json")
    assert done.code in (1, 2, 5)
    assert named in done.error["message"]
    assert console.json("ls", "--all") == []


def test_new_starts_the_hub_by_itself(console: Console, trusted: Path) -> None:
    console.ok("down")
    assert new(console, "hello", "--no-start")["status"] == "idle"


# Editors


def test_open_runs_a_terminal_editor_in_the_foreground(
    console: Console, trusted: Path, tmp_path: Path
) -> None:
    made = new(console, "hello", "--no-start")
    editor = tmp_path / "editor"
    editor.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/opened\n', encoding="utf-8")
    editor.chmod(editor.stat().st_mode | stat.S_IXUSR)
    console.variables["EDITOR"] = f"{editor} --flag"
    console.ok("open", made["slug"])
    assert (tmp_path / "opened").read_text(encoding="utf-8") == f"--flag {made['worktree']}\n"
    missing = console.run("open", made["slug"], "--editor", "no-such-editor", "--json")
    assert (missing.code, missing.error["code"]) == (5, "not_found")


# Doctor and agents


def test_doctor_finds_nothing_odd_in_a_fresh_home(console: Console) -> None:
    console.ok("up", "--no-open")
    checks = console.json("doctor")
    assert {"git", "home", "token", "config", "hub"} <= {check["check"] for check in checks}
    assert [check for check in checks if not check["ok"]] == []


def test_doctor_mends_permissions(console: Console) -> None:
    console.ok("up", "--no-open")
    (console.home / "token").chmod(0o644)
    assert console.run("doctor").code == 1
    console.ok("doctor", "--fix")
    assert (console.home / "token").stat().st_mode & 0o777 == 0o600


def test_doctor_works_without_a_hub(console: Console) -> None:
    done = console.run("doctor", "--json")
    odd = [check for check in done.data if not check["ok"]]
    assert (done.code, [check["check"] for check in odd]) == (1, ["hub"])
    assert odd[0]["fix"] == "manyhands up"


def test_the_rehearsal_agent_is_always_there(console: Console) -> None:
    console.ok("up", "--no-open")
    agents = {agent["name"]: agent for agent in console.json("agents")}
    assert agents["rehearsal"]["installed"]
    assert "rehearsal" in console.ok("agents").text


def test_down_all_leaves_nothing_running(console: Console, trusted: Path) -> None:
    made = new(console, script({"text": "Slow.", "delay": 60}))
    rehearsal = json.loads((console.home / "rehearsal.json").read_text(encoding="utf-8"))["pid"]
    assert is_alive(rehearsal)
    console.ok("down", "--all")
    assert not is_alive(rehearsal)
    assert processes_naming(str(console.home)) == []
    assert made["status"] in ("queued", "preparing", "working")


def processes_naming(words: str) -> list[str]:
    found = []
    for place in Path("/proc").iterdir():
        if place.name.isdigit() and is_alive(int(place.name)):
            try:
                told = (place / "environ").read_bytes() + (place / "cmdline").read_bytes()
            except OSError:
                continue
            if words.encode() in told:
                found.append(f"{place.name} {told[-200:]!r}")
    return found
