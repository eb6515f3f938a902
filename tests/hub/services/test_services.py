"""Services of a real hub: real servers, each on its session's own port, owned by its keeper."""

from __future__ import annotations

import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.support.driver import ACTOR, Json, Refused, RunningHub, eventually, gone, of_type, script

SERVER = f"{sys.executable} -m http.server --bind 127.0.0.1 $PORT"
WEB = f"""[services.web]
command = "{SERVER}"
port = "web"
health = "/"
"""
IGNORES_TERM = "trap '' TERM; echo deaf; while :; do sleep 1; done"


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningHub]:
    running = RunningHub(tmp_path_factory.mktemp("services") / "hub", agent=ACTOR, linger=1.0)
    running.lease_own_ports("pool = 0")
    with running:
        yield running


@pytest.fixture
def hub(lasting: RunningHub) -> RunningHub:
    if not lasting.runs:
        lasting.start()
    lasting.change_repo()
    return lasting


def opened(hub: RunningHub, config: str, **files: str) -> str:
    """A session without an agent, of a repository with this config."""
    for name, text in {".manyhands.toml": config, **files}.items():
        (hub.repo / name).write_text(text)
    hub.git("add", "-A", cwd=hub.repo)
    hub.git("commit", "-q", "--allow-empty", "-m", "Services", cwd=hub.repo)
    hub.post("/api/repos/trust", {"path": str(hub.repo)})
    return str(hub.new("", name="place", start=False)["id"])


def services(hub: RunningHub, session: str) -> dict[str, Json]:
    return {one["name"]: one for one in hub.get(f"/api/sessions/{session}/services")}


def becomes(hub: RunningHub, session: str, name: str, *states: str) -> Json:
    def so() -> Json:
        found = services(hub, session)[name]
        return found if found["state"] in states else None

    return eventually(so)


def log_of(hub: RunningHub, session: str, name: str, **asked: object) -> str:
    return str(hub.get(f"/api/sessions/{session}/services/{name}/log", **asked)["text"])


def fetched(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=30) as answer:
        return bytes(answer.read())


def test_a_service_runs_on_the_sessions_port_and_says_what_it_does(hub: RunningHub) -> None:
    session = opened(hub, WEB, **{"hello.txt": "from the worktree"})
    [before] = services(hub, session).values()
    assert (before["state"], before["pid"], before["origin"]) == ("stopped", None, "config")
    [started] = hub.act(session, "services/start", name="web")
    assert started["state"] == "starting"
    web = becomes(hub, session, "web", "healthy")
    port = hub.show(session)["ports"]["web"]
    assert web["port"] == port
    assert web["url"] == hub.show(session)["previews"]["web"]
    assert psutil.pid_exists(web["pid"])
    assert fetched(f"http://127.0.0.1:{port}/hello.txt") == b"from the worktree"
    eventually(lambda: "hello.txt" in log_of(hub, session, "web"))
    assert "hello.txt" in log_of(hub, session, "web", find="HELLO")
    # Started again, it goes on; anew, it is another process.
    [same] = hub.act(session, "services/start", name="web")
    assert same["pid"] == web["pid"]
    hub.act(session, "services/restart", name="web")
    eventually(lambda: services(hub, session)["web"]["pid"] not in (None, web["pid"]))
    assert becomes(hub, session, "web", "healthy")["pid"] != web["pid"]
    [stopped] = hub.act(session, "services/stop")
    assert (stopped["state"], stopped["pid"]) == ("stopped", None)
    hub.act(session, "archive")
    with pytest.raises(Refused) as refused:
        hub.act(session, "services/start", name="web")
    assert "is archived" in refused.value.message


def test_services_outlive_a_killed_hub_and_end_with_the_session(hub: RunningHub) -> None:
    session = opened(hub, WEB)
    hub.act(session, "services/start")
    web = becomes(hub, session, "web", "healthy")
    hub.restart()
    assert fetched(f"http://127.0.0.1:{web['port']}/")
    assert services(hub, session)["web"]["pid"] == web["pid"]
    server = psutil.Process(web["pid"])
    hub.act(session, "archive")
    assert gone(server)


