"""What a preview refuses, in one sentence."""

from __future__ import annotations


class PreviewRefused(Exception):
    """AppAnswer instead of the app; the connection ends."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence
