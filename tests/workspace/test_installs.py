"""npm, pnpm, uv and pip at work: what they install runs at its place, and the second is quick.

The packages are made here and lie in a directory, so that only the managers themselves come
from outside.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.driver import of_type
from tests.support.package_managers import NPMRC
from tests.support.workspace_hub import WorkspaceHub, machine_variables

pytestmark = pytest.mark.timeout(600)
MakeHub = Callable[..., WorkspaceHub]
PASSED = (
    "NODE_EXTRA_CA_CERTS",
    "SSL_CERT_FILE",
    "PIP_FIND_LINKS",
    "PIP_CERT",
    "PIP_INDEX_URL",
    "PIP_EXTRA_INDEX_URL",
    "UV_FIND_LINKS",
    "UV_INDEX_URL",
)
INDEX = 'module.exports = () => "hello from greet";\n'
MAIN = 'console.log(require("greet")());\n'
GITIGNORE = "node_modules/\n.venv/\n*.egg-info/\n"
PYPROJECT = """\
[project]
name = "app"
version = "1"
requires-python = ">=3.11"
dependencies = ["greet"]
[tool.uv]
package = false
[tool.uv.sources]
greet = { path = "greet" }
"""
GREET = """\
[project]
name = "greet"
version = "1"
[project.scripts]
greet = "greet:main"
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
"""
# A build backend of the standard library only: nothing need be fetched to build the package.
BACKEND = r"""
import zipfile
NAME = "greet-1-py3-none-any.whl"
INFO = "greet-1.dist-info/"
FILES = {
    "greet.py": "def main():\n    print('hello from greet')\n",
    INFO + "METADATA": "Metadata-Version: 2.1\nName: greet\nVersion: 1\n",
    INFO + "WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    INFO + "entry_points.txt": "[console_scripts]\ngreet = greet:main\n",
    INFO + "RECORD": "greet.py,,\n" + INFO + "RECORD,,\n",
}
def get_requires_for_build_wheel(config_settings=None):
    return []
def build_wheel(directory, config_settings=None, metadata_directory=None):
    with zipfile.ZipFile(directory + "/" + NAME, "w") as wheel:
        for name, text in FILES.items():
            wheel.writestr(name, text)
    return NAME
"""


@pytest.fixture
def hub(make_hub: MakeHub, package_managers: str, monkeypatch: pytest.MonkeyPatch) -> WorkspaceHub:
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}:{package_managers}")
    hub = make_hub()
    hub.configure(re.sub("pass = .*", f"pass = {json.dumps(PASSED)}", hub.home.config.read_text()))
    hub.passed = machine_variables(*PASSED)
    hub.restart()
    (hub.user / ".npmrc").write_text(NPMRC)
    return hub


def run(place: Path, *argv: str) -> str:
    return subprocess.run(
        argv, cwd=place, check=True, capture_output=True, text=True, timeout=60
    ).stdout.strip()


def install(hub: WorkspaceHub, name: str) -> tuple[Path, Any]:
    """A session whose setup is done; its worktree, and how the setup ended."""
    session: Any = hub.open_session(name)
    waited = hub.wait(session["id"], seconds=250)
    assert waited["outcome"] == "reached", hub.events(session["id"])
    [finished] = of_type(hub.events(session["id"]), "setup_finished")
    return Path(session["worktree"]), finished


def node_project(hub: WorkspaceHub, lock: list[str]) -> None:
    package = {"name": "app", "version": "1.0.0", "dependencies": {"greet": "file:greet-1.0.0.tgz"}}
    greet = {"name": "greet", "version": "1.0.0", "main": "index.js", "bin": {"greet": "bin.js"}}
    source = hub.root / "greet"
    source.mkdir()
    (source / "package.json").write_text(json.dumps(greet))
    (source / "index.js").write_text(INDEX)
    (source / "bin.js").write_text('#!/usr/bin/env node\nconsole.log(require("./index.js")());\n')
    env = {**os.environ, "HOME": str(hub.user), **hub.passed}
    subprocess.run(
        ["npm", "pack", str(source)], cwd=hub.repo, env=env, check=True, capture_output=True
    )
    (hub.repo / "package.json").write_text(json.dumps(package))
    (hub.repo / "main.js").write_text(MAIN)
    (hub.repo / ".gitignore").write_text(GITIGNORE)
    subprocess.run(lock, cwd=hub.repo, env=env, check=True, capture_output=True, timeout=250)
    hub.write({})
    hub.trust()


@pytest.mark.parametrize(
    ("manager", "lock"),
    [
        ("npm", ["npm", "install", "--package-lock-only", "--no-audit", "--no-fund"]),
        ("pnpm", ["pnpm", "install", "--lockfile-only"]),
    ],
)
def test_a_node_project_imports_and_runs_what_was_installed(
    hub: WorkspaceHub, manager: str, lock: list[str]
) -> None:
    node_project(hub, lock)
    for name in ("first", "second"):
        place, finished = install(hub, name)
        assert finished["outcome"] in ("done", "reused")
        assert run(place, "node", "main.js") == "hello from greet"
        assert run(place, "node_modules/.bin/greet") == "hello from greet"
        assert hub.git("status", "--porcelain", cwd=place) == ""
    (place / "node_modules/greet/other.js").write_text("edited in one session\n")
    assert not list((hub.home.worktrees / "repo").glob("*/node_modules/greet/other.js"))[1:]


def python_project(hub: WorkspaceHub) -> None:
    for name, text in {
        "greet/pyproject.toml": GREET,
        "greet/backend.py": BACKEND,
        ".gitignore": GITIGNORE,
    }.items():
        (hub.repo / name).parent.mkdir(exist_ok=True)
        (hub.repo / name).write_text(text)


def require_python_works(place: Path) -> None:
    said = run(place, ".venv/bin/python", "-c", "import greet; greet.main()")
    assert said == run(place, ".venv/bin/greet") == "hello from greet"
    assert run(place, ".venv/bin/python", "-c", "import sys; print(sys.prefix)") == str(
        place / ".venv"
    )


def test_uv_makes_an_environment_that_works_at_its_place(hub: WorkspaceHub) -> None:
    python_project(hub)
    (hub.repo / "pyproject.toml").write_text(PYPROJECT)
    env = {**os.environ, "HOME": str(hub.user), **hub.passed}
    subprocess.run(["uv", "lock"], cwd=hub.repo, env=env, check=True, capture_output=True)
    hub.write({})
    hub.trust()
    for name in ("first", "second"):
        place, finished = install(hub, name)
        assert finished["outcome"] == "done"
        require_python_works(place)


def test_pip_makes_an_environment_that_works_at_its_place(hub: WorkspaceHub) -> None:
    python_project(hub)
    hub.write({"requirements.txt": "./greet\n"})
    hub.trust()
    place, finished = install(hub, "first")
    assert finished["outcome"] == "done"
    require_python_works(place)
