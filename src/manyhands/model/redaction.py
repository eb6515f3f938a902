"""Secrets are taken out of what agents and commands say before anyone stores, sends or shows it.

A *known* secret is a value that we were told of; the rest is found by its pattern. Text that
comes in pieces is held back where its end could be the beginning of a secret.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping

import msgspec

MARK = "[redacted]"
SHORTEST = 6
"""A shorter value is part of too many words to be looked for."""
LONGEST_HELD = 64 * 1024
MOST_KNOWN = 500

_KEY = r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----"
_PATTERNS = {
    "ghp_": r"ghp_[A-Za-z0-9]{20,}",
    "gho_": r"gho_[A-Za-z0-9]{20,}",
    "ghs_": r"ghs_[A-Za-z0-9]{20,}",
    "github_pat_": r"github_pat_[A-Za-z0-9_]{20,}",
    "glpat-": r"glpat-[A-Za-z0-9_-]{16,}",
    # A class name such as task-management-and-so-on is none.
    "sk-": r"(?<![A-Za-z0-9_-])sk-(?=[A-Za-z0-9_-]*\d)[A-Za-z0-9_-]{20,}",
    "AKIA": r"AKIA[0-9A-Z]{16}",
    "ASIA": r"ASIA[0-9A-Z]{16}",
    "AIza": r"AIza[A-Za-z0-9_-]{35}",
    "xox": r"xox[abeoprs]-[A-Za-z0-9-]{10,}",
    "npm_": r"npm_[A-Za-z0-9]{36}",
    "eyJ": r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+",
    "PRIVATE KEY-----": _KEY + r".*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|\Z)",
}
"""By a text that stands in every match: where none of these is found, nothing is looked for."""
_PATTERN = re.compile("|".join(_PATTERNS.values()), re.DOTALL)
_WORD = re.compile(r"[!#-&(-~]*\Z")
"""What every pattern but a private key consists of: printable ASCII without blanks and quotes."""
_STARTS = (*(anchor for anchor in _PATTERNS if not anchor.endswith("-----")), "-----BEGIN ")
_BEGUN = re.compile(
    f"(?:{'|'.join(re.escape(s[:n]) for s in _STARTS for n in range(len(s) - 1, 0, -1))})\\Z"
)
_BEGUN_KEY = re.compile(r"-----BEGIN (?:[A-Z0-9 ]*-{0,5}\Z|[A-Z0-9 ]{0,40}PRIVATE KEY-----)")
_END_KEY = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----")
_ENVELOPE = frozenset({"seq", "session", "type", "at", "turn", "conversation"})
_TELLING_NAME = re.compile(
    r"KEY|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|PRIVATE|AUTH|DSN|COOKIE|CONNECTION",
    re.IGNORECASE,
)
_HOLLOW = re.compile(r"[a-z]+|\d{1,12}|/[\w./-]*|true|false|\$\{?\w+\}?", re.IGNORECASE)
_IN_ADDRESS = re.compile(r"://[^/\s:@]*:([^@\s/]{3,})@")


class Redactor:
    """Takes known secrets and known patterns out of texts and of encoded events."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        lines = {part for secret in secrets for part in (secret, *_lines(secret))}
        known = sorted((s for s in lines if len(s) >= SHORTEST), key=len, reverse=True)
        self._known = known[:MOST_KNOWN]
        self._anchors = (*self._known, *_PATTERNS)
        self._encoded = tuple(msgspec.json.encode(a)[1:-1] for a in self._anchors)

    def text(self, text: str) -> str:
        if not any(anchor in text for anchor in self._anchors):
            return text
        for secret in self._known:
            text = text.replace(secret, MARK)
        return _PATTERN.sub(MARK, text)

    def body(self, body: bytes) -> bytes:
        """An encoded event; its envelope is ours and stays as it is."""
        if not any(anchor in body for anchor in self._encoded):
            return body
        fields: dict[str, object] = msgspec.json.decode(body)
        clean = {k: v if k in _ENVELOPE else self.value(v) for k, v in fields.items()}
        return msgspec.json.encode(clean)

    def value(self, value: object) -> object:
        """The same JSON-like value with every text in it made clean."""
        match value:
            case str():
                return self.text(value)
            case dict():
                return {self.text(k): self.value(v) for k, v in value.items()}
            case list() | tuple():
                return [self.value(v) for v in value]
            case _:
                return value

    def open_end(self, text: str) -> int:
        """From where on the text may be part of a secret whose end is still to come."""
        cut = _begun_key(text, _begun_word(text))
        while (earlier := min((_before(s, text, cut) for s in self._known), default=cut)) < cut:
            cut = earlier
        return cut


class Redacted:
    """One text on its way: `feed` gives as much as can be shown, `end` the rest."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._held = ""
        self._last = ""
        """What was shown before, as far as it decides whether a word begins here."""

    def feed(self, piece: str) -> str:
        self._held += piece
        cut = self._redactor.open_end(self._held)
        if len(self._held) - cut > LONGEST_HELD:
            return self.end()
        shown, self._held = self._held[:cut], self._held[cut:]
        return self._clean(shown)

    def end(self) -> str:
        rest, self._held = self._held, ""
        return self._clean(rest)

    def _clean(self, text: str) -> str:
        whole = self._redactor.text(self._last + text)
        shown = whole[len(self._last) :]
        self._last = text[-1:] or self._last
        return shown


class RedactingFormatter(logging.Formatter):
    """Lines of a log file, tracebacks included."""

    def __init__(self, redactor: Redactor) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")
        self._redactor = redactor

    def format(self, record: logging.LogRecord) -> str:
        return self._redactor.text(super().format(record))


def _begun_word(text: str) -> int:
    """Where, in the last word, a pattern begins or may be about to begin."""
    found = _WORD.search(text)
    word = found.start() if found else len(text)
    starts = [at for s in _STARTS if (at := text.find(s, word)) >= 0]
    begun = _BEGUN.search(text, max(0, len(text) - len("github_pat_")))
    return min([*starts, begun.start() if begun else len(text)])


def _begun_key(text: str, cut: int) -> int:
    """`cut`, or the start of the private key that lies across it."""
    if "-----BEGIN " in text:
        for key in _BEGUN_KEY.finditer(text, 0, cut):
            end = _END_KEY.search(text, key.end())
            if end is None or end.end() > cut:
                return key.start()
    return cut


def _before(secret: str, text: str, cut: int) -> int:
    """`cut`, or the start of the secret that lies across it or is cut off by the text's end."""
    at = text.find(secret[0], max(0, min(cut, len(text)) - len(secret) + 1))
    while 0 <= at < cut:
        if secret.startswith(text[at : at + len(secret)]) and at + len(secret) > cut:
            return at
        at = text.find(secret[0], at + 1)
    return cut


def _lines(secret: str) -> list[str]:
    """Parts of a secret of several lines, which may be printed one by one."""
    lines = [line.strip() for line in secret.splitlines()]
    return [line for line in lines if len(line) >= 16 and " " not in line] if lines[1:] else []


def secret_values(variables: Mapping[str, str]) -> list[str]:
    """Those values that look like secrets, by their own form or by the name they go by."""
    found = [v for name, v in variables.items() if _TELLING_NAME.search(name) and _is_full(v)]
    found += [v for v in variables.values() if _PATTERN.fullmatch(v)]
    found += [m[1] for v in variables.values() if (m := _IN_ADDRESS.search(v))]
    return found


def _is_full(value: str) -> bool:
    """Whether a value can be a secret at all; a plain word, number or path is none."""
    return len(value) >= 8 and not _HOLLOW.fullmatch(value)
