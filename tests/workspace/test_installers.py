"""Lock files ask for their package manager, by a command that changes no lock."""

from __future__ import annotations

from pathlib import Path

import pytest

from manyhands.workspace.installers import detect, installer_of, lock_key
from manyhands.workspace.repo_config import RepoConfig, SetupTable
from manyhands.workspace.setup_plan import SetupCommand, left_to_do, load_plan, set_installed

COMMANDS = {
    "package-lock.json": "npm ci --no-audit --no-fund --prefer-offline",
    "npm-shrinkwrap.json": "npm ci --no-audit --no-fund --prefer-offline",
    "pnpm-lock.yaml": "CI=true pnpm install --frozen-lockfile --prefer-offline",
    "yarn.lock": "yarn install --frozen-lockfile",
    "bun.lock": "bun install --frozen-lockfile",
    "bun.lockb": "bun install --frozen-lockfile",
    "uv.lock": "uv sync --frozen",
    "poetry.lock": "POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-interaction",
    "requirements.txt": (
        "python3 -I -m venv .venv && .venv/bin/python -I -m pip install -r requirements.txt"
    ),
    "Cargo.lock": "cargo fetch --locked",
    "go.sum": "go mod download",
}


@pytest.mark.parametrize("lock", COMMANDS)
def test_a_lock_file_asks_for_its_manager(tmp_path: Path, lock: str) -> None:
    (tmp_path / lock).write_text("locked\n")
    assert [i.command for i in detect(tmp_path)] == [COMMANDS[lock]]


def test_a_newer_yarn_has_another_word_for_it(tmp_path: Path) -> None:
    (tmp_path / "yarn.lock").write_text("# header\n\n__metadata:\n  version: 8\n")
    assert [i.command for i in detect(tmp_path)] == ["yarn install --immutable"]


def test_one_manager_per_language_and_package_json_has_the_last_word(tmp_path: Path) -> None:
    for lock in ("package-lock.json", "yarn.lock", "uv.lock", "requirements.txt", "Cargo.lock"):
        (tmp_path / lock).write_text("locked\n")
    assert [i.name for i in detect(tmp_path)] == ["yarn", "uv", "cargo"]
    (tmp_path / "package.json").write_text('{"packageManager": "npm@10.2.0"}')
    assert [i.name for i in detect(tmp_path)] == ["npm", "uv", "cargo"]


def test_nothing_is_detected_where_nothing_is_locked(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text("{}")
    assert detect(tmp_path) == ()


def test_the_key_changes_with_the_lock_and_what_else_decides(tmp_path: Path) -> None:
    (tmp_path / "package-lock.json").write_text("one\n")
    [npm] = detect(tmp_path)
    keys = {lock_key(tmp_path, npm)}
    for name, text in (("package-lock.json", "two\n"), (".npmrc", "x=1\n"), ("package.json", "{}")):
        (tmp_path / name).write_text(text)
        keys.add(lock_key(tmp_path, npm))
    (tmp_path / "README.md").write_text("other\n")
    keys.add(lock_key(tmp_path, npm))
    assert len(keys) == 4


def test_a_configured_install_is_known_for_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "package-lock.json").write_text("one\n")
    assert installer_of("npm ci", tmp_path) is not None
    assert installer_of("npm ci && make", tmp_path) is None
    assert installer_of("pnpm install --frozen-lockfile", tmp_path) is None


def test_the_configured_commands_win_and_an_empty_list_means_none(tmp_path: Path) -> None:
    (tmp_path / "package-lock.json").write_text("one\n")
    chosen = load_plan(tmp_path, RepoConfig(setup=SetupTable(run=("make deps", "npm ci"))))
    assert [(c.text, c.installer) for c in chosen.commands] == [
        ("make deps", ""),
        ("npm ci", "npm"),
    ]
    assert load_plan(tmp_path, RepoConfig(setup=SetupTable(run=()))).commands == ()


def test_a_manager_that_is_not_installed_is_named_and_left_out(tmp_path: Path) -> None:
    (tmp_path / "Cargo.lock").write_text("locked\n")
    plan = load_plan(tmp_path, RepoConfig(), path=str(tmp_path))
    assert (plan.commands, plan.missing) == ((), ("cargo",))


def test_an_install_is_reused_only_with_the_same_lock_and_while_it_is_there(
    worktree: Path,
) -> None:
    (worktree / "package-lock.json").write_text("one\n")
    plan = load_plan(worktree, RepoConfig())
    assert left_to_do(worktree, plan) == plan.commands
    (worktree / "node_modules").mkdir()
    assert left_to_do(worktree, plan) == plan.commands
    set_installed(worktree, plan.commands[0])
    assert left_to_do(worktree, plan) == ()
    (worktree / "package-lock.json").write_text("two\n")
    moved = load_plan(worktree, RepoConfig())
    assert left_to_do(worktree, moved) == moved.commands
    (worktree / "package-lock.json").write_text("one\n")
    (worktree / "node_modules").rmdir()
    assert left_to_do(worktree, plan) == plan.commands


def test_a_command_without_a_product_is_never_taken_for_done(worktree: Path) -> None:
    set_installed(worktree, SetupCommand("make deps"))
    plan = load_plan(worktree, RepoConfig(setup=SetupTable(run=("make deps",))))
    assert left_to_do(worktree, plan) == plan.commands
