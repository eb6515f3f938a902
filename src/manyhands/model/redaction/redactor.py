"""Takes known secrets, and what the table finds, out of texts and of encoded events."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import itemgetter

import msgspec

from manyhands.model.redaction.judging import is_named
from manyhands.model.redaction.row import Span
from manyhands.model.redaction.table import TABLE

MARK = "[redacted]"
SHORTEST = 6
"""A shorter value is part of too many words to be looked for."""
MOST_KNOWN = 500
_ENVELOPE = frozenset({"seq", "session", "type", "at", "turn", "conversation"})


def mark(kind: str) -> str:
    """What stands in the place of a secret; of one that we were told of, no more is said."""
    return f"[redacted: {kind}]" if kind else MARK


def is_redacted(text: str) -> bool:
    """Whether a secret was taken out of it."""
    return "[redacted]" in text or "[redacted: " in text


class Redactor:
    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self.known: tuple[str, ...] = ()
        self._encoded: tuple[bytes, ...] = ()
        self.learn(secrets)

    def learn(self, secrets: Iterable[str]) -> None:
        """Know these too; of more than there is room for, the newest."""
        lines = [part for secret in secrets for part in (secret, *_lines(secret))]
        fit = (s for s in lines if len(s) >= SHORTEST and s not in MARK)
        newest = list(dict.fromkeys((*fit, *self.known)))[:MOST_KNOWN]
        if set(newest) != set(self.known):
            # The longest first: one may be part of another.
            self.known = tuple(sorted(newest, key=len, reverse=True))
            self._encoded = tuple(msgspec.json.encode(s)[1:-1] for s in self.known)

    def spans(self, text: str) -> list[Span]:
        """Where secrets stand, in order, none over another."""
        found = [span for secret in self.known if secret in text for span in _all(secret, text)]
        # A known one first: who told us of it knows where it ends.
        return _apart([*found, *TABLE.find(text)])

    def text(self, text: str) -> str:
        return without(text, self.spans(text))

    def lines(self, text: str) -> str:
        """The same for what is counted by lines, such as a file or a patch: each stays a line, and
        begins as it did."""
        spans = self.spans(text)
        return without(text, [part for span in spans for part in _by_line(text, span)])

    def bodies(self, bodies: Sequence[bytes]) -> list[bytes]:
        """Encoded events; one look tells where there is nothing in any of them."""
        if not self._may_hold(b"\n".join(bodies)):
            return list(bodies)
        return [self.body(body) for body in bodies]

    def body(self, body: bytes) -> bytes:
        """An encoded event, the very same where it holds no secret; its envelope is ours and stays
        as it is."""
        if not self._may_hold(body):
            return body
        fields: dict[str, object] = msgspec.json.decode(body)
        clean = {k: v if k in _ENVELOPE else self.value(v) for k, v in fields.items()}
        return body if clean == fields else msgspec.json.encode(clean)

    def _may_hold(self, body: bytes) -> bool:
        return TABLE.shows(body) or any(map(body.__contains__, self._encoded))

    def value(self, value: object) -> object:
        """The same JSON-like value with every text in it made clean."""
        match value:
            case str():
                return self.text(value)
            case dict():
                return {self.text(k): self._named(k, v) for k, v in value.items()}
            case list() | tuple():
                return [self.value(v) for v in value]
            case _:
                return value

    def _named(self, name: str, value: object) -> object:
        """A text that goes by a name which says that it is a secret."""
        if isinstance(value, str) and is_named(name, value):
            return mark("a value that looks like a secret")
        return self.value(value)


def without(text: str, spans: Sequence[Span]) -> str:
    if not spans:
        return text
    parts, at = [], 0
    for span in spans:
        parts += [text[at : span.start], mark(span.kind)]
        at = span.end
    return "".join([*parts, text[at:]])


def _all(secret: str, text: str) -> Iterable[Span]:
    at = text.find(secret)
    while at >= 0:
        yield Span(at, at + len(secret), "")
        at = text.find(secret, at + len(secret))


def _apart(spans: list[Span]) -> list[Span]:
    """In order; those that overlap are one, of the kind that begins first."""
    made: list[Span] = []
    for span in sorted(spans, key=itemgetter(0)):
        if made and span.start < made[-1].end:
            last = made[-1]
            made[-1] = last._replace(end=max(last.end, span.end))
        else:
            made.append(span)
    return made


def _by_line(text: str, span: Span) -> Iterable[Span]:
    at = span.start
    for line in text[span.start : span.end].split("\n"):
        # The first character of a patch's line says what became of it.
        first = at + (at > span.start and line[:1] in ("+", "-", " "))
        last = at + len(line.removesuffix("\r"))
        if first < last:
            yield Span(first, last, span.kind)
        at += len(line) + 1


def _lines(secret: str) -> list[str]:
    """Parts of a secret of several lines, which may be printed one by one."""
    lines = [line.strip() for line in secret.splitlines()]
    return [line for line in lines if len(line) >= 16 and " " not in line] if lines[1:] else []