@pytest.mark.parametrize("network", ["open", "listed"])
def test_it_runs_in_the_sessions_box_and_is_reached_from_outside(
    hub: RunningHub, network: str
) -> None:
    config = f'{WEB}[services.deaf]\ncommand = "{IGNORES_TERM}"\n'
    session = opened(hub, config, **{"hello.txt": "boxed"})
    hub.act(session, "box", level="full", network=network)
    assert hub.show(session)["box"] == "full"
    hub.act(session, "services/start")
    web = becomes(hub, session, "web", "healthy")
    becomes(hub, session, "deaf", "healthy")
    assert fetched(f"http://127.0.0.1:{web['port']}/hello.txt") == b"boxed"
    [told] = of_type(hub.events(session), "box_entered")
    assert told["level"] == "full"
    hub.act(session, "services/stop")
    stopped = services(hub, session)
    assert {one["state"] for one in stopped.values()} == {"stopped"}
    assert not psutil.pid_exists(web["pid"])
    hub.act(session, "archive")


def test_ten_sessions_run_the_same_services_side_by_side(hub: RunningHub) -> None:
    first = opened(hub, WEB + '[services.work]\ncommand = "echo at work; exec sleep 600"\n')
    made = [hub.new("", name=f"s{n}", start=False, detach=True)["id"] for n in range(9)]
    sessions = [first, *made]
    for session in sessions:
        hub.wait_idle(session)
        (Path(hub.show(session)["worktree"]) / "who.txt").write_text(session)
        hub.act(session, "services/start")
    found = [becomes(hub, session, "web", "healthy") for session in sessions]
    assert len({web["port"] for web in found}) == len(sessions)
    for session, web in zip(sessions, found, strict=True):
        assert fetched(f"http://127.0.0.1:{web['port']}/who.txt") == session.encode()
        becomes(hub, session, "work", "healthy")
    # One that ends takes nothing from the others.
    hub.act(sessions[0], "archive")
    assert all(fetched(f"http://127.0.0.1:{web['port']}/") for web in found[1:])
    for session in sessions[1:]:
        hub.act(session, "archive")


def test_what_a_service_depends_on_is_well_first(hub: RunningHub) -> None:
    session = opened(
        hub,
        f"""[services.web]
command = "test -e ready && exec {SERVER}"
port = "web"
depends_on = ["data"]
[services.data]
command = "touch ready; echo up; exec sleep 600"
""",
    )
    hub.act(session, "services/start", name="web")
    becomes(hub, session, "web", "healthy")
    kinds = [
        (event["type"], event["name"])
        for event in hub.events(session)
        if event["type"] in ("service_started", "service_healthy")
    ]
    assert kinds.index(("service_healthy", "data")) < kinds.index(("service_started", "web"))
    hub.act(session, "archive")


def test_one_that_needs_a_crashed_one_says_so(hub: RunningHub) -> None:
    session = opened(
        hub,
        """[services.web]
command = "sleep 600"
depends_on = ["data"]
[services.data]
command = "echo no disk >&2; exit 3"
""",
    )
    hub.act(session, "services/start", name="web")
    data = becomes(hub, session, "data", "crashed")
    assert (data["exit_code"], data["tail"]) == (3, "no disk")
    assert "exit code 3" in data["reason"]
    assert "needs 'data'" in becomes(hub, session, "web", "crashed")["reason"]
    hub.act(session, "archive")


