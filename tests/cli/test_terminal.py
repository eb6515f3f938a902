"""Text that others wrote cannot drive the terminal it is shown on."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.cli.terminal import inert


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ünïcode 日本 🎉", "plain ünïcode 日本 🎉"),
        ("\x1b[2Jgone", "\\x1b[2Jgone"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("a\rb", "a\\x0db"),
        ("\x9b31m", "\\x9b31m"),
        ("evil\u202etxt.exe", "evil\\u202etxt.exe"),
        ("two\nlines", "two\\nlines"),
        ("tab\tstays", "tab\tstays"),
        ("lone \udcff", "lone \\udcff"),
        ("\U000e0041", "\\U000e0041"),
    ],
)
def test_what_could_act_becomes_visible(text: str, shown: str) -> None:
    assert inert(text) == shown


def test_lines_stay_lines_where_they_are_wanted() -> None:
    assert inert("a\r\nb\x1b", lines=True) == "a\nb\\x1b"


@given(st.text())
def test_no_control_or_format_character_is_left(text: str) -> None:
    left = {c for c in inert(text) if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp")}
    assert left <= {"\t"}
    assert not {c for c in inert(text) if unicodedata.bidirectional(c) in _DIRECTING}


_DIRECTING = {"LRE", "LRO", "PDF", "RLE", "RLO", "LRI", "RLI", "FSI", "PDI"}
