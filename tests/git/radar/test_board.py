"""The radar's board: which pairs of worktrees would conflict, where, and what is left alone."""

from __future__ import annotations

from pathlib import Path

from manyhands.git.radar.board import Board
from manyhands.git.radar.meeting import Change
from manyhands.git.radar.standing import BaseStanding
from manyhands.git.tree_edit import Leaf
from manyhands.model.ids import Oid
from tests.support.sides import (
    add_side,
    conflicts,
    git,
    make_repository,
    numbered,
    open_board,
    overlaps,
    write,
)

PAIR = ("a", "b")


def two_sides(place: Path, files: dict[str, str]) -> tuple[Path, Path, Path]:
    repo = make_repository(place, files)
    return repo, add_side(repo, "a"), add_side(repo, "b")


def board_of(repo: Path, *trees: Path) -> Board:
    return open_board(repo, {tree.name: tree for tree in trees})


def test_the_same_lines_conflict_and_others_merely_overlap(tmp_path: Path) -> None:
    repo, a, b = two_sides(tmp_path, {"f.txt": numbered(30), "g.txt": numbered(30)})
    write(a / "f.txt", numbered(30, [3], "mine"))
    write(b / "f.txt", numbered(30, [3, 4], "yours"))
    write(a / "g.txt", numbered(30, [2]))
    write(b / "g.txt", numbered(30, [28]))
    found = board_of(repo, a, b).forecast([PAIR])[PAIR]
    assert [(c.path, c.kind, c.reason) for c in found] == [
        ("f.txt", "conflict", "content"),
        ("g.txt", "overlap", ""),
    ]
    assert (found[0].lines.a, found[0].lines.b) == (((3, 3),), ((3, 4),))
    assert (found[1].lines.a, found[1].lines.b) == (((2, 2),), ((28, 28),))


def test_only_the_lines_that_collide_are_named_for_a_conflict(tmp_path: Path) -> None:
    repo, a, b = two_sides(tmp_path, {"f.txt": numbered(60)})
    write(a / "f.txt", numbered(60, [5, 30], "mine"))
    write(b / "f.txt", numbered(60, [30, 50], "yours"))
    (clash,) = board_of(repo, a, b).forecast([PAIR])[PAIR]
    assert (clash.lines.a, clash.lines.b) == (((30, 30),), ((30, 30),))


def test_untracked_files_of_the_same_name_conflict_and_equal_ones_do_not(tmp_path: Path) -> None:
    repo, a, b = two_sides(tmp_path, {"f.txt": "x\n", ".gitignore": "*.log\n"})
    write(a / "new.txt", "one\n")
    write(b / "new.txt", "two\n")
    for tree in (a, b):
        write(tree / "same.txt", "equal\n")
        write(tree / "noise.log", tree.name)
    found = board_of(repo, a, b).forecast([PAIR])[PAIR]
    assert [(c.path, c.reason) for c in found] == [("new.txt", "add/add")]


def test_a_rename_meets_an_edit_without_conflict_and_a_deletion_with_one(tmp_path: Path) -> None:
    repo, a, b = two_sides(tmp_path, {"old.txt": numbered(40), "gone.txt": "gone\n" * 9})
    (a / "old.txt").rename(a / "renamed.txt")
    write(b / "old.txt", numbered(40, [9]))
    (a / "gone.txt").unlink()
    write(b / "gone.txt", "gone\n" * 10)
    found = board_of(repo, a, b).forecast([PAIR])[PAIR]
    assert [(c.path, c.reason) for c in found if c.kind == "conflict"] == [
        ("gone.txt", "modify/delete")
    ]


def test_a_file_put_into_a_folder_that_the_other_renamed_is_seen(tmp_path: Path) -> None:
    files = {f"lib/{name}.py": numbered(20, [n], name) for n, name in enumerate("abc", 1)}
    repo, a, b = two_sides(tmp_path, files)
    (a / "lib").rename(a / "library")
    write(b / "lib/d.py", "new\n")
    write(b / "library/d.py", "other\n")
    board = board_of(repo, a, b)
    assert conflicts(board.forecast([PAIR])[PAIR])


