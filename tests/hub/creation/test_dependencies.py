"""Spares with the base's dependencies in them: imports and scripts work where the session is.

Every package is a file of the repository itself, so that nothing comes from a network.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.driver import eventually, of_type
from tests.support.package_managers import NPMRC
from tests.support.pool_hub import MakeHub, PoolHub

pytestmark = pytest.mark.timeout(300)
WHEEL = "wheels/dep-{version}-py3-none-any.whl"
PYPROJECT = """\
[project]
name = "sample"
version = "1.0"
requires-python = ">=3.11"
dependencies = ["dep"]
[tool.uv.sources]
dep = {{ path = "{wheel}" }}
"""


def run(*argv: str, cwd: Path, home: Path) -> str:
    env = {"PATH": os.environ["PATH"], "HOME": str(home)}
    done = subprocess.run(
        argv, cwd=cwd, env=env, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, (argv, done.stdout, done.stderr)
    return done.stdout.strip()


def wheel(version: str, folder: Path) -> str:
    """A wheel with a module and a console script; its name in the repository."""
    info = f"dep-{version}.dist-info"
    files = {
        "dep.py": f"version = '{version}'\ndef main():\n    print('script', version)\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: dep\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": "[console_scripts]\ndep = dep:main\n",
    }
    record = "".join(f"{name},,\n" for name in [*files, f"{info}/RECORD"])
    place = folder / WHEEL.format(version=version)
    place.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(place, "w") as archive:
        for name, text in {**files, f"{info}/RECORD": record}.items():
            archive.writestr(name, text)
    return WHEEL.format(version=version)


def node_project(hub: PoolHub, version: str, lock: list[str]) -> None:
    package = {"name": "dep", "version": version, "main": "index.js", "bin": {"dep": "bin.js"}}
    files = {
        "dep/package.json": json.dumps(package),
        "dep/index.js": f"module.exports = '{version}';\n",
        "dep/bin.js": "#!/usr/bin/env node\nconsole.log('script', require('./index.js'));\n",
        "package.json": json.dumps(
            {
                "name": "sample",
                "version": "1.0.0",
                "scripts": {"hello": "dep"},
                "dependencies": {"dep": f"file:./dep-{version}.tgz"},
            }
        ),
        ".gitignore": "node_modules/\n",
    }
    for name, text in files.items():
        (hub.repo / name).parent.mkdir(exist_ok=True)
        (hub.repo / name).write_text(text)
    (hub.repo / "dep/bin.js").chmod(0o755)
    run("npm", "pack", "--silent", "./dep", cwd=hub.repo, home=hub.user)
    run(*lock, cwd=hub.repo, home=hub.user)
    finish(hub)


def python_project(hub: PoolHub, version: str, lock: list[str]) -> None:
    name = wheel(version, hub.repo)
    (hub.repo / ".gitignore").write_text(".venv/\n")
    if lock:
        (hub.repo / "pyproject.toml").write_text(PYPROJECT.format(wheel=name))
        run(*lock, cwd=hub.repo, home=hub.user)
    else:
        (hub.repo / "requirements.txt").write_text(f"--no-index\n./{name}\n")
    finish(hub)


def finish(hub: PoolHub, *, trust: bool = True) -> None:
    hub.git("add", "-A", cwd=hub.repo)
    hub.git("commit", "-q", "-m", "Dependencies", cwd=hub.repo)
    if trust:
        hub.post("/api/repos/trust", {"path": str(hub.repo)})


LOCK = ["npm", "install", "--package-lock-only", "--offline", "--silent"]
PROJECTS: dict[str, Callable[[PoolHub, str], None]] = {
    "npm": lambda hub, v: node_project(hub, v, LOCK),
    "pnpm": lambda hub, v: node_project(
        hub, v, ["pnpm", "install", "--lockfile-only", "--offline", "--silent"]
    ),
    "uv": lambda hub, v: python_project(hub, v, ["uv", "lock", "-q", "--offline"]),
    "pip": lambda hub, v: python_project(hub, v, []),
}


def require_working(hub: PoolHub, place: Path, manager: str, version: str) -> None:
    """The import and the script, run as a person would in the worktree."""
    if manager in ("npm", "pnpm"):
        code = "console.log(require('dep'))"
        assert run("node", "-e", code, cwd=place, home=hub.user) == version
        said = run(manager, "run", "--silent", "hello", cwd=place, home=hub.user)
    else:
        python = str(place / ".venv/bin/python")
        code = "import dep, sys; print(dep.version, sys.prefix)"
        assert run(python, "-c", code, cwd=place, home=hub.user) == f"{version} {place}/.venv"
        said = run(str(place / ".venv/bin/dep"), cwd=place, home=hub.user)
    assert said == f"script {version}"


@pytest.mark.parametrize("manager", PROJECTS)
def test_a_spare_has_the_dependencies_where_it_stays(
    make_hub: MakeHub,
    package_managers: str,
    monkeypatch: pytest.MonkeyPatch,
    manager: str,
) -> None:
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}:{package_managers}")
    hub = make_hub("pool = 1")
    (hub.user / ".npmrc").write_text(NPMRC)
    PROJECTS[manager](hub, "1.0.0")
    first = hub.plain("Opens the pool")
    hub.wait(first["id"])
    spare = hub.await_installed()
    assert spare["installed"].startswith(f"{manager}:"), spare
    session = hub.plain("Ready at once")
    assert session["worktree"] == spare["worktree"]
    hub.wait(session["id"])
    require_working(hub, Path(session["worktree"]), manager, "1.0.0")
    finished = of_type(hub.events(session["id"]), "setup_finished")
    assert [e["outcome"] for e in finished] in ([], ["reused"]), finished
    assert hub.git("status", "--porcelain", cwd=Path(session["worktree"])) == ""


def test_a_spare_is_installed_anew_when_the_lock_moves(make_hub: MakeHub) -> None:
    if not shutil.which("npm"):
        pytest.skip("npm is not installed")
    hub = make_hub("pool = 1")
    PROJECTS["npm"](hub, "1.0.0")
    hub.wait(hub.plain("Opens the pool")["id"])
    before = hub.await_installed()
    PROJECTS["npm"](hub, "2.0.0")
    newest = hub.git("rev-parse", "HEAD", cwd=hub.repo).strip()
    eventually(lambda: [s["commit"] for s in hub.ready_spares()] == [newest])
    after = hub.ready_spares()[0]
    assert after["worktree"] == before["worktree"]
    assert after["installed"] != before["installed"]
    session = hub.plain("With the new one")
    assert session["worktree"] == after["worktree"]
    require_working(hub, Path(session["worktree"]), "npm", "2.0.0")


def test_a_pulled_dependency_runs_nothing_before_somebody_has_looked(
    make_hub: MakeHub, tmp_path: Path
) -> None:
    if not shutil.which("npm"):
        pytest.skip("npm is not installed")
    hub, evil = make_hub("pool = 1"), tmp_path / "evil"
    PROJECTS["npm"](hub, "1.0.0")
    hub.wait(hub.plain("Opens the pool")["id"])
    before = hub.await_installed()
    # As a pull brings it: the project's own files name nothing new but a package and its lock.
    outside = tmp_path / "evil-package"
    outside.mkdir()
    about = {"name": "evil", "version": "1.0.0", "scripts": {"postinstall": f"touch {evil}"}}
    (outside / "package.json").write_text(json.dumps(about))
    run("npm", "pack", "--silent", str(outside), cwd=hub.repo, home=hub.user)
    package = json.loads((hub.repo / "package.json").read_text())
    package["dependencies"]["evil"] = "file:./evil-1.0.0.tgz"
    (hub.repo / "package.json").write_text(json.dumps(package))
    run(*LOCK, cwd=hub.repo, home=hub.user)
    finish(hub, trust=False)
    newest = hub.git("rev-parse", "HEAD", cwd=hub.repo).strip()
    session = hub.plain("Moves the base", base=before["commit"])
    hub.wait(session["id"])
    eventually(lambda: [s["commit"] for s in hub.ready_spares()] == [newest])
    [spare] = hub.ready_spares()
    assert spare["installed"] == ""
    assert "without dependencies: nobody has approved" in spare["note"]
    assert "package-lock.json" in spare["note"]
    assert not evil.exists()
    held = hub.plain("With it")
    item = hub.wait_attention(held["id"])
    assert item["kind"] == "trust"
    assert {"package-lock.json", "package.json dependencies"} == set(item["detail"]["files"])
    assert "+" in item["detail"]["difference"]
    assert not evil.exists()
    hub.answer(held["id"], "trust")
    hub.wait_idle(held["id"])
    assert evil.exists(), "the test's own package would have run nothing"
    eventually(lambda: [bool(s["installed"]) for s in hub.ready_spares()] == [True])
