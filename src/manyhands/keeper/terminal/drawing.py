"""The screen that a recording leaves, as bytes that draw the same again: a process of its own.

Its emulator is exact, and may crash: never in a keeper. One recording comes in by standard input,
one drawing goes out. Bytes at the end that are no whole sequence or character yet are not drawn.
"""

from __future__ import annotations

import os
import re
import sys
from typing import Any

import msgspec
from pyghostty._ffi import check, ffi, lib
from pyghostty.core import Terminal, init_sized

from manyhands.keeper.terminal.history import Recording, ScreenDrawing, SizedBytes

SCROLLBACK_LINES = 5000
SCROLLBACK_BYTES = 64 * 1024 * 1024
LONGEST_REST = 64 * 1024
ALTERNATE = 1
_MODES = re.compile(rb"(?:\x1b\[\??\d+[hl])*")
_ONE_MODE = re.compile(rb"\x1b\[(\??\d+)[hl]")
_SHAPE = re.compile(rb"\x1b\[[0-9]? q")
SCREENS = (b"?47", b"?1047", b"?1048", b"?1049")
ORIGIN, REVERSE_WRAP = b"?6", b"?45"


def draw(recording: Recording) -> ScreenDrawing:
    cuts = [n for n, part in enumerate(recording.parts) if part.data]
    end = cuts[-1] if cuts else 0
    data = recording.parts[end].data if cuts else b""
    for cut in _cuts(data):
        parts = [*recording.parts]
        parts[end] = msgspec.structs.replace(parts[end], data=data[:cut])
        terminal = _fed(parts)
        if terminal.get("vt_ground", "bool"):
            break
    return ScreenDrawing(_picture(terminal) + _shape(recording), len(data) - cut, _title(terminal))


def _cuts(data: bytes) -> list[int]:
    """Where the last sequence may begin that is not whole, the likeliest first."""
    whole = len(data)
    for back in range(1, min(4, whole) + 1):
        byte = data[-back]
        if byte >= 0xC0:
            needs = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            whole -= back if needs > back else 0
            break
        if byte < 0x80:
            break
    found = [whole]
    at = whole
    while len(found) < 4 and (at := data.rfind(b"\x1b", max(0, whole - LONGEST_REST), at)) >= 0:
        found.append(at)
    return found


def _fed(parts: list[SizedBytes]) -> Terminal:
    first = parts[0]
    terminal = Terminal(first.columns, first.rows, scrollback=SCROLLBACK_LINES)
    limit = ffi.new("size_t*", SCROLLBACK_BYTES)
    option = lib.GHOSTTY_TERMINAL_OPT_SCROLLBACK_MAX_BYTES
    check(lib.ghostty_terminal_set(terminal._t[0], option, limit), "set scrollback")
    size = (first.columns, first.rows)
    for part in parts:
        if size != (part.columns, part.rows):
            size = (part.columns, part.rows)
            terminal.resize(*size)
        terminal.feed(part.data)
    return terminal


def _picture(terminal: Terminal) -> bytes:
    """Modes come last: some would change how the rest is drawn."""
    found = _MODES.match(_formatted(terminal, modes=True))
    modes = [m for m in _ONE_MODE.finditer(found[0] if found else b"") if m[1] not in SCREENS]
    set_modes = b"".join(m[0] for m in modes if m[1] != ORIGIN)
    tabs = _formatted(terminal, tabstops=True).removesuffix(_formatted(terminal))
    if terminal.get("active_screen", "int") != ALTERNATE:
        return tabs + _screen(terminal, region=True) + set_modes
    front = _screen(terminal, region=True)
    terminal.feed(b"\x1b[?1049l")
    back = _screen(terminal)
    return tabs + back + b"\x1b[?1049h\x1b[0m\x1b[H\x1b[2J" + front + set_modes


def _screen(terminal: Terminal, *, region: bool = False) -> bytes:
    """With what scrolled off it; blank rows below are made, so that all stands where it did."""
    body = _formatted(terminal)
    end = _formatted(terminal, region=region, cursor=True).removeprefix(body)
    rows = int(terminal.get("total_rows", "size_t"))
    return body + b"\r\n" * max(0, rows - _rows_of(terminal, body)) + end


def _rows_of(terminal: Terminal, body: bytes) -> int:
    columns, rows = terminal.size
    again = Terminal(columns, rows, scrollback=SCROLLBACK_LINES * 2)
    option = lib.GHOSTTY_TERMINAL_OPT_SCROLLBACK_MAX_BYTES
    check(lib.ghostty_terminal_set(again._t[0], option, ffi.new("size_t*", SCROLLBACK_BYTES)), "s")
    again.feed(body)
    above = int(again.get("scrollback_rows", "size_t"))
    return above + int(again.cursor[1]) + 1


def _formatted(
    terminal: Terminal,
    *,
    modes: bool = False,
    tabstops: bool = False,
    region: bool = False,
    cursor: bool = False,
) -> bytes:
    options = init_sized("GhosttyFormatterTerminalOptions")
    options.emit = lib.GHOSTTY_FORMATTER_FORMAT_VT
    options.unwrap, options.trim = True, False
    options.extra.modes, options.extra.tabstops = modes, tabstops
    options.extra.scrolling_region = region
    if cursor:
        for name in ("cursor", "style", "hyperlink", "protection", "kitty_keyboard", "charsets"):
            setattr(options.extra.screen, name, True)
    return _bytes_of(terminal, options)


def _bytes_of(terminal: Terminal, options: Any) -> bytes:
    formatter = ffi.new("GhosttyFormatter*")
    made = lib.ghostty_formatter_terminal_new(ffi.NULL, formatter, terminal._t[0], options[0])
    check(made, "formatter")
    try:
        size = ffi.new("size_t*")
        lib.ghostty_formatter_format_buf(formatter[0], ffi.NULL, 0, size)
        buffer = ffi.new("uint8_t[]", max(1, size[0]))
        check(lib.ghostty_formatter_format_buf(formatter[0], buffer, len(buffer), size), "format")
        return bytes(ffi.buffer(buffer, size[0]))
    finally:
        lib.ghostty_formatter_free(formatter[0])


def _title(terminal: Terminal) -> str:
    found = ffi.new("GhosttyString*")
    option = lib.GHOSTTY_TERMINAL_DATA_TITLE
    check(lib.ghostty_terminal_get(terminal._t[0], option, found), "title")
    return bytes(ffi.buffer(found.ptr, found.len)).decode("utf-8", "replace") if found.len else ""


def _shape(recording: Recording) -> bytes:
    """Of the cursor, as it was set last."""
    for part in reversed(recording.parts):
        if found := _SHAPE.findall(part.data):
            return bytes(found[-1])
    return b""


def main() -> None:
    recording = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=Recording)
    if "--patient" in sys.argv:
        os.nice(10)
    sys.stdout.buffer.write(msgspec.msgpack.encode(draw(recording)))


if __name__ == "__main__":
    main()
