"""Ignored files never lie in the user's repository, whoever pushes it, and still come back."""

from __future__ import annotations

import subprocess
from pathlib import Path

from manyhands.git import refs
from manyhands.git.rescue.keeping import keep
from manyhands.git.runner import Git
from manyhands.git.snapshot import moving
from manyhands.git.snapshot.manifest import Manifest
from manyhands.git.snapshot.parts import load_snapshot
from manyhands.git.snapshot.private import PrivateStore
from manyhands.git.snapshot.restore import restore_snapshot
from manyhands.git.snapshot.snapshot import make_snapshot
from manyhands.git.tree_edit import make_commit, make_tree
from manyhands.model.ids import Oid
from tests.git.conftest import Place
from tests.support.samples import SESSION, commit_all, git, write

CANARY = "canary-7f3a-of-the-env-file"
REF = "refs/manyhands/checkpoints/s1/1"
UNDO = "refs/manyhands/undo/s1"


def contents(repo: Path) -> bytes:
    """Every object that the repository has, kept by a ref or not."""
    command = ("git", "cat-file", "--batch-all-objects", "--batch", "--unordered")
    done = subprocess.run(command, cwd=repo, check=True, capture_output=True, timeout=60)
    return done.stdout


def mirrored(repo: Path, place: Path) -> bytes:
    """What somebody else has after `git push --mirror`."""
    git(place.parent, "init", "-q", "--bare", place)
    git(repo, "push", "-q", "--mirror", place)
    return contents(place)


def test_a_checkpoint_keeps_an_ignored_file_outside_the_repository(
    place: Place, tmp_path: Path
) -> None:
    tree, private, kept = place.worktree, tmp_path / "private", tmp_path / "kept"
    kept.mkdir()
    write(tree, {".env": f"TOKEN={CANARY}\n", "a.txt": "changed\n"})
    (tree / ".env").chmod(0o640)
    taken = {"base": place.base, "kept": kept, "listed": [".env"], "private": private}
    whole = make_snapshot(tree, **taken)  # type: ignore[arg-type]
    write(tree, {"a.txt": "again\n", ".env": f"TOKEN={CANARY}-2\n"})
    quick = make_snapshot(tree, changed=[b"a.txt"], **taken)  # type: ignore[arg-type]
    for number, oid in enumerate((whole, quick)):
        refs.put_ref(place.repo, f"{REF}{number}", oid)
    keep(tree, SESSION, private=private)
    git(tree, "clean", "-fdxq")
    write(tree, {".env": f"OTHER={CANARY}-3\n"})
    for oid, value in ((whole, CANARY), (quick, f"{CANARY}-2")):
        restore_snapshot(place.repo, tree, oid, undo_ref=UNDO, private=private)
        assert (tree / ".env").read_text() == f"TOKEN={value}\n"
        assert (tree / ".env").stat().st_mode & 0o777 == 0o640
    assert CANARY.encode() not in contents(place.repo)
    assert CANARY.encode() not in mirrored(place.repo, tmp_path / "elsewhere")
    assert git(place.repo, "fsck", "--full", "--strict", "--no-dangling") == ""
    assert private.stat().st_mode & 0o777 == 0o700
    for file in (f for f in private.rglob("*") if f.is_file() and "objects" in f.parts):
        assert not file.stat().st_mode & 0o077


def test_a_repository_inside_the_worktree_is_packed_outside_too(
    place: Place, tmp_path: Path
) -> None:
    inner, private = place.worktree / "inner", tmp_path / "private"
    write(inner, {"file": "x\n", ".gitignore": ".env\n", ".env": CANARY})
    git(inner, "init", "-q")
    commit_all(inner)
    oid = make_snapshot(place.worktree, base=place.base, private=private)
    subprocess.run(["rm", "-rf", inner], check=True)
    restore_snapshot(place.repo, place.worktree, oid, undo_ref=UNDO, private=private)
    assert (inner / ".env").read_text() == CANARY
    assert git(inner, "log", "--format=%s") == "work"
    assert CANARY.encode() not in contents(place.repo)


def old_snapshot(place: Place) -> Oid:
    """As they were made before there was a private store: the ignored files are part of it."""
    made = load_snapshot(place.repo, make_snapshot(place.worktree, base=place.base))
    runner = Git(place.repo)
    blob = runner.run("hash-object", "-w", "--stdin", stdin=CANARY.encode()).line
    manifest = Manifest(
        **{**made.manifest.__dict__, "listed": [".env"], "modes": {".env": 0o600}, "private": ""}
    )
    fields = manifest.encode().replace(b',"private":""', b"")
    text = runner.run("hash-object", "-w", "--stdin", stdin=fields).line
    parts = {**made.parts, "ignored": make_tree(runner, [("blob", Oid(blob), ".env")])}
    entries = [
        ("blob" if name in ("index", "manifest.json") else "tree", oid, name)
        for name, oid in (parts | {"manifest.json": Oid(text)}).items()
    ]
    return make_commit(runner, make_tree(runner, entries), [place.base], "manyhands snapshot")


def test_an_old_checkpoint_comes_back_and_can_be_moved_out(place: Place, tmp_path: Path) -> None:
    private = tmp_path / "private"
    old = old_snapshot(place)
    refs.put_ref(place.repo, REF, old)
    restore_snapshot(place.repo, place.worktree, old, undo_ref=UNDO, private=private)
    assert (place.worktree / ".env").read_text() == CANARY
    held = moving.find_held(place.repo)
    assert held.keys() == {REF, UNDO}, "what was overwritten keeps what it went back to"
    assert {moving.session_of(ref) for ref in held} == {"s1"}
    for ref, oid in held.items():
        moving.move_out(place.repo, ref, oid, private)
    assert moving.find_held(place.repo) == {}
    assert CANARY.encode() not in mirrored(place.repo, tmp_path / "elsewhere")
    git(place.repo, "gc", "-q", "--prune=now")
    assert CANARY.encode() not in contents(place.repo)
    (place.worktree / ".env").unlink()
    # The log still names it as it was.
    restore_snapshot(place.repo, place.worktree, old, undo_ref=UNDO, private=private)
    assert (place.worktree / ".env").read_text() == CANARY
    assert (place.worktree / ".env").stat().st_mode & 0o777 == 0o600
    assert PrivateStore(private).current(old) != old
