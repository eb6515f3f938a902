"""Services that a worktree offers without a config, read and never run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from manyhands.workspace.found_services import find_services

PORTS = {"web": 4100, "api": 4101}


def found(root: Path) -> dict[str, tuple[str, int]]:
    return {spec.name: (spec.command, spec.port) for spec in find_services(root, PORTS)}


@pytest.mark.parametrize(
    ("lock", "run"),
    [
        ("package-lock.json", "npm run dev"),
        ("pnpm-lock.yaml", "pnpm run dev"),
        ("yarn.lock", "yarn run dev"),
    ],
)
def test_scripts_are_run_by_the_package_manager_of_the_lock(
    tmp_path: Path, lock: str, run: str
) -> None:
    scripts = {"dev": "vite", "build": "vite build", "test": "vitest"}
    (tmp_path / "package.json").write_text(json.dumps({"scripts": scripts}))
    (tmp_path / lock).touch()
    assert found(tmp_path) == {"dev": (run, 4100)}


def test_each_tool_is_found_and_each_name_is_there_once(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text('{"scripts": {"start": "node ."}}')
    (tmp_path / "Procfile").write_text("web: gunicorn app\n# no\nWork_er: celery\nstart: x\n")
    (tmp_path / "manage.py").write_text("run()")
    (tmp_path / "mix.exs").write_text("{:phoenix, '1'}")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/rails").write_text("#!ruby")
    (tmp_path / "compose.yaml").write_text("services: {}")
    assert found(tmp_path) == {
        "start": ("npm run start", 4100),
        "web": ("gunicorn app", 4100),
        "work_er": ("celery", 0),
        "procfile-start": ("x", 0),
        "django": ('python3 manage.py runserver "127.0.0.1:$PORT"', 4100),
        "phoenix": ("mix phx.server", 4100),
        "rails": ('bin/rails server -b 127.0.0.1 -p "$PORT"', 4100),
        "compose": ("docker compose up", 0),
    }


@pytest.mark.parametrize("text", ["", "[]", "{", '{"scripts": []}', '{"scripts": {"dev": 3}}'])
def test_what_cannot_be_read_offers_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "package.json").write_text(text)
    assert found(tmp_path) == {}


def test_a_link_out_of_the_worktree_offers_nothing(tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("web: x\n")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "Procfile").symlink_to(tmp_path / "outside")
    assert found(inside) == {}