def test_modes_binaries_links_and_folders_in_the_way(tmp_path: Path) -> None:
    files = {"tool": "run\n", "data": "\0one\n", "link": "a\n", "place": "file\n"}
    repo, a, b = two_sides(tmp_path, files)
    for tree, mode in ((a, 0o755), (b, 0o644)):
        (tree / "tool").chmod(mode)
        write(tree / "data", f"\0{tree.name}\n")
        (tree / "link").unlink()
        (tree / "link").symlink_to(tree.name)
    (a / "place").unlink()
    write(a / "place/inside.txt", "x\n")
    write(b / "place", "changed\n")
    found = {c.path: c.reason for c in board_of(repo, a, b).forecast([PAIR])[PAIR]}
    assert {"data", "link"} <= found.keys()
    assert found["data"] == "binary"
    assert any(path.startswith("place") for path in found)
    assert "tool" not in found


def test_submodules_at_different_commits_conflict(tmp_path: Path) -> None:
    inner = make_repository(tmp_path / "inner", {"x": "1\n"})
    repo, a, b = two_sides(tmp_path, {"f": "1\n"})
    first = git(inner, "rev-parse", "HEAD")
    git(inner, "commit", "-q", "--allow-empty", "-m", "two")
    second = git(inner, "rev-parse", "HEAD")
    for tree, commit in ((a, first), (b, second)):
        git(tree, "clone", "-q", str(inner), str(tree / "sub"))
        git(tree / "sub", "checkout", "-q", "--detach", commit)
    found = board_of(repo, a, b).forecast([PAIR])[PAIR]
    assert conflicts(found) == ["sub"]


def test_a_changed_path_is_taken_over_without_a_look_at_the_rest(tmp_path: Path) -> None:
    repo, a, b = two_sides(tmp_path, {"f.txt": numbered(30)})
    write(b / "f.txt", numbered(30, [3], "yours"))
    board = board_of(repo, a, b)
    assert board.forecast([PAIR])[PAIR] == ()
    write(a / "f.txt", numbered(30, [3], "mine"))
    oid = Oid(git(a, "hash-object", "f.txt"))
    assert board.sides["a"].note("f.txt", Change(Leaf(0o100644, oid)))
    assert conflicts(board.forecast([PAIR])[PAIR]) == ["f.txt"]
    write(a / "f.txt", numbered(30, [20], "mine"))
    oid = Oid(git(a, "hash-object", "f.txt"))
    assert board.sides["a"].note("f.txt", Change(Leaf(0o100644, oid)))
    assert overlaps(board.forecast([PAIR])[PAIR]) == ["f.txt"]
    assert board.sides["a"].note("f.txt", None)
    assert board.forecast([PAIR])[PAIR] == ()


def test_a_base_that_moved_is_a_side_like_any_other(tmp_path: Path) -> None:
    repo, a, b = two_sides(tmp_path, {"f.txt": numbered(30), "g.txt": "x\n"})
    write(a / "f.txt", numbered(30, [3], "mine"))
    write(b / "g.txt", "mine\n")
    board = board_of(repo, a, b)
    write(repo / "f.txt", numbered(30, [3], "main's"))
    git(repo, "commit", "-qam", "moved")
    tip = Oid(git(repo, "rev-parse", "main"))
    board.sides["main"] = BaseStanding(base=tip, head=tip)
    pairs = [("a", "main"), ("b", "main")]
    found = board.forecast(pairs)
    assert conflicts(found["a", "main"]) == ["f.txt"]
    assert found["b", "main"] == ()


def moved(repo: Path, file: str, content: str, *how: str) -> Oid:
    """The branch that is checked out, with one commit more or, amended, another one."""
    write(repo / file, content)
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "moved", *how)
    return Oid(git(repo, "rev-parse", "HEAD"))


def stand(board: Board, tip: Oid, *names: str) -> None:
    for name in names:
        board.sides[name].onto = tip


def test_what_came_with_a_newer_base_is_nobodys_who_started_there(tmp_path: Path) -> None:
    repo = make_repository(tmp_path, {"f.txt": numbered(30)})
    a = add_side(repo, "a")
    write(a / "f.txt", numbered(30, [3], "mine"))
    tip = moved(repo, "f.txt", numbered(30, [3], "landed"))
    b = add_side(repo, "b")
    board = board_of(repo, a, b)
    stand(board, tip, *PAIR)
    board.sides["main"] = BaseStanding(tip, tip)
    found = board.forecast([PAIR, ("a", "main"), ("b", "main")])
    assert {pair for pair, clashes in found.items() if clashes} == {("a", "main")}
    write(b / "f.txt", numbered(30, [3, 20], "landed").replace("landed 20", "elsewhere"))
    board.scan("b")
    assert overlaps(board.forecast([PAIR])[PAIR]) == ["f.txt"]


