"""What a terminal wrote is drawn the same again, whatever it was and however much."""

from __future__ import annotations

import random

import pytest

from manyhands.keeper.terminal.drawing import draw
from manyhands.keeper.terminal.history import FULL_BYTES, MOST_BYTES, SizedBytes, TerminalHistory
from manyhands.keeper.terminal.screens import Screens
from manyhands.keeper.terminal.signs import Signs

ROWS, COLUMNS = 12, 40
WORDS = (
    *(b"a", b"hello ", b"\r\n", b"\t", b"x" * 45, "宽".encode(), "e\u0301".encode(), "😀".encode()),
    *(b"\x1b[A", b"\x1b[3;7H", b"\x1b[2J", b"\x1b[K", b"\x1b[L", b"\x1b[M", b"\x1bM", b"\x1b[5S"),
    *(b"\x1b[31m", b"\x1b[48;2;1;2;3m", b"\x1b[1;4m", b"\x1b[0m", b"\x1b7", b"\x1b8"),
    *(b"\x1b[?1049h", b"\x1b[?1049l", b"\x1b[?25l", b"\x1b[?2004h", b"\x1b[2;8r", b"\x1b[r"),
)


def drawn(data: bytes, size: tuple[int, int] = (ROWS, COLUMNS)) -> bytes:
    written = TerminalHistory(*size)
    written.add(data)
    return draw(written.recording()).data


@pytest.mark.parametrize("seed", range(60))
def test_a_drawing_draws_itself(seed: int) -> None:
    chance = random.Random(seed)
    data = b"".join(chance.choice(WORDS) for _ in range(chance.randrange(1, 200)))
    once = drawn(data)
    assert drawn(once) == once


def test_what_is_not_whole_yet_is_left_to_come() -> None:
    for data, rest in ((b"abc\x1b[3", 3), (b"abc\xe4\xb8", 2), (b"a\x1b]2;tit", 7), (b"abc", 0)):
        written = TerminalHistory(ROWS, COLUMNS)
        written.add(data)
        assert draw(written.recording()).rest == rest


def test_another_size_since_is_heeded() -> None:
    written = TerminalHistory(ROWS, COLUMNS)
    written.add(b"w" * 60)
    written.resized(20, 80)
    written.add(b"!")
    plain = TerminalHistory(20, 80)
    plain.add(b"w" * 60 + b"!")
    assert draw(written.recording()).data == draw(plain.recording()).data


def test_a_new_beginning_changes_nothing_that_is_seen() -> None:
    written = TerminalHistory(ROWS, COLUMNS)
    line = b"\x1b[?2004h\x1b[32mone %d\x1b[0m\r\n"
    written.add(b"".join(line % n for n in range(3000)) + b"\x1b[4")
    before = draw(written.recording())
    written.begin_at(written.end - before.rest, ROWS, COLUMNS, before.data)
    assert written.end - written.start == before.rest
    assert draw(written.recording()).data == before.data


def test_a_flood_is_bounded_and_keeps_the_modes() -> None:
    written = TerminalHistory(ROWS, COLUMNS)
    written.add(b"\x1b[?2004h\x1b[?1h")
    for n in range(5000):
        written.add(b"%07d flood\r\n" % n * 100)
    written.add(b"the end")
    assert written.is_full
    assert FULL_BYTES <= written.end - written.start <= MOST_BYTES
    shown = draw(written.recording()).data
    assert b"the end" in shown
    assert b"\x1b[?2004h" in shown
    assert b"\x1b[?1h" in shown


async def test_what_no_emulator_can_draw_is_shown_as_it_is() -> None:
    written = TerminalHistory(0, 0)
    written.add(b"abc\r\n" * 10)
    drawing = await Screens().draw(written.recording())
    assert (drawing.data, drawing.exact) == (b"abc\r\n" * 10, False)


def test_titles_and_bells_are_heard_however_they_are_cut() -> None:
    signs = Signs()
    assert not signs.hear(b"x\x1b]0;one\x07y\x1b")
    assert signs.title == "one"
    assert not signs.hear(b"]2;two")
    assert not signs.hear(b" more\x07")
    assert signs.title == "two more"
    assert signs.hear(b"ding\x07")


def test_a_recording_of_nothing_draws_nothing() -> None:
    assert TerminalHistory(ROWS, COLUMNS).recording().parts[0] == SizedBytes(ROWS, COLUMNS, b"")
