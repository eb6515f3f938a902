"""A search as people type it, `label:bug author:dana crash`, taken apart for a forge."""

from __future__ import annotations

import shlex
from dataclasses import dataclass


@dataclass(frozen=True)
class Search:
    words: str
    """What is left over: plain text."""
    terms: dict[str, tuple[str, ...]]
    """By key, what was asked for."""

    def first(self, key: str) -> str:
        return next(iter(self.terms.get(key, ())), "")


def parse_search(text: str, keys: tuple[str, ...]) -> Search:
    """Only these keys are ours; a word such as `foo:bar` is plain text."""
    try:
        pieces = shlex.split(text)
    except ValueError:  # a lone quote
        pieces = text.split()
    words: list[str] = []
    terms: dict[str, tuple[str, ...]] = {}
    for piece in pieces:
        key, mark, value = piece.partition(":")
        if mark and value and key in keys:
            terms[key] = (*terms.get(key, ()), value)
        else:
            words.append(piece)
    return Search(" ".join(words), terms)