def test_a_crash_is_tried_again_where_that_is_asked_for(hub: RunningHub) -> None:
    session = opened(
        hub,
        """[services.shaky]
command = "echo x >> tries; test $(wc -l < tries) -ge 3 && exec sleep 600; exit 1"
restart = true
""",
    )
    hub.act(session, "services/start")
    shaky = becomes(hub, session, "shaky", "healthy")
    assert shaky["starts"] == 3
    ends = of_type(hub.events(session), "service_exited")
    assert [end["again_in"] for end in ends] == [0.5, 1.0]
    hub.act(session, "archive")


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ('[services.a]\ncommand = "x"\nport = "api"\n', "has not leased"),
        ('[services.a]\ncommand = "x"\ndepends_on = ["b"]\n', "no such service"),
        (
            """[services]
a = { command = "x", depends_on = ["b"] }
b = { command = "x", depends_on = ["a"] }
""",
            "a → b → a",
        ),
        ('[services.a]\ncommand = "x"\nhealth = "/up"\n', "has no port"),
        ("", "has no services"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_a_sentence(
    hub: RunningHub, config: str, words: str
) -> None:
    session = opened(hub, config)
    with pytest.raises(Refused) as refused:
        hub.act(session, "services/start")
    assert words in refused.value.message
    assert not [t for t in hub.types(session) if t.startswith(("service_", "keeper_"))]
    hub.act(session, "archive")


def test_a_command_that_is_not_there_is_named(hub: RunningHub) -> None:
    session = opened(hub, '[services.a]\ncommand = "no-such-program --x"\n')
    hub.act(session, "services/start")
    crashed = becomes(hub, session, "a", "crashed")
    assert crashed["exit_code"] == 127
    assert "no-such-program" in crashed["reason"]
    hub.act(session, "archive")


def test_one_that_never_gets_well_is_unhealthy_and_goes_on(hub: RunningHub) -> None:
    session = opened(
        hub,
        '[services.a]\ncommand = "sleep 600"\nport = "web"\ntimeout = 0.5\n',
    )
    hub.act(session, "services/start")
    ill = becomes(hub, session, "a", "unhealthy")
    assert "not well after 0.5 s" in ill["reason"]
    assert ill["pid"]
    hub.act(session, "archive")


def test_one_that_ignores_its_port_is_found(hub: RunningHub) -> None:
    command = f"{sys.executable} -m http.server --bind 127.0.0.1 0"
    session = opened(hub, f'[services.a]\ncommand = "{command}"\nport = "web"\n')
    hub.act(session, "services/start")
    ill = becomes(hub, session, "a", "unhealthy")
    assert "it ignores PORT" in ill["reason"]
    hub.act(session, "archive")


def test_one_that_takes_anothers_port_is_found_and_said_of_both(hub: RunningHub) -> None:
    first = opened(hub, '[services.a]\ncommand = "sh ./go"\nport = "web"\n', go=f"exec {SERVER}\n")
    second = str(hub.new("", name="second", start=False)["id"])
    port = hub.show(second)["ports"]["web"]
    # What an agent changes in a script runs in its box; the config itself would be asked about.
    (Path(hub.show(first)["worktree"]) / "go").write_text(f"PORT={port}; exec {SERVER}\n")
    hub.act(first, "services/start")
    assert "ignores PORT" in becomes(hub, first, "a", "unhealthy")["reason"]
    hub.act(second, "services/start")
    crashed = becomes(hub, second, "a", "crashed", "unhealthy")
    assert f"its port {port} is held by" in crashed["reason"]
    assert first in crashed["reason"]
    told = hub.wait_attention(first)
    assert (told["kind"], f"{port} of second" in told["summary"]) == ("bell", True)
    # It is over by itself, once that has ended for a while.
    hub.act(first, "services/stop")
    eventually(lambda: not hub.show(first)["attention"])
    hub.act(first, "archive")
    hub.act(second, "archive")


def test_whatever_it_started_ends_with_it(hub: RunningHub) -> None:
    """One that ignores TERM, and one that left group and parent."""
    run = "#!/bin/sh\n(setsid sleep 7654 >/dev/null 2>&1 &)\n" + IGNORES_TERM + "\n"
    session = opened(hub, '[services.deaf]\ncommand = "sh ./run"\n', run=run)
    hub.act(session, "services/start")
    deaf = becomes(hub, session, "deaf", "healthy")

    def escaped() -> list[psutil.Process]:
        found = []
        for process in psutil.process_iter():
            try:
                if process.environ().get("MANYHANDS_SESSION") == session:
                    found.append(process)
            except psutil.Error:
                continue
        return found

    eventually(lambda: len(escaped()) >= 3)
    left = escaped()
    hub.act(session, "services/stop", name="deaf")
    assert services(hub, session)["deaf"]["state"] == "stopped"
    assert all(gone(process) for process in left)
    assert not psutil.pid_exists(deaf["pid"])
    hub.act(session, "archive")


def test_after_a_killed_keeper_the_end_is_said_and_some_start_again(hub: RunningHub) -> None:
    session = opened(
        hub,
        """[services.self]
command = "exec sleep 600"
autostart = true
[services.asked]
command = "exec sleep 600"
""",
    )
    hub.act(session, "services/start")
    old = [psutil.Process(becomes(hub, session, n, "healthy")["pid"]) for n in ("self", "asked")]
    hub.keeper(session).kill()
    for name in ("self", "asked"):
        crashed = becomes(hub, session, name, "crashed")
        assert (crashed["pid"], "its keeper ended" in crashed["reason"]) == (None, True)
    assert all(gone(process) for process in old)
    hub.say(session, script({"text": "done"}))
    hub.wait_idle(session)
    becomes(hub, session, "self", "healthy")
    assert services(hub, session)["asked"]["state"] == "crashed"
    # What a person has stopped does not start by itself.
    hub.act(session, "services/stop", name="self")
    hub.keeper(session).kill()
    eventually(lambda: "keeper_exited" in hub.types(session)[-3:])
    hub.say(session, script({"text": "done"}))
    hub.wait_idle(session)
    assert services(hub, session)["self"]["state"] == "stopped"
    hub.act(session, "archive")


def test_a_changed_config_runs_nothing_until_a_person_has_looked(hub: RunningHub) -> None:
    session = opened(hub, WEB)
    worktree = Path(hub.show(session)["worktree"])
    (worktree / ".manyhands.toml").write_text('[services.web]\ncommand = "touch pwned"\n')
    with pytest.raises(Refused) as refused:
        hub.act(session, "services/start", name="web")
    assert "nothing runs before you have looked" in refused.value.message
    assert not (worktree / "pwned").exists()
    hub.answer(session, "trust")
    hub.act(session, "services/start", name="web")
    eventually((worktree / "pwned").exists)
    hub.act(session, "archive")


def test_found_services_are_offered_and_started_only_when_asked(hub: RunningHub) -> None:
    session = opened(
        hub, "", **{"Procfile": f"web: {SERVER}\nworker: exec sleep 600\n", "manage.py": "pass\n"}
    )
    found = services(hub, session)
    assert {name: one["state"] for name, one in found.items()} == {
        "web": "stopped",
        "worker": "stopped",
        "django": "stopped",
    }
    with pytest.raises(Refused) as refused:
        hub.act(session, "services/start")
    assert "several were found" in refused.value.message
    hub.act(session, "services/start", name="web")
    becomes(hub, session, "web", "healthy")
    assert services(hub, session)["worker"]["state"] == "stopped"
    hub.act(session, "archive")


def test_a_log_is_bounded_followed_and_holds_no_secret(hub: RunningHub) -> None:
    line = "echo line $i of a long story that goes on"
    flood = f"i=0; while [ $i -lt 60000 ]; do {line}; i=$((i+1)); done"
    run = f"#!/bin/sh\necho key ghp_{'a1B2' * 9}\n{flood}\necho over\nexec sleep 600\n"
    session = opened(hub, '[services.loud]\ncommand = "sh ./run"\n', run=run)
    hub.act(session, "services/start")
    eventually(lambda: "over" in log_of(hub, session, "loud"))
    folder = hub.home.sessions / session / "services" / "loud"
    kept = b"".join(path.read_bytes() for path in sorted(folder.iterdir()))
    assert len(kept) <= 4 * 512 * 1024
    last = hub.get(f"/api/sessions/{session}/services/loud/log")
    assert last["next"] > 4 * 512 * 1024
    assert b"ghp_a1B2a1B2" not in kept
    # Held open until there is more.
    waited = hub.get(f"/api/sessions/{session}/services/loud/log", after=last["next"], wait=0.2)
    assert (waited["text"], waited["next"]) == ("", last["next"])
    hub.act(session, "services/restart", name="loud")
    more = hub.get(f"/api/sessions/{session}/services/loud/log", after=last["next"], wait=25)
    assert more["text"]
    hub.act(session, "archive")
