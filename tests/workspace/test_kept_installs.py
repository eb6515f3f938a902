"""What one worktree installed, led to another place: whole, and never half."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from manyhands.errors import NotPossible
from manyhands.workspace.kept_installs import keep, products_in, take


def put(path: Path, content: str | bytes, mode: int = 0o644) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    path.chmod(mode)
    return path


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path, Path, Path]:
    """A worktree with an install, another one, where it is kept, and where parts are made."""
    first, second = tmp_path / "amber elm-1", tmp_path / "brisk fox-22"
    second.mkdir()
    put(first / ".venv/bin/run", f"#!/bin/sh\necho '{first}/.venv' '{first}0'\n", 0o555)
    put(first / ".venv/info.json", f'{{"url": "file://{str(first).replace(" ", "%20")}/x"}}')
    put(first / ".venv/plain.txt", "plain\n")
    put(first / ".venv/lib/a.pyc", b"\0" + str(first).encode())
    (first / ".venv/away").symlink_to(first / "src")
    (first / ".venv/near").symlink_to("plain.txt")
    return first, second, tmp_path / "kept/key", tmp_path / "parts"


Places = tuple[Path, Path, Path, Path]


def test_what_names_the_place_names_the_new_one(places: Places) -> None:
    first, second, kept, parts = places
    before = (first / ".venv/bin/run").stat()
    keep(first, ".venv", kept, parts)
    take(kept, second, parts)
    done = subprocess.run([second / ".venv/bin/run"], capture_output=True, text=True, check=True)
    assert done.stdout == f"{second}/.venv {first}0\n"
    assert str(second).replace(" ", "%20") in (second / ".venv/info.json").read_text()
    assert (second / ".venv/away").readlink() == second / "src"
    assert (second / ".venv/near").readlink() == Path("plain.txt")
    after = (second / ".venv/bin/run").stat()
    assert (after.st_mode, after.st_mtime_ns) == (before.st_mode, before.st_mtime_ns)
    assert list(parts.iterdir()) == []


def test_each_has_its_own_to_change(places: Places) -> None:
    first, second, kept, parts = places
    keep(first, ".venv", kept, parts)
    take(kept, second, parts)
    (second / ".venv/plain.txt").write_text("changed\n")
    third = second.with_name("third")
    third.mkdir()
    take(kept, third, parts)
    assert (first / ".venv/plain.txt").read_text() == "plain\n"
    assert (third / ".venv/plain.txt").read_text() == "plain\n"


def test_a_compiled_file_that_names_the_place_is_not_kept(places: Places) -> None:
    first, _, kept, parts = places
    put(first / ".venv/lib/a.so", b"\0" + str(first).encode())
    with pytest.raises(NotPossible, match="no text"):
        keep(first, ".venv", kept, parts)
    assert not kept.exists()
    assert list(parts.iterdir()) == []


def test_what_is_there_already_is_left_as_it_is(places: Places) -> None:
    first, second, kept, parts = places
    keep(first, ".venv", kept, parts)
    put(second / ".venv/mine", "mine\n")
    with pytest.raises(NotPossible, match="there already"):
        take(kept, second, parts)
    assert [p.name for p in (second / ".venv").iterdir()] == ["mine"]
    assert list(parts.iterdir()) == []


def test_a_script_whose_first_line_would_be_cut_off_is_not_taken_over(places: Places) -> None:
    first, second, kept, parts = places
    put(first / ".venv/bin/run", f"#!{first}/.venv/bin/python\n", 0o755)
    keep(first, ".venv", kept, parts)
    far = second / ("x" * 120)
    far.mkdir()
    with pytest.raises(NotPossible, match="interpreter"):
        take(kept, far, parts)
    assert list(far.iterdir()) == []


def test_every_package_of_a_workspace_may_have_its_own(tmp_path: Path) -> None:
    root, other = tmp_path / "root", tmp_path / "other"
    for name in ("node_modules/a/node_modules/b/x", "packages/p/node_modules/c/x", "packages/q/y"):
        put(root / name, "x")
    (root / "packages/q/node_modules").symlink_to(root / "node_modules")
    assert products_in(root, "node_modules") == ("packages/p/node_modules", "node_modules")
    keep(root, "node_modules", tmp_path / "kept", tmp_path / "parts")
    (other / "packages/p").mkdir(parents=True)
    take(tmp_path / "kept", other, tmp_path / "parts")
    assert (other / "node_modules/a/node_modules/b/x").exists()
    assert (other / "packages/p/node_modules/c/x").exists()


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    root, other, away = tmp_path / "root", tmp_path / "other", tmp_path / "away"
    put(root / "node_modules/a/x", "x")
    put(root / "packages/p/node_modules/c/x", "x")
    keep(root, "node_modules", tmp_path / "kept", tmp_path / "parts")
    (other / "packages").mkdir(parents=True)
    away.mkdir()
    (other / "packages/p").symlink_to(away)
    with pytest.raises(NotPossible):
        take(tmp_path / "kept", other, tmp_path / "parts")
    assert list(away.iterdir()) == []
    assert not (other / "node_modules").exists()
