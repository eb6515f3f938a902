"""Several sessions that want the same dependencies: one install, which the others take over.

The package's own install script waits at a gate, so that a test decides when it ends, and how.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.hub.creation.test_dependencies import LOCK, PROJECTS, finish, require_working, run
from tests.support.driver import Json, eventually, of_type
from tests.support.package_managers import NPMRC
from tests.support.pool_hub import MakeHub, PoolHub

pytestmark = pytest.mark.timeout(300)
GATE = """\
const fs = require("fs"), at = process.env.INIT_CWD;
fs.writeFileSync(at + "/begun.local", String(process.pid));
const never = new Int32Array(new SharedArrayBuffer(4));
while (!fs.existsSync(at + "/go.local")) Atomics.wait(never, 0, 0, 20);
fs.writeFileSync("made.txt", "as it was installed in " + at + "\\n");
process.exit(fs.existsSync(at + "/fail.local") ? 1 : 0);
"""


def gated_project(hub: PoolHub, version: str = "1.0.0", scripts: Json | None = None) -> None:
    package = {
        "name": "dep",
        "version": version,
        "main": "index.js",
        "scripts": {"install": "node gate.js"},
    }
    files = {
        "dep/package.json": json.dumps(package),
        "dep/index.js": f"module.exports = '{version}';\n",
        "dep/gate.js": GATE,
        "package.json": json.dumps(
            {
                "name": "sample",
                "version": "1.0.0",
                "scripts": scripts or {},
                "dependencies": {"dep": f"file:./dep-{version}.tgz"},
            }
        ),
        ".gitignore": "node_modules/\n*.local\n/dep/\n",
    }
    for name, text in files.items():
        (hub.repo / name).parent.mkdir(exist_ok=True)
        (hub.repo / name).write_text(text)
    run("npm", "pack", "--silent", "./dep", cwd=hub.repo, home=hub.user)
    run(*LOCK, cwd=hub.repo, home=hub.user)
    finish(hub)


def begin(hub: PoolHub, *names: str, **more: Any) -> list[Json]:
    with ThreadPoolExecutor(len(names)) as threads:
        made = threads.map(lambda name: hub.plain(name, **more), names)
        return list(made)


def place(session: Json) -> Path:
    return Path(session["worktree"])


def begun(sessions: list[Json]) -> list[Json]:
    """Those in which the package's own script runs, or ran."""
    return [s for s in sessions if (place(s) / "begun.local").exists()]


def output(hub: PoolHub, session: Json) -> str:
    return "".join(event["text"] for event in of_type(hub.events(session["id"]), "setup_output"))


def outcomes(hub: PoolHub, session: Json) -> list[str]:
    return [event["outcome"] for event in of_type(hub.events(session["id"]), "setup_finished")]


def await_one_maker(hub: PoolHub, sessions: list[Json]) -> tuple[Json, list[Json]]:
    """The session that installs, and those that wait for it."""

    def all_wait() -> bool:
        waiting = [s for s in sessions if "Waits for the same install" in output(hub, s)]
        return len(begun(sessions)) == 1 and len(waiting) == len(sessions) - 1

    eventually(all_wait)
    [maker] = begun(sessions)
    return maker, [s for s in sessions if s["id"] != maker["id"]]


def let_go(*sessions: Json) -> None:
    for session in sessions:
        (place(session) / "go.local").touch()


def require_installed(hub: PoolHub, session: Json, version: str = "1.0.0") -> None:
    code = "console.log(require('dep'))"
    assert run("node", "-e", code, cwd=place(session), home=hub.user) == version
    assert (place(session) / "node_modules/dep/made.txt").read_text() == (
        f"as it was installed in {session['worktree']}\n"
    )
    assert hub.git("status", "--porcelain", cwd=place(session)) == ""


def test_five_at_once_make_one_install_and_each_has_its_own_to_change(hub: PoolHub) -> None:
    gated_project(hub)
    sessions = begin(hub, *(f"Number {n}" for n in range(5)))
    maker, others = await_one_maker(hub, sessions)
    assert hub.show(others[0]["id"])["progress"].startswith("Waits for the same install")
    assert {hub.show(s["id"])["status"] for s in sessions} == {"preparing"}
    let_go(maker)
    hub.wait_idle(*(s["id"] for s in sessions))
    assert begun(sessions) == [maker]
    assert outcomes(hub, maker) == ["done"]
    for session in others:
        assert outcomes(hub, session) == ["reused"]
        assert "Taken over from another worktree" in output(hub, session)
    for session in sessions:
        require_installed(hub, session)
    (place(maker) / "node_modules/dep/index.js").write_text("module.exports = 'edited';\n")
    for session in others:
        require_installed(hub, session)


def test_where_the_install_fails_each_that_waited_tries_for_itself(hub: PoolHub) -> None:
    gated_project(hub)
    sessions = begin(hub, "One", "Two", "Three")
    maker, others = await_one_maker(hub, sessions)
    (place(maker) / "fail.local").touch()
    let_go(*sessions)
    hub.wait_idle(*(s["id"] for s in others))
    item = hub.wait_attention(maker["id"])
    assert item["kind"] == "setup_failed"
    assert len(begun(sessions)) == 3
    for session in others:
        assert outcomes(hub, session) == ["done"]
        require_installed(hub, session)
    (place(maker) / "fail.local").unlink()
    hub.answer(maker["id"], "retry")
    hub.wait_idle(maker["id"])
    require_installed(hub, maker)


