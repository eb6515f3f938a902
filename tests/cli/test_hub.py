"""The hub, its repositories and its health, from the command line."""

from __future__ import annotations

import json
import os
import signal
import socket
import urllib.error
import urllib.request
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.conftest import trust
from tests.cli.processes import is_alive, processes_naming
from tests.support.console import Console
from tests.support.driver import eventually
from tests.support.rehearsed import new, script
from tests.support.reserved import ReservedPort


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
        with urllib.request.urlopen(request, timeout=60) as answer:
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
    with closing(ReservedPort()) as ours:
        first = console.json("up", "--no-open", "--port", str(ours.number))
        address = console.json("status")["url"]
        os.kill(first["pid"], signal.SIGKILL)
        eventually(lambda: not is_alive(first["pid"]))
        second = console.json("up", "--no-open")
    assert second["pid"] != first["pid"]
    assert console.json("status")["url"] == address


def test_a_wanted_port_is_taken_or_refused_in_one_sentence(console: Console) -> None:
    with closing(ReservedPort()) as ours:
        port = ours.number
        with socket.create_server(("127.0.0.1", port)):
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


def test_a_home_that_is_a_file_is_one_sentence(console: Console) -> None:
    console.home.write_text("", encoding="utf-8")
    done = console.run("up", "--no-open", "--json")
    assert (done.code, done.error["code"]) == (1, "failed")
    assert "cannot be written" in done.error["message"]


def test_an_untrusted_repository_runs_nothing(console: Console, repo: Path) -> None:
    done = console.run("new", "hello", "--repo", str(repo), "--json")
    assert done.code == 4
    assert f"manyhands repo trust {repo}" in done.error["hint"]
    assert console.json("repo", "list") == [
        {"path": str(repo), "trusted": False, "default_base": "main", "spares": []}
    ]


def test_trust_is_asked_of_a_person_and_never_assumed(console: Console, repo: Path) -> None:
    (repo / ".mcp.json").write_text("{}", encoding="utf-8")
    (repo / ".envrc").write_text("".join(f"# line {n}\n" for n in range(300)), encoding="utf-8")
    console.ok("up", "--no-open")
    refused = console.run("repo", "trust", str(repo), "--json")
    assert (refused.code, refused.error["code"]) == (4, "not_trusted")
    declined = console.on_terminal("repo", "trust", str(repo), typed=b"n\n")
    assert declined.code == 4
    assert ".mcp.json (tool servers: each server's command, when an agent starts" in declined.text
    assert "# line 299" in declined.text
    assert not console.json("repo", "list")[0]["trusted"]
    agreed = console.on_terminal("repo", "trust", str(repo), typed=b"y\n")
    assert agreed.code == 0
    assert console.json("repo", "list")[0]["trusted"]


@pytest.mark.parametrize("place", ["missing", "plain"])
def test_a_path_that_is_no_repository_is_refused(
    shared: Console, tmp_path: Path, place: str
) -> None:
    (tmp_path / "plain").mkdir()
    done = shared.run("repo", "add", str(tmp_path / place), "--json")
    assert done.code in (2, 5)
    assert str(tmp_path / place) in done.error["message"]


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


def test_the_rehearsal_agent_is_always_there(shared: Console) -> None:
    agents = {agent["name"]: agent for agent in shared.json("agents")}
    assert agents["rehearsal"]["installed"]
    assert "rehearsal" in shared.ok("agents").text


def test_agents_are_listed_with_what_each_has_and_lacks(shared: Console) -> None:
    listed = shared.json("agents")
    promised = {"name", "kind", "installed", "version", "logged_in", "models"}
    assert all(promised <= set(agent) for agent in listed)
    agents = {agent["name"]: agent for agent in listed}
    assert agents["claude"]["modes"] == ["plan", "ask", "edits", "auto"]
    assert "opus" in agents["claude"]["models"]
    assert agents["qwen"]["modes"] == ["ask", "edits", "auto"]
    assert agents["qwen"]["installed"] or "npm install" in agents["qwen"]["hint"]
    head, *rows = shared.ok("agents").text.splitlines()
    heads = ("AGENT", "KIND", "INSTALLED", "VERSION", "LOGGED", "IN", "MODELS", "BOX", "NOTE")
    assert tuple(head.split()) == heads
    assert [row.split()[0] for row in rows] == list(agents)


def test_down_all_leaves_nothing_running(console: Console, repo: Path) -> None:
    console.ok("up", "--no-open")
    trust(console, repo)
    made = new(console, script({"text": "Slow.", "delay": 60}), agent="rehearsal")
    rehearsal = json.loads((console.home / "rehearsal.json").read_text(encoding="utf-8"))["pid"]
    assert is_alive(rehearsal)
    console.ok("down", "--all")
    assert not is_alive(rehearsal)
    assert processes_naming(str(console.home)) == []
    assert made["status"] in ("queued", "preparing", "working")
