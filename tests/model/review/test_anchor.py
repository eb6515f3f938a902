"""Anchors: comments find their lines again by content, or own up to having lost them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from manyhands.model.review.anchor import (
    anchored,
    is_changed,
    locate,
    occurrences,
    split_lines,
    surroundings,
)

LINES = st.lists(st.sampled_from(["a", "b", "{", "}", "", "call()"]), max_size=30)
UNIQUE = st.lists(st.integers(0, 10_000).map(lambda n: f"line {n}"), unique=True, max_size=30)
ELSEWHERE = st.lists(st.integers(10_001, 20_000).map(lambda n: f"line {n}"), max_size=8)


@st.composite
def ranges(draw: st.DrawFn, lines: st.SearchStrategy[list[str]]) -> tuple[list[str], int, int]:
    text = draw(lines.filter(bool))
    start = draw(st.integers(1, len(text)))
    return text, start, draw(st.integers(start, len(text)))


@given(ranges(LINES))
def test_in_an_unchanged_file_a_comment_stays_where_it_is(
    found: tuple[list[str], int, int],
) -> None:
    lines, start, end = found
    anchor = anchored("f", "new", lines, start, end)
    where = locate(anchor, lines)
    assert where is not None
    assert lines[where[0] - 1 : where[1]] == list(anchor.lines)
    assert locate(anchored("f", "new", lines, *where), lines) == where


@given(ranges(UNIQUE), ELSEWHERE, ELSEWHERE)
def test_lines_that_come_above_or_below_move_it_along(
    found: tuple[list[str], int, int], above: list[str], below: list[str]
) -> None:
    lines, start, end = found
    anchor = anchored("f", "new", lines, start, end)
    moved = locate(anchor, [*above, *lines, *below])
    assert moved == (start + len(above), end + len(above))


@given(ranges(UNIQUE), ELSEWHERE, st.data())
def test_an_edit_of_any_other_line_does_not_lose_it(
    found: tuple[list[str], int, int], fresh: list[str], data: st.DataObject
) -> None:
    lines, start, end = found
    others = [n for n in range(len(lines)) if not start - 1 <= n < end]
    if not others:
        return
    cut = data.draw(st.sampled_from(others))
    edited = [*lines[:cut], *fresh, *lines[cut + 1 :]]
    shift = len(fresh) - 1 if cut < start - 1 else 0
    assert locate(anchored("f", "new", lines, start, end), edited) == (start + shift, end + shift)


@given(ranges(UNIQUE), ELSEWHERE, st.data())
def test_an_edit_of_its_own_lines_makes_it_outdated(
    found: tuple[list[str], int, int], fresh: list[str], data: st.DataObject
) -> None:
    lines, start, end = found
    cut = data.draw(st.integers(start - 1, end - 1))
    edited = [*lines[:cut], *fresh, *lines[cut + 1 :]]
    assert locate(anchored("f", "new", lines, start, end), edited) is None


@given(ranges(LINES), LINES)
def test_wherever_it_is_put_the_very_lines_are_there(
    found: tuple[list[str], int, int], other: list[str]
) -> None:
    lines, start, end = found
    anchor = anchored("f", "new", lines, start, end)
    where = locate(anchor, other)
    if where is None:
        return
    assert other[where[0] - 1 : where[1]] == list(anchor.lines)


def test_among_equal_lines_the_surroundings_decide() -> None:
    lines = ["def one():", "    return", "def two():", "    return"]
    anchor = anchored("f", "new", lines, 4, 4)
    assert locate(anchor, ["# new", *lines]) == (5, 5)
    assert locate(anchor, [*lines[2:], "", *lines[:2]]) == (2, 2)


def test_a_lone_brace_elsewhere_is_not_the_one_that_was_meant() -> None:
    anchor = anchored("f", "new", ["if x {", "  y", "}"], 3, 3)
    assert locate(anchor, ["other", "text", "more", "while {", "}"]) is None


@given(ranges(UNIQUE), ELSEWHERE, ELSEWHERE)
def test_a_hunk_that_only_moved_did_not_change(
    found: tuple[list[str], int, int], above: list[str], below: list[str]
) -> None:
    lines, start, end = found
    hunk = surroundings(lines, start, end)
    assert not is_changed(hunk, lines)
    assert not is_changed(hunk, [*above, *lines, *below])


@given(ranges(UNIQUE), st.data())
def test_a_hunk_changes_with_any_line_in_it_and_with_no_other(
    found: tuple[list[str], int, int], data: st.DataObject
) -> None:
    lines, start, end = found
    cut = data.draw(st.integers(0, len(lines) - 1))
    edited = [*lines[:cut], "something else", *lines[cut + 1 :]]
    inside = start - 4 <= cut < end + 3
    assert is_changed(surroundings(lines, start, end), edited) == inside


@given(LINES.filter(bool), LINES)
def test_occurrences_are_all_there_are(block: list[str], lines: list[str]) -> None:
    expected = [n for n in range(len(lines)) if lines[n : n + len(block)] == block]
    assert list(occurrences(block, lines)) == expected


def test_only_a_line_feed_ends_a_line() -> None:
    assert split_lines("a\r\nb\x0c\x85c\u2028d\n\n") == ["a", "b\x0c\x85c\u2028d", ""]
    assert split_lines("") == []
