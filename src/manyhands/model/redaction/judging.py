"""Whether a value can be a secret, by its form and by the name that it goes by."""

from __future__ import annotations

import math
import re
from collections import Counter

TELLING_NAME = re.compile(
    r"(?<!GIT_CONFIG_)KEY|TOKEN|SECRET|PASS(?!THROUGH|IVE|ENGER|AGE)|PWD|CREDENTIAL|PRIVATE|AUTH(?!OR)|DSN|COOKIE"
    r"|CONNECTION",
    re.IGNORECASE,
)
_STRONG_NAME = re.compile(r"TOKEN|SECRET|PASS|PWD|CREDENTIAL", re.IGNORECASE)
_HOLLOW = re.compile(r"[a-z]+|\d{1,12}|/[\w./-]*|true|false|\$\{?\w+\}?", re.IGNORECASE)
_NO_WORD = re.compile(r"\d{1,12}|/[\w./-]*")
_PLACEHOLDER = re.compile(
    r"(?i)[$<{\[%(*=!?@|~/.].*|.*[({$].*|x{3,}|\.{2,}|-+|_+|null|none|nil|true|false|undefined|"
    r"(?:my|your|the|some|a)?[-_]?(?:(?:db|api|access|secret)[-_]?)?"
    r"(?:pass|passwd|password|pw|pwd|secret|token|key|user|postgres|root|admin|test|guest|example|"
    r"change[-_]?me|string|str|bytes|required|optional|redacted|dummy|"
    r"self|os|env|process|config|settings|request|args|options)(?:[-_.\[]\w*)*",
    re.DOTALL,
)
_MIXED = re.compile(r"(?=\D*\d)(?=[\W\d_]*[^\W\d_])")
_LOOKED_AT = 64


def is_placeholder(value: str) -> bool:
    """What stands for a secret: a variable, a call, a word for it."""
    return _PLACEHOLDER.fullmatch(value[:_LOOKED_AT]) is not None


def is_random(value: str, least: int) -> bool:
    """Whether it looks drawn rather than written: of letters and digits, few of them twice."""
    seen = value[:_LOOKED_AT]
    if len(seen) < least or not _MIXED.match(seen):
        return False
    counts = Counter(seen).values()
    bits = -sum(n / len(seen) * math.log2(n / len(seen)) for n in counts)
    return bits >= min(3.0, math.log2(len(seen)) - 0.5)


def is_secret(name: str, value: str) -> bool:
    """Whether what goes by this name can be a secret; a plain word, number or path is none."""
    if not TELLING_NAME.search(name) or is_placeholder(value):
        return False
    if _STRONG_NAME.search(name):
        return len(value) >= (14 if value.isalpha() else 6) and not _NO_WORD.fullmatch(value)
    return len(value) >= 8 and not _HOLLOW.fullmatch(value)


_NAMES_ONE = re.compile(
    r"(?i)(?:.*[_.-])?(?:password|passwd|passphrase|pass|pwd|secret|token|api[_-]?key|credentials?|"
    r"(?:access|secret|private|signing)[_-]?key|authorization|[a-z]*(?:password|secret|token))"
)


def is_named(name: str, value: str) -> bool:
    """Whether a field's name says that its text is a secret, and nothing of the text denies it."""
    if len(name) > 80 or not _NAMES_ONE.fullmatch(name):
        return False
    return (
        len(value) >= 6 and " " not in value and not is_placeholder(value) and is_random(value, 6)
    )
