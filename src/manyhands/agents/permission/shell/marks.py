"""Words of a command as the shell would make them, with marks for what the text does not say."""

from __future__ import annotations

import re
from itertools import islice, product

UNKNOWN = "\ue000"
"""Anything at all: a variable, a command's output."""
TOKEN = "\ue001"
"""Something without a slash: a number, a date, a commit."""
INSIDE = "\ue002"
"""Paths that were listed inside the worktree."""
JOB = "\ue003"
"""The pid of a process that this very line has started."""
OUT = "\ue004"
"""A directory outside that a variable of the environment names."""
TILDE = "\ue005"
SPLIT = "\ue006"
"""Where an unquoted expansion falls into several words."""
FRESH = "\ue007"
"""A temporary file that this very line has made."""
STAR, MANY, ONE = "\ue008", "\ue009", "\ue00a"
OPEN, COMMA, CLOSE = "\ue00b", "\ue00c", "\ue00d"

MARKED = re.compile("[\ue000-\ue00f]")
GLOBS = {"*": STAR, "?": ONE, "[": MANY}
BRACES = {"{": OPEN, ",": COMMA, "}": CLOSE}
_SHOWN = {
    mark: sign
    for sign, marks in {
        "…": UNKNOWN + TOKEN + INSIDE + OUT + FRESH,
        "$!": JOB,
        "~": TILDE,
        " ": SPLIT,
        "*": STAR,
        "[": MANY,
        "?": ONE,
        "{": OPEN,
        ",": COMMA,
        "}": CLOSE,
    }.items()
    for mark in marks
}
MOST_BRACES = 64
LONGEST_BRIEF = 60


def shown(word: str) -> str:
    return MARKED.sub(lambda mark: _SHOWN.get(mark.group(), "…"), word)


def brief(text: str) -> str:
    """As much of a text as a reason can hold."""
    return shown(text) if len(text) <= LONGEST_BRIEF else f"{shown(text[:LONGEST_BRIEF])}…"


def globs(word: str) -> bool:
    return any(mark in word for mark in (STAR, MANY, ONE))


def unglobbed(word: str) -> str:
    return word.replace(STAR, "*").replace(MANY, "[").replace(ONE, "?")


def fields(text: str) -> list[str]:
    """The words that a built text falls into: split, and its braces expanded."""
    pieces = [piece for piece in text.split(SPLIT) if piece] if SPLIT in text else [text]
    return [word for piece in pieces for word in _unbraced(piece)]


def _unbraced(word: str) -> list[str]:
    """`a{b,c}` is two words; what nests or is too many may be anything."""
    if OPEN not in word:
        return [word.replace(COMMA, ",").replace(CLOSE, "}")]
    groups = re.split(f"{OPEN}([^{OPEN}{CLOSE}]*){CLOSE}", word)
    plain, inner = groups[::2], groups[1::2]
    if any(OPEN in piece or CLOSE in piece for piece in plain):
        return [_literal(word)] if COMMA not in word else [UNKNOWN]
    choices: list[list[str]] = []
    for number, piece in enumerate(plain):
        choices.append([_literal(piece)])
        if number < len(inner):
            choices.append(_choices(inner[number]))
    found = ["".join(combination) for combination in islice(product(*choices), MOST_BRACES + 1)]
    return found if len(found) <= MOST_BRACES else [UNKNOWN]


def _choices(inner: str) -> list[str]:
    return inner.split(COMMA) if COMMA in inner else [f"{{{inner}}}"]


def _literal(piece: str) -> str:
    return piece.replace(OPEN, "{").replace(COMMA, ",").replace(CLOSE, "}")
