"""Text that comes in pieces: its end is held back where that could be part of a secret."""

from __future__ import annotations

import re

from manyhands.model.redaction.contexts import LONGEST, OPEN_VALUE
from manyhands.model.redaction.redactor import Redactor, without
from manyhands.model.redaction.row import Span, linear
from manyhands.model.redaction.table import TABLE
from manyhands.model.redaction.tokens import KEY_BEGIN, OPEN_KEY

LONGEST_HELD = 24 * 1024
LOOKED_BACK = 128
"""Characters before a value in which its name may stand."""
_BLANKS = (" ", "\n", "\t", "\r", '"', "'", "`")
_BEGUN = re.compile(
    f"(?:{'|'.join(re.escape(s[:n]) for s in TABLE.exact for n in range(len(s) - 1, 0, -1))})\\Z"
)
_LONGEST_ANCHOR = max(map(len, TABLE.exact))
_ANCHOR = linear("|".join(map(re.escape, TABLE.exact)))
_REST = re.compile(r"[^\s\"'`]*")


class Redacted:
    """One text on its way: `feed` gives as much as can be shown, `end` the rest."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._held = ""
        self._before = ""
        """The end of what was shown, as it came: it decides what the next words are."""
        self._look_again = 0
        self._swallows = False

    def feed(self, piece: str) -> str:
        if self._swallows:
            rest = _REST.match(piece)
            piece = piece[rest.end() :] if rest else piece
            self._swallows = not piece
        self._held += piece
        # What only grew longer by a word's letters is not looked at for every one of them.
        if len(self._held) < self._look_again and not any(c in piece for c in _BLANKS):
            return ""
        cut = open_end(self._redactor, self._before + self._held) - len(self._before)
        cut = max(0, cut)
        if len(self._held) - cut > LONGEST_HELD:
            return self._give_up()
        shown, self._held = self._held[:cut], self._held[cut:]
        self._look_again = len(self._held) + len(self._held) // 4
        return self._clean(shown)

    def end(self) -> str:
        rest, self._held = self._held, ""
        self._look_again = 0
        return self._clean(rest)

    def _give_up(self) -> str:
        """Longer than any secret that we know of; if it is one all the same, so is what follows."""
        spans = self._redactor.spans(self._before + self._held)
        self._swallows = bool(spans) and spans[-1].end == len(self._before + self._held)
        return self.end()

    def _clean(self, text: str) -> str:
        before = len(self._before)
        whole = self._before + text
        later = [s for s in self._redactor.spans(whole) if s.end > before] if text else []
        shown = [Span(max(s.start, before) - before, s.end - before, s.kind) for s in later]
        self._before = whole[-LOOKED_BACK:]
        return without(text, shown)


def open_end(redactor: Redactor, text: str) -> int:
    """From where on the text may be part of a secret whose end is still to come."""
    cut = min(_begun_word(text), _begun_key(text))
    while (earlier := min((_before(s, text, cut) for s in redactor.known), default=cut)) < cut:
        cut = earlier
    return cut


def _begun_word(text: str) -> int:
    """The last word, if a secret may begin in it or be it."""
    start = max(text.rfind(blank) + 1 for blank in _BLANKS)
    word = text[start:]
    if _ANCHOR.search(word.encode("utf-8", "surrogatepass")):
        return start
    around = text[max(0, start - LOOKED_BACK, len(text) - 2 * LONGEST) :]
    if word and OPEN_VALUE.search(around.encode("utf-8", "surrogatepass")):
        return start
    begun = _BEGUN.search(text, max(start, len(text) - _LONGEST_ANCHOR))
    # The last letter or two of a word are how many begin; as they came they are known later too.
    if begun is None or (len(begun[0]) < 3 and text[: begun.start()][-1:].isalnum()):
        return len(text)
    return begun.start()


def _begun_key(text: str) -> int:
    """The start of a private key that has no end yet."""
    at = text.rfind(KEY_BEGIN)
    return at if at >= 0 and OPEN_KEY.match(text, at) else len(text)


def _before(secret: str, text: str, cut: int) -> int:
    """`cut`, or the start of the secret that lies across it or is cut off by the text's end."""
    at = text.find(secret[0], max(0, min(cut, len(text)) - len(secret) + 1))
    while 0 <= at < cut:
        if secret.startswith(text[at : at + len(secret)]) and at + len(secret) > cut:
            return at
        at = text.find(secret[0], at + 1)
    return cut