def test_who_has_landed_is_in_nobodys_way(tmp_path: Path) -> None:
    repo, a, b = two_sides(tmp_path, {"f.txt": numbered(30)})
    for tree in (a, b):
        write(tree / "f.txt", numbered(30, [3], tree.name))
    board = board_of(repo, a, b)
    assert conflicts(board.forecast([PAIR])[PAIR]) == ["f.txt"]
    tip = moved(repo, "f.txt", numbered(30, [3], "a"))
    stand(board, tip, *PAIR)
    assert board.forecast([PAIR])[PAIR] == ()


def test_a_rewritten_base_makes_nobody_answer_for_what_it_had(tmp_path: Path) -> None:
    repo = make_repository(tmp_path, {"f.txt": numbered(30), "g.txt": "x\n"})
    moved(repo, "f.txt", numbered(30, [3], "before"))
    a, b = add_side(repo, "a"), add_side(repo, "b")
    write(a / "g.txt", "mine\n")
    board = board_of(repo, a, b)
    tip = moved(repo, "f.txt", numbered(30, [3], "after"), "--amend")
    stand(board, tip, *PAIR)
    board.sides["main"] = BaseStanding(tip, tip)
    pairs = [PAIR, ("a", "main"), ("b", "main")]
    assert board.is_rewritten("main", "a")
    assert not any(board.forecast(pairs).values())
    write(b / "f.txt", numbered(30, [3], "mine"))
    board.scan("b")
    found = board.forecast(pairs)
    assert {pair for pair, clashes in found.items() if clashes} == {("b", "main")}


def test_with_two_bases_both_of_them_are_the_ground(tmp_path: Path) -> None:
    repo, a, _ = two_sides(tmp_path, {"f.txt": numbered(30), "g.txt": numbered(30)})
    write(a / "f.txt", numbered(30, [3], "mine"))
    write(a / "g.txt", numbered(30, [9], "mine"))
    main = moved(repo, "main.txt", "x\n")
    git(repo, "checkout", "-qb", "dev", "HEAD~1")
    dev = moved(repo, "f.txt", numbered(30, [3], "dev's"))
    c = add_side(repo, "c", "dev")
    write(c / "g.txt", numbered(30, [20], "theirs"))
    board = board_of(repo, a, c)
    board.sides["c"] = BaseStanding(dev, dev, c)
    board.scan("c")
    stand(board, main, "a")
    stand(board, dev, "c")
    pair = ("a", "c")
    assert overlaps(board.forecast([pair])[pair]) == ["g.txt"]
    write(c / "g.txt", numbered(30, [9], "theirs"))
    board.scan("c")
    assert conflicts(board.forecast([pair])[pair]) == ["g.txt"]


def test_who_has_taken_what_the_other_committed_is_not_in_its_way(tmp_path: Path) -> None:
    repo, a, b = two_sides(tmp_path, {"f.txt": numbered(30)})
    moved(a, "f.txt", numbered(30, [3], "mine"))
    git(b, "merge", "-q", "a")
    write(b / "f.txt", numbered(30, [3], "mine, and more"))
    board = board_of(repo, a, b)
    assert board.forecast([PAIR])[PAIR] == ()
    write(a / "f.txt", numbered(30, [3], "something else"))
    board.scan("a")
    assert conflicts(board.forecast([PAIR])[PAIR]) == ["f.txt"]


def test_nothing_of_the_repository_is_touched(tmp_path: Path) -> None:
    repo, a, b = two_sides(tmp_path, {"f.txt": numbered(30), "d/g.txt": "x\n"})
    write(a / "f.txt", numbered(30, [3], "mine"))
    write(b / "f.txt", numbered(30, [3], "yours"))
    (b / "d/g.txt").rename(b / "d/h.txt")

    def state() -> dict[str, bytes]:
        files = (p for p in repo.parent.rglob("*") if p.is_file() and "radar" not in p.parts[-4:])
        return {str(p): p.read_bytes() for p in files if "/radar/" not in str(p)}

    before = state()
    assert conflicts(board_of(repo, a, b).forecast([PAIR])[PAIR]) == ["f.txt"]
    assert state() == before
