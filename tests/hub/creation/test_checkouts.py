"""Submodules, large files and sparse checkouts: cold and from a spare alike."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.pool_hub import MakeHub, PoolHub

POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'ab' * 32}\nsize 123456\n"
both = pytest.mark.parametrize("pool", [0, 1], ids=["cold", "warm"])


def session_of(hub: PoolHub, pool: int) -> dict[str, object]:
    """A session, from a spare where there is a pool; that one is made of the repository as the test
    has prepared it."""
    if not pool:
        return hub.plain("Tried")
    hub.set_workspaces(f"pool = {pool}")
    hub.post("/api/repos/trust", {"path": str(hub.repo)})
    spare = hub.await_spare()
    session = hub.plain("Tried")
    assert session["worktree"] == spare["worktree"]
    return session


def add_submodule(hub: PoolHub, path: Path, source: Path) -> None:
    allow = ("-c", "protocol.file.allow=always")
    hub.git(*allow, "submodule", "--quiet", "add", str(source), "parts/one", cwd=path)
    hub.git("commit", "-q", "-m", "A submodule", cwd=path)


@both
def test_submodules_are_there_and_the_shared_config_is_as_it_was(
    make_hub: MakeHub, tmp_path: Path, pool: int
) -> None:
    hub = make_hub("pool = 0")
    nested = hub.make_repo(tmp_path / "nested source", trust=False)
    hub.commit({"deep.txt": "deep\n"}, cwd=nested)
    inner = hub.make_repo(tmp_path / "inner source", trust=False)
    hub.commit({"part.txt": "part\n"}, cwd=inner)
    add_submodule(hub, inner, nested)
    add_submodule(hub, hub.repo, inner)
    hub.git(
        *("-c", "protocol.file.allow=always"),
        *("submodule", "--quiet", "update", "--init", "--recursive"),
        cwd=hub.repo,
    )
    inner.rename(tmp_path / "away")  # no network is needed for what is here already
    config = (hub.repo / ".git/config").read_bytes()
    modules = (hub.repo / ".git/modules/parts/one/config").read_bytes()
    session = session_of(hub, pool)
    place = Path(str(session["worktree"])) / "parts" / "one"
    assert hub.notes(str(session["id"])) == []
    assert (place / "part.txt").read_text() == "part\n"
    assert (place / "parts/one/deep.txt").read_text() == "deep\n"
    assert hub.git("config", "remote.origin.url", cwd=place).strip() == str(inner)
    assert hub.status(session) == ""
    assert (hub.repo / ".git/config").read_bytes() == config
    assert (hub.repo / ".git/modules/parts/one/config").read_bytes() == modules


def test_a_submodule_that_cannot_be_had_is_said_so(make_hub: MakeHub, tmp_path: Path) -> None:
    hub = make_hub()
    inner = hub.make_repo(tmp_path / "inner", trust=False)
    add_submodule(hub, hub.repo, inner)
    inner.rename(tmp_path / "away")
    (hub.repo / ".git/modules").rename(tmp_path / "modules")
    session = hub.plain("Without")
    assert session["status"] == "idle"
    assert "parts/one could not be initialised" in hub.notes(session["id"])[0]


@both
@pytest.mark.parametrize("demanded", [False, True], ids=["plain", "filter required"])
def test_without_git_lfs_pointers_are_checked_out_and_said_so(
    make_hub: MakeHub, pool: int, demanded: bool
) -> None:
    hub = make_hub("pool = 0")
    hub.commit({"a.bin": POINTER, "sub/deep/b.bin": POINTER, "c.txt": "plain\n"})
    for place in ("", "sub/deep/"):
        hub.commit({f"{place}.gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n"})
    if demanded:
        for key, value in (("process", "git-lfs filter-process"), ("required", "true")):
            hub.git("config", "--global", f"filter.lfs.{key}", value, cwd=hub.repo)
    session = session_of(hub, pool)
    assert session["status"] == "idle", session
    assert (Path(str(session["worktree"])) / "a.bin").read_text() == POINTER
    note = hub.notes(str(session["id"]))[0]
    assert note.startswith("2 files are pointers")
    assert "git-lfs is not installed" in note


def test_pointers_are_noticed_where_only_a_deep_folder_has_attributes(make_hub: MakeHub) -> None:
    hub = make_hub("pool = 0")
    hub.commit({"a/b/c/d.bin": POINTER, "a/b/c/.gitattributes": "*.bin filter=lfs -text\n"})
    session = session_of(hub, 0)
    assert hub.notes(str(session["id"]))[0].startswith("1 file is a pointer")


@pytest.fixture
def git_lfs(tmp_path: Path) -> Iterator[Path]:
    """A place on the hub's PATH for a stand-in."""
    program = tmp_path / "bin" / "git-lfs"
    program.parent.mkdir()
    program.touch(0o755)
    before = os.environ["PATH"]
    os.environ["PATH"] = f"{program.parent}{os.pathsep}{before}"
    try:
        yield program
    finally:
        os.environ["PATH"] = before


