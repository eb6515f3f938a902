"""Any title gives a name that is safe in a path, a branch and a shell."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.model.ids import fresh_id
from manyhands.model.slug import LONGEST, slug, title_of, unique_slug

SAFE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
RESERVED = ["CON", "prn", "Aux", "NUL", "com1", "LPT9"]


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Add rate limiting to the API", "add-rate-limiting-to-the-api"),
        ("$(id)", "id"),
        ("`reboot`; rm -rf / #", "reboot-rm-rf"),
        ('it\'s "quoted" \\ twice', "it-s-quoted-twice"),
        ("--force", "force"),
        ("../../etc/passwd", "etc-passwd"),
        ("feature/x", "feature-x"),
        ("HEAD", "head"),
        ("a..b@{1}~^:?*[", "a-b-1"),
        ("ends.lock", "ends-lock"),
        ("wide\u3000space", "wide-space"),
        ("\u202egnp.exe", "gnp-exe"),
        ("Größe über alles", "groe-uber-alles"),
        ("ﬁne ½", "fine-12"),
        ("🙂🙃", "session"),
        ("日本語", "session"),
        ("", "session"),
        ("\x00\x1b[31m\n", "31m"),
        ("a" * 300, "a" * LONGEST),
        ("word " * 2000, "word-word-word-word-word-word-word-word-word"),
    ],
)
def test_a_hostile_title_gives_a_plain_name(title: str, expected: str) -> None:
    assert slug(title) == expected


@pytest.mark.parametrize("title", RESERVED)
def test_a_name_that_windows_reserves_is_avoided(title: str) -> None:
    assert slug(title) == f"{title.lower()}-session"


@given(st.text())
def test_every_title_gives_a_safe_short_name(title: str) -> None:
    name = slug(title)
    assert SAFE.fullmatch(name)
    assert len(name) <= LONGEST
    assert name.upper() not in {word.upper() for word in RESERVED}
    assert slug(name) == name


@given(st.lists(st.sampled_from(["Fix it", "fix-it", "Fix it!", "🙂", "fix it 2"]), max_size=12))
def test_equal_titles_get_different_names(titles: list[str]) -> None:
    taken: set[str] = set()
    for title in titles:
        name = unique_slug(title, taken)
        assert name not in taken
        assert SAFE.fullmatch(name)
        taken.add(name)


def test_the_second_of_a_name_is_number_two() -> None:
    assert unique_slug("Fix it", {"fix-it"}) == "fix-it-2"
    assert unique_slug("Fix it", {"fix-it", "fix-it-2"}) == "fix-it-3"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Fix the tests", "Fix the tests"),
        ("\n\n  Fix the tests  \nand more", "Fix the tests"),
        ("", "Untitled"),
        ("\u202e\u200b", "Untitled"),
        ("red \x1b[31malert", "red [31malert"),
        ("word " * 40, "word " * 14 + "word…"),
        ("x" * 10_000, "x" * 79 + "…"),
    ],
)
def test_a_title_is_the_first_line_of_the_task(text: str, expected: str) -> None:
    assert title_of(text) == expected


@given(st.text())
def test_a_title_is_short_and_can_be_shown(text: str) -> None:
    title = title_of(text)
    assert 0 < len(title) <= 80
    assert not any(unicodedata.category(c) in ("Cc", "Cf") for c in title)


def test_fresh_ids_differ_and_are_safe() -> None:
    ids = {fresh_id() for _ in range(1000)}
    assert len(ids) == 1000
    assert all(re.fullmatch(r"[0-9a-hjkmnp-tv-z]{8}", id) for id in ids)
