"""A file in an editor, at its line where the editor is known to take one."""

from __future__ import annotations

import pytest

from manyhands.process.editor import words_for


@pytest.mark.parametrize(
    ("editor", "line", "words"),
    [
        ("/usr/bin/code", 12, ("--goto", "/w/a b.py:12")),
        ("cursor", 0, ("/w/a b.py",)),
        ("zed", 3, ("/w/a b.py:3",)),
        ("pycharm", 7, ("--line", "7", "/w/a b.py")),
        ("gvim", 9, ("+9", "/w/a b.py")),
        ("an-editor-of-mine", 9, ("/w/a b.py",)),
    ],
)
def test_a_line_is_said_as_the_editor_reads_it(
    editor: str, line: int, words: tuple[str, ...]
) -> None:
    assert words_for(editor, "/w/a b.py", line) == words
