"""The page is built when its sources changed, by whatever Node there is."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import build_ui
import pytest

from tests.project.source_tree import ROOT

BUILD_SCRIPT = (
    "node -e \"const f=require('fs');const d='../src/manyhands/api/ui';"
    "f.mkdirSync(d,{recursive:true});f.writeFileSync(d+'/index.html','built')\""
)


@pytest.fixture
def page(tmp_path: Path) -> build_ui.Page:
    """A checkout whose page has no packages and a build of one line."""
    web = tmp_path / "web"
    web.mkdir()
    package = {"name": "page", "version": "0.0.0", "scripts": {"build": BUILD_SCRIPT}}
    (web / "package.json").write_text(json.dumps(package), encoding="utf-8")
    lock = {"name": "page", "version": "0.0.0", "lockfileVersion": 3, "packages": {}}
    (web / "package-lock.json").write_text(json.dumps(lock), encoding="utf-8")
    return build_ui.Page(tmp_path)


def fake_node(directory: Path, version: str) -> None:
    for name in ("node", "npm"):
        program = directory / name
        program.write_text(f"#!/bin/sh\necho {version}\n", encoding="utf-8")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)


def test_a_page_is_built_once_and_again_when_a_source_changes(page: build_ui.Page) -> None:
    assert build_ui.build(page)
    assert (page.built / "index.html").read_text(encoding="utf-8") == "built"
    assert not build_ui.build(page)
    (page.sources / "main.ts").write_text("1", encoding="utf-8")
    assert build_ui.build(page)


@pytest.mark.parametrize("name", ["node_modules/a/index.js", "dist/out.js", "a.tsbuildinfo"])
def test_what_git_ignores_leaves_the_digest_alone(page: build_ui.Page, name: str) -> None:
    before = build_ui.digest(page.sources)
    (page.sources / name).parent.mkdir(parents=True, exist_ok=True)
    (page.sources / name).write_text("x", encoding="utf-8")
    assert build_ui.digest(page.sources) == before


def test_a_renamed_source_changes_the_digest(page: build_ui.Page) -> None:
    (page.sources / "a.ts").write_text("x", encoding="utf-8")
    before = build_ui.digest(page.sources)
    (page.sources / "a.ts").rename(page.sources / "b.ts")
    assert build_ui.digest(page.sources) != before


def test_everything_digested_is_known_to_git() -> None:
    """Else a page built in a checkout would look stale in the sdist made from it."""
    files = [str(path) for path in build_ui.source_files(ROOT / "web")]
    ignored = subprocess.run(
        ["git", "check-ignore", "--stdin"],
        cwd=ROOT,
        input="\n".join(files),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ignored.stdout == ""


def test_a_failed_build_says_so_and_stays_stale(page: build_ui.Page) -> None:
    build_ui.build(page)
    (page.sources / "package.json").write_text('{"scripts": {"build": "exit 3"}}', "utf-8")
    with pytest.raises(build_ui.BuildFailed, match="npm run build"):
        build_ui.build(page)
    assert page.is_stale()


def test_a_page_without_a_lock_file_is_refused(page: build_ui.Page) -> None:
    (page.sources / "package-lock.json").unlink()
    with pytest.raises(build_ui.BuildFailed, match="not locked"):
        build_ui.build(page)


@pytest.mark.parametrize(
    ("version", "suitable"),
    [
        ("v18.20.0", False),
        ("v20.18.9", False),
        ("v20.19.0", True),
        ("v21.7.0", False),
        ("v22.11.0", False),
        ("v22.12.0", True),
        ("v24.0.0", True),
        ("", False),
        ("nonsense", False),
    ],
)
def test_the_bundler_knows_which_node_it_runs_on(version: str, suitable: bool) -> None:
    assert build_ui.is_suitable(version) is suitable


def test_an_old_node_on_the_path_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_node(tmp_path, "v18.0.0")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert build_ui.node_on_path() is None
    fake_node(tmp_path, "v24.1.0")
    found = build_ui.node_on_path()
    assert found is not None
    assert found.directory == tmp_path


def required_for_build(root: Path, path: str) -> str:
    """What the build backend asks for beyond hatchling, as pip would learn it."""
    code = "import hatchling.build as b; print(b.get_requires_for_build_wheel())"
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=root,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    ).stdout


def test_node_is_asked_of_pypi_only_for_a_stale_page_without_node(
    page: build_ui.Page, tmp_path: Path
) -> None:
    for name in ("pyproject.toml", "hatch_build.py", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "README.md").write_text("", encoding="utf-8")
    (tmp_path / "scripts").mkdir()
    shutil.copy(ROOT / "scripts" / "build_ui.py", tmp_path / "scripts")
    nodeless = tmp_path / "nodeless"
    nodeless.mkdir()
    expected = build_ui.node_from_wheel() is None
    assert ("nodejs" in required_for_build(tmp_path, str(nodeless))) is expected
    build_ui.build(page)
    assert "nodejs" not in required_for_build(tmp_path, str(nodeless))
