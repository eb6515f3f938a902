"""Conflicts side by side: the lines of both, numbered as each has them, and words for the rest."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from manyhands.git.radar.board import Board
from manyhands.git.radar.hunks import MOST_HUNKS, MOST_LINES, Version, places
from manyhands.git.radar.lines import carried
from manyhands.git.radar.standing import BaseStanding
from manyhands.model.ids import Oid
from manyhands.model.radar.hunks import HunkPart, PathHunks
from tests.support.sides import add_side, git, make_repository, numbered, open_board, write

PAIR = ("a", "b")


def in_question(part: HunkPart) -> list[tuple[int, str]]:
    first, end = part.changed
    return [(part.start + n, part.lines[n]) for n in range(first, end)]


def hunks_of(board: Board, path: str = "") -> dict[str, PathHunks]:
    return {found.path: found for found in board.hunks(PAIR, ("alpha", "beta"), path)}


def test_both_sides_and_how_it_was_with_some_lines_around(tmp_path: Path) -> None:
    repo = make_repository(tmp_path, {"f.txt": numbered(60)})
    a, b = add_side(repo, "a"), add_side(repo, "b")
    write(a / "f.txt", "new\n" + numbered(60, [30, 31], "mine"))
    write(b / "f.txt", numbered(60, [31, 50], "yours"))
    (hunk,) = hunks_of(open_board(repo, {"a": a, "b": b}))["f.txt"].hunks
    assert in_question(hunk.base) == [(30, "line 30"), (31, "line 31")]
    assert in_question(hunk.a) == [(31, "mine 30"), (32, "mine 31")]
    assert in_question(hunk.b) == [(30, "line 30"), (31, "yours 31")]
    assert (hunk.b.start, hunk.b.lines[0], hunk.b.lines[-1]) == (27, "line 27", "line 34")


def test_lines_are_counted_in_the_sessions_own_files_wherever_the_base_is(tmp_path: Path) -> None:
    repo = make_repository(tmp_path, {"f.txt": numbered(60)})
    a = add_side(repo, "a")
    write(a / "f.txt", numbered(60, [30], "mine"))
    write(repo / "f.txt", "new\n" * 5 + numbered(60))
    git(repo, "commit", "-qam", "moved")
    b = add_side(repo, "b")
    write(b / "f.txt", "new\n" * 5 + numbered(60, [30], "yours"))
    board = open_board(repo, {"a": a, "b": b})
    for side in board.sides.values():
        side.onto = Oid(git(repo, "rev-parse", "main"))
    (clash,) = board.forecast([PAIR])[PAIR]
    assert (clash.lines.a, clash.lines.b) == (((30, 30),), ((35, 35),))
    (hunk,) = hunks_of(board)["f.txt"].hunks
    assert in_question(hunk.a) == [(30, "mine 30")]
    assert in_question(hunk.b) == [(35, "yours 30")]


def test_what_lines_do_not_tell_is_said_in_words(tmp_path: Path) -> None:
    files = {"gone.txt": numbered(9), "data": "\0one\n", "f.txt": "x\n", "old.txt": numbered(40)}
    repo = make_repository(tmp_path, files)
    a, b = add_side(repo, "a"), add_side(repo, "b")
    (a / "gone.txt").unlink()
    write(b / "gone.txt", numbered(9, [4]))
    for tree in (a, b):
        write(tree / "data", f"\0{tree.name}\n")
        write(tree / "new.txt", f"{tree.name}\n")
        (tree / "old.txt").rename(tree / f"{tree.name}.txt")
    found = hunks_of(open_board(repo, {"a": a, "b": b}))
    assert found["gone.txt"].note == "alpha has deleted it, beta has changed it"
    (hunk,) = found["gone.txt"].hunks
    assert hunk.a == HunkPart()
    assert (4, "changed 4") in in_question(hunk.b)
    assert (found["data"].note, found["data"].hunks) == ("it is no text", ())
    assert found["new.txt"].note == "both have added it"
    (hunk,) = found["new.txt"].hunks
    assert (in_question(hunk.a), in_question(hunk.b)) == ([(1, "a")], [(1, "b")])
    assert found["old.txt"].note == "both have renamed it, each to another name"


def test_one_path_alone_a_base_and_nothing_where_they_agree(tmp_path: Path) -> None:
    repo = make_repository(tmp_path, {"f.txt": "x\n", "g.txt": "x\n"})
    a, b = add_side(repo, "a"), add_side(repo, "b")
    for tree, name in ((a, "f.txt"), (b, "f.txt"), (a, "g.txt"), (b, "g.txt"), (repo, "g.txt")):
        write(tree / name, f"{tree.name}\n")
    git(repo, "commit", "-qam", "moved")
    board = open_board(repo, {"a": a, "b": b})
    assert set(hunks_of(board)) == {"f.txt", "g.txt"}
    assert set(hunks_of(board, "f.txt")) == {"f.txt"}
    tip = Oid(git(repo, "rev-parse", "main"))
    board.sides["main"] = BaseStanding(tip, tip)
    (with_base,) = board.hunks(("a", "main"), ("alpha", "main"), "")
    assert in_question(with_base.hunks[0].b) == [(1, "repo")]
    write(a / "f.txt", "x\n")
    write(a / "g.txt", "x\n")
    board.scan("a")
    assert hunks_of(board) == {}


def test_much_is_cut() -> None:
    base, one, other = ("".join(f"{word} {n}\n" for n in range(500)).encode() for word in "xyz")
    (hunk,) = places(base, (Version(one, one), Version(other, other)))
    assert (len(hunk.a.lines), hunk.a.cut) == (MOST_LINES, True)
    lines = range(MOST_HUNKS * 20)
    base, one, other = (
        "".join(f"{n} {word if n % 10 == 0 else ''}\n" for n in lines).encode() for word in "xyz"
    )
    assert len(places(base, (Version(one, one), Version(other, other)))) == 2 * MOST_HUNKS


texts = st.lists(st.sampled_from("abcde"), max_size=12)


@given(base=texts, one=texts, other=texts)
def test_what_is_in_question_is_what_differs(
    base: list[str], one: list[str], other: list[str]
) -> None:
    """Every part is of its own version, and outside of all of them both have the base."""
    was, mine, theirs = ("".join(f"{line}\n" for line in text) for text in (base, one, other))
    sides = tuple(Version(text.encode(), text.encode()) for text in (mine, theirs))
    for hunk in places(was.encode(), (sides[0], sides[1])):
        for part, text in ((hunk.base, base), (hunk.a, one), (hunk.b, other)):
            assert list(part.lines) == text[part.start - 1 : part.start - 1 + len(part.lines)]
        changed = [[line for _, line in in_question(p)] for p in (hunk.base, hunk.a, hunk.b)]
        assert changed[0] != changed[1] or changed[0] != changed[2]


@given(one=texts, before=st.integers(0, 5), at=st.integers(1, 12))
def test_a_line_is_found_again_below_what_was_added(one: list[str], before: int, at: int) -> None:
    text = "".join(f"{n} {line}\n" for n, line in enumerate(one))
    more = "new\n" * before + text
    if at <= len(one):
        assert carried([(at, at)], text.encode(), more.encode()) == ((at + before, at + before),)