def test_an_install_that_is_killed_holds_nobody_up(hub: PoolHub) -> None:
    gated_project(hub)
    sessions = begin(hub, "One", "Two", "Three")
    maker, others = await_one_maker(hub, sessions)
    let_go(*others)
    for process in hub.processes():
        if "gate.js" in " ".join(process.cmdline()):
            process.send_signal(signal.SIGKILL)
    hub.wait_idle(*(s["id"] for s in others))
    assert hub.wait_attention(maker["id"])["kind"] == "setup_failed"
    for session in others:
        require_installed(hub, session)


def test_one_that_is_called_off_while_it_installs_leaves_it_to_the_next(hub: PoolHub) -> None:
    gated_project(hub)
    sessions = begin(hub, "One", "Two", "Three")
    maker, others = await_one_maker(hub, sessions)
    [job] = [job for job in hub.get("/api/jobs") if job["session"] == maker["id"]]
    hub.post(f"/api/jobs/{job['id']}/cancel", {})
    eventually(lambda: len(begun(others)) == 1)
    [next_one] = begun(others)
    let_go(next_one)
    hub.wait_idle(*(s["id"] for s in others))
    assert begun(others) == [next_one]
    for session in others:
        require_installed(hub, session)


def test_a_hub_that_dies_while_they_wait_carries_all_of_them_on(hub: PoolHub) -> None:
    gated_project(hub)
    sessions = begin(hub, "One", "Two", "Three")
    maker, _ = await_one_maker(hub, sessions)
    hub.kill()
    hub.start()
    (place(maker) / "begun.local").unlink()
    eventually(lambda: len(begun(sessions)) >= 1)
    let_go(*sessions)
    hub.wait_idle(*(s["id"] for s in sessions))
    for session in sessions:
        require_installed(hub, session)


def test_other_locks_are_never_shared(hub: PoolHub) -> None:
    gated_project(hub)
    older = hub.git("rev-parse", "HEAD", cwd=hub.repo).strip()
    gated_project(hub, "2.0.0")
    [first] = begin(hub, "Older", base=older)
    [second] = begin(hub, "Newer")
    eventually(lambda: len(begun([first, second])) == 2)
    let_go(first, second)
    hub.wait_idle(first["id"], second["id"])
    require_installed(hub, first, "1.0.0")
    require_installed(hub, second, "2.0.0")
    assert outcomes(hub, first) == outcomes(hub, second) == ["done"]


def test_what_the_project_itself_wants_run_is_run_in_each(hub: PoolHub) -> None:
    gated_project(
        hub, scripts={"prepare": "pwd > prepared.local", "postinstall": "pwd > after.local"}
    )
    sessions = begin(hub, "One", "Two")
    maker, _ = await_one_maker(hub, sessions)
    let_go(maker)
    hub.wait_idle(*(s["id"] for s in sessions))
    assert begun(sessions) == [maker]
    for session in sessions:
        for name in ("prepared.local", "after.local"):
            assert (place(session) / name).read_text().strip() == session["worktree"]


def test_beside_an_agent_an_install_is_not_handed_over(hub: PoolHub) -> None:
    (hub.repo / ".manyhands.toml").write_text('[setup]\nstart = "early"\n')
    gated_project(hub)
    sessions = begin(hub, "One", "Two")
    eventually(lambda: len(begun(sessions)) == 2)
    let_go(*sessions)
    eventually(lambda: [outcomes(hub, s) for s in sessions] == [["done"], ["done"]])


@pytest.mark.parametrize(
    ("manager", "box"), [("npm", "none"), ("pip", "none"), *((name, "full") for name in PROJECTS)]
)
def test_what_a_spare_has_installed_others_take_over_and_it_works_where_they_are(
    make_hub: MakeHub,
    package_managers: str,
    monkeypatch: pytest.MonkeyPatch,
    manager: str,
    box: str,
) -> None:
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}:{package_managers}")
    hub = make_hub(f'pool = 1\n[box]\nlevel = "{box}"')
    (hub.user / ".npmrc").write_text(NPMRC)
    PROJECTS[manager](hub, "1.0.0")
    spare = hub.await_installed()
    assert spare["installed"].startswith(f"{manager}:"), spare
    sessions = begin(hub, "One", "Two", "Three")
    hub.wait_idle(*(s["id"] for s in sessions))
    taken = [s for s in sessions if "Taken over" in output(hub, s)]
    assert taken, [output(hub, s) for s in sessions]
    for session in sessions:
        require_working(hub, place(session), manager, "1.0.0")
        assert hub.git("status", "--porcelain", cwd=place(session)) == ""
    for session in taken:
        product = "node_modules" if manager in ("npm", "pnpm") else ".venv"
        found = run_any(
            "grep", "-rlF", "--exclude=*.pyc", spare["worktree"], product, cwd=place(session)
        )
        assert found == "", found


def run_any(*argv: str, cwd: Path) -> str:
    """What a program prints, however it ends."""
    return subprocess.run(argv, cwd=cwd, capture_output=True, text=True, check=False).stdout
