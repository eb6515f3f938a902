"""A checkpoint from what changed is exactly what a look at everything would have found."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from manyhands.git.snapshot.parts import load_snapshot
from manyhands.git.snapshot.restore import restore_snapshot
from manyhands.git.snapshot.snapshot import make_snapshot
from manyhands.git.snapshot.successor import make_successor
from manyhands.model.ids import Oid
from tests.support.samples import commit_all, copy_place, git, write


def private_of(worktree: Path) -> Path:
    return worktree.with_name(f"{worktree.name}-private")


class Series:
    """A worktree with a first snapshot, to which things happen."""

    def __init__(self, model: Path, place: Path) -> None:
        copy_place(model, place)
        self.tree, self.kept = place / "tree", place / "kept"
        self.kept.mkdir()
        self.base = Oid(git(self.tree, "rev-parse", "HEAD"))
        make_snapshot(self.tree, private=private_of(self.tree), base=self.base, kept=self.kept)

    def follow(self, *changed: str) -> None:
        """Both ways of looking agree, whatever happened to these paths."""
        paths = [os.fsencode(path) for path in changed]
        quick = make_successor(self.tree, base=self.base, kept=self.kept, changed=paths)
        assert quick is not None
        self.agree(quick)

    def agree(self, made: Oid) -> None:
        whole = make_snapshot(self.tree, private=private_of(self.tree), base=self.base)
        ours, theirs = load_snapshot(self.tree, made), load_snapshot(self.tree, whole)
        assert ours.parts.keys() == theirs.parts.keys()
        for name in ours.parts.keys() - {"manifest.json"}:
            assert ours.parts[name] == theirs.parts[name], name
        assert described(ours.manifest) == described(theirs.manifest)
        parents = ("show", "-s", "--format=%P")
        assert git(self.tree, *parents, made) == git(self.tree, *parents, whole)


def described(manifest: object) -> dict[str, object]:
    """Modes by path, since which of them counts as usual may differ."""
    fields = dict(vars(manifest))
    usual = [fields.pop(name) for name in ("file_mode", "program_mode", "folder_mode")]
    assert usual == [0o644, 0o755, 0o755]
    return fields


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("model")
    repo = place / "repo"
    repo.mkdir()
    git(repo, "init", "-q", "-b", "main")
    files: dict[str, str | bytes] = {"a.txt": "a\n", "src/b.py": "b\n", "src/deep/c": "c\n"}
    write(repo, {**files, ".gitignore": "*.log\nbuild/\n"})
    commit_all(repo)
    git(repo, "worktree", "add", "-q", "-b", "work", place / "tree")
    return place


@pytest.fixture
def series(model: Path, tmp_path: Path) -> Series:
    return Series(model, tmp_path)


def test_edits_new_files_deletions_and_modes(series: Series) -> None:
    write(series.tree, {"a.txt": "changed\n", "new/one/two.txt": "2\n"})
    (series.tree / "src/b.py").unlink()
    series.follow("a.txt", "new", "src/b.py")
    (series.tree / "a.txt").chmod(0o600)
    (series.tree / "new/one/two.txt").chmod(0o755)
    (series.tree / "new/one").chmod(0o700)
    series.follow("a.txt", "new/one/two.txt", "new/one")


def test_folders_come_go_and_are_emptied(series: Series) -> None:
    (series.tree / "empty/inner").mkdir(parents=True)
    series.follow("empty")
    (series.tree / "src/deep/c").unlink()
    series.follow("src/deep/c")
    (series.tree / "src/deep").rmdir()
    (series.tree / "src/b.py").rename(series.tree / "moved.py")
    (series.tree / "src").rmdir()
    series.follow("src", "moved.py")


def test_files_folders_links_and_pipes_take_each_others_place(series: Series) -> None:
    (series.tree / "a.txt").unlink()
    write(series.tree, {"a.txt/inside": "x\n"})
    series.follow("a.txt")
    (series.tree / "src/b.py").unlink()
    (series.tree / "src/b.py").symlink_to("deep/c")
    os.mkfifo(series.tree / "pipe", 0o600)
    series.follow("src/b.py", "pipe")
    (series.tree / "pipe").unlink()
    (series.tree / "a.txt/inside").unlink()
    (series.tree / "a.txt").rmdir()
    (series.tree / "a.txt").write_text("a file again\n")
    series.follow("pipe", "a.txt")


def test_ignored_files_stay_out_unless_they_are_tracked(series: Series) -> None:
    write(series.tree, {"x.log": "1\n", "build/out": "2\n", "only/y.log": "3\n"})
    series.follow("x.log", "build", "only")
    git(series.tree, "add", "-f", "x.log")
    series.follow("x.log")
    git(series.tree, "rm", "-q", "--cached", "x.log")
    series.follow()


def test_what_the_agent_stages_and_commits_is_followed(series: Series) -> None:
    write(series.tree, {"a.txt": "staged\n", "n.txt": "n\n"})
    git(series.tree, "add", "a.txt")
    write(series.tree, {"a.txt": "and changed again\n"})
    series.follow("a.txt", "n.txt")
    commit_all(series.tree, "all of it")
    series.follow()
    git(series.tree, "checkout", "-q", "--detach")
    series.follow()


def test_raw_bytes_are_kept_where_git_converts(series: Series) -> None:
    write(series.tree, {".gitattributes": "*.txt text\n"})
    made = make_snapshot(
        series.tree,
        private=private_of(series.tree),
        base=series.base,
        kept=series.kept,
        changed=[b".gitattributes"],
    )
    series.agree(made)
    write(series.tree, {"a.txt": b"mixed\r\nends\n", "new.txt": b"\r\n"})
    series.follow("a.txt", "new.txt")


def test_listed_files_are_held_apart_and_come_back_with_their_mode(series: Series) -> None:
    write(series.tree, {"secret.log": "KEY=1\n", "a.txt": "changed\n"})
    (series.tree / "secret.log").chmod(0o600)
    listed = ["secret.log", "never.log", "a.txt"]
    made = make_snapshot(
        series.tree,
        private=private_of(series.tree),
        base=series.base,
        kept=series.kept,
        listed=listed,
    )
    write(series.tree, {"a.txt": "again\n"})
    quick = make_successor(
        series.tree,
        base=series.base,
        kept=series.kept,
        changed=[b"a.txt"],
        listed=listed,
        private=private_of(series.tree),
    )
    assert quick is not None
    for oid in (made, quick):
        found = load_snapshot(series.tree, oid)
        assert found.manifest.listed == ["secret.log"]
        assert "secret.log" not in git(series.tree, "ls-tree", "-r", found.parts["display"])
    git(series.tree, "clean", "-fdxq")
    restore_snapshot(
        series.tree,
        series.tree,
        quick,
        private=private_of(series.tree),
        undo_ref="refs/manyhands/undo/x",
    )
    assert (series.tree / "secret.log").read_text() == "KEY=1\n"
    assert (series.tree / "secret.log").stat().st_mode & 0o777 == 0o600
    assert (series.tree / "a.txt").read_text() == "again\n"


def rules(series: Series) -> str:
    write(series.tree, {".gitignore": "*.py\n"})
    return ".gitignore"


def repository(series: Series) -> str:
    git(series.tree, "init", "-q", "inner")
    write(series.tree, {"inner/file": "x"})
    return "inner"


def undecodable(series: Series) -> str:
    name = os.fsdecode(b"bad\xff")
    (series.tree / name).write_text("x")
    return name


@pytest.mark.parametrize("change", [rules, repository, undecodable])
def test_what_paths_cannot_tell_is_looked_at_as_a_whole(
    series: Series, change: Callable[[Series], str]
) -> None:
    changed = [os.fsencode(change(series))]
    assert make_successor(series.tree, base=series.base, kept=series.kept, changed=changed) is None
    made = make_snapshot(
        series.tree,
        private=private_of(series.tree),
        base=series.base,
        kept=series.kept,
        changed=changed,
    )
    series.agree(made)


def test_a_successor_is_flushed_and_whole(series: Series) -> None:
    write(series.tree, {"a.txt": "changed\n"})
    series.follow("a.txt")
    assert git(series.tree, "fsck", "--no-dangling") == ""


NAMES = ("a.txt", "src/b.py", "src/deep/c", "src/new", "other/d", "x.log")
EVENTS = st.lists(
    st.tuples(
        st.sampled_from(["write", "delete", "mode", "stage", "commit"]), st.sampled_from(NAMES)
    ),
    max_size=6,
)


@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(rounds=st.lists(EVENTS, min_size=1, max_size=3))
def test_any_history_agrees(
    rounds: list[list[tuple[str, str]]], model: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    series = Series(model, tmp_path_factory.mktemp("series"))
    for number, happened in enumerate(rounds):
        for what, name in happened:
            happen(series.tree, what, name, number)
        series.follow(*{name for _, name in happened})


def happen(tree: Path, what: str, name: str, number: int) -> None:
    file = tree / name
    if what == "write":
        write(tree, {name: f"{number} {name}\n"})
    elif what == "delete":
        file.unlink(missing_ok=True)
    elif what == "mode" and file.exists():
        file.chmod(0o600 if number % 2 else 0o755)
    elif what == "stage" and file.exists():
        git(tree, "add", "-f", name)
    elif what == "commit":
        git(tree, "commit", "-q", "--allow-empty", "-a", "-m", "work")
