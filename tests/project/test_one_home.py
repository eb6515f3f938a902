"""Each dangerous call has one home: the lint forbids it elsewhere, and a home gets only its own."""

from __future__ import annotations

import json
import subprocess
import sysconfig
import tomllib

import pytest

from tests.project.source_tree import PACKAGE, ROOT

RUFF = f"{sysconfig.get_path('scripts')}/ruff"
SPAWNING = {
    "anyio.open_process",
    "anyio.run_process",
    "asyncio.create_subprocess_exec",
    "asyncio.create_subprocess_shell",
    "multiprocessing",
    "os.fork",
    "os.forkpty",
    "os.kill",
    "os.killpg",
    "os.popen",
    "os.posix_spawn",
    "os.posix_spawnp",
    "os.system",
    "psutil.Popen",
    "pty",
    "signal.pidfd_send_signal",
    "signal.pthread_kill",
    "subprocess",
}
SQLITE = {"apsw", "sqlite3"}
ENVIRONMENT = {"os.environ", "os.environb", "os.getenv", "os.putenv"}
CLOCK = {
    "datetime.date.today",
    "datetime.datetime.now",
    "datetime.datetime.today",
    "datetime.datetime.utcnow",
    "time.time",
    "time.time_ns",
}
TASKS = {"asyncio.create_task", "asyncio.ensure_future"}
HOMES = {
    "process/": SPAWNING,
    "git/runner.py": {"subprocess", "os.killpg", "pygit2"},
    "git/": {"pygit2"},
    "keeper/nursery.py": {"os.fork"},
    "store/": SQLITE,
    "config.py": ENVIRONMENT,
    "model/clock.py": CLOCK,
}


def run_ruff(*arguments: str, code: str | None = None) -> list[dict[str, str]]:
    ruff = [RUFF, "check", "--no-cache", "--output-format", "json"]
    done = subprocess.run(
        [*ruff, "--select", "TID251", *arguments],
        cwd=ROOT,
        input=code,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    found: list[dict[str, str]] = json.loads(done.stdout)
    return found


def banned_names() -> set[str]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return set(settings["tool"]["ruff"]["lint"]["flake8-tidy-imports"]["banned-api"])


def allowed_in(file: str) -> set[str]:
    """What the first home that fits may use; nothing anywhere else."""
    return next((names for home, names in HOMES.items() if file.startswith(home)), set())


def test_every_ban_has_a_home_or_is_absolute() -> None:
    assert banned_names() == set().union(*HOMES.values()) | TASKS


@pytest.mark.parametrize("name", sorted(banned_names()))
def test_the_lint_bites_outside_a_home(name: str) -> None:
    module, _, attribute = name.rpartition(".")
    code = f"from {module} import {attribute}\n" if module else f"import {name}\n"
    if name.startswith("datetime."):
        code = f"import datetime\n{name}()\n"
    assert run_ruff("--stdin-filename", "src/manyhands/hub/example.py", "-", code=code)


def test_a_home_makes_only_its_own_calls() -> None:
    strangers = []
    for finding in run_ruff("--config", "lint.per-file-ignores = {}", str(PACKAGE)):
        file = finding["filename"].split("src/manyhands/", 1)[1]
        name = finding["message"].split("`")[1]
        if name not in allowed_in(file):
            strangers.append(f"{file}: {name}")
    assert not strangers


def test_no_module_silences_the_rule_for_itself() -> None:
    # Assembled, or this very line would be the first finding.
    silencer = "noqa: " + "TID251"
    silent = [path for path in PACKAGE.rglob("*.py") if silencer in path.read_text("utf-8")]
    assert not silent