def large(hub: PoolHub) -> None:
    hub.commit({"a.bin": POINTER, ".gitattributes": "*.bin filter=lfs\n"})
    for key, value in (("smudge", "git-lfs smudge"), ("required", "true")):
        hub.git("config", "--global", f"filter.lfs.{key}", value, cwd=hub.repo)


def test_with_git_lfs_its_filter_is_used(make_hub: MakeHub, git_lfs: Path) -> None:
    git_lfs.write_text("#!/bin/sh\ncat >/dev/null; echo smudged\n")
    hub = make_hub()
    large(hub)
    session = hub.plain("Large")
    assert (Path(session["worktree"]) / "a.bin").read_text() == "smudged\n"
    assert hub.notes(session["id"]) == []


def test_large_files_that_git_lfs_cannot_fetch_stay_pointers(
    make_hub: MakeHub, git_lfs: Path
) -> None:
    asked = 'if [ "$GIT_LFS_SKIP_SMUDGE" = 1 ]; then exec cat; fi'
    git_lfs.write_text(f"#!/bin/sh\n{asked}\necho Authentication required >&2; exit 2\n")
    hub = make_hub()
    large(hub)
    session = hub.plain("Large")
    assert (Path(session["worktree"]) / "a.bin").read_text() == POINTER
    [note] = hub.notes(session["id"])
    assert note.startswith("1 file is a pointer to contents in Git LFS, which could not be fetched")
    assert "`git lfs pull` in the worktree" in note


@both
def test_a_sparse_checkout_is_respected(make_hub: MakeHub, pool: int) -> None:
    hub = make_hub("pool = 0")
    hub.commit({"in/a.txt": "a\n", "out/b.txt": "b\n"})
    hub.git("sparse-checkout", "set", "--cone", "in", cwd=hub.repo)
    config = (hub.repo / ".git/config").read_bytes()
    session = session_of(hub, pool)
    place = Path(str(session["worktree"]))
    assert (place / "in/a.txt").exists()
    assert not (place / "out").exists()
    assert (hub.status(session), hub.branch(session)) == ("", "mh/tried")
    assert (hub.repo / ".git/config").read_bytes() == config


def test_a_spare_with_another_sparse_view_is_not_taken(make_hub: MakeHub) -> None:
    hub = make_hub("pool = 1")
    hub.commit({"in/a.txt": "a\n", "out/b.txt": "b\n"})
    hub.plain("Opens the pool")
    spare = hub.await_spare()
    hub.git("sparse-checkout", "set", "--cone", "in", cwd=hub.repo)
    session = hub.plain("Sparse")
    assert session["worktree"] != spare["worktree"]
    assert not (Path(session["worktree"]) / "out").exists()


def test_a_post_checkout_hook_runs_for_a_trusted_repository(make_hub: MakeHub) -> None:
    hub = make_hub("pool = 1")
    hook = hub.repo / ".git/hooks/post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho ran > hooked.ignored\n")
    hook.chmod(0o755)
    hub.post("/api/repos/trust", {"path": str(hub.repo)})
    assert (Path(hub.plain("Opens the pool")["worktree"]) / "hooked.ignored").exists()
    hub.await_spare()
    assert (Path(hub.plain("Warm")["worktree"]) / "hooked.ignored").exists()
