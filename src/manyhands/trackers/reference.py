"""What an issue is called: `12`, `#12`, `owner/name#12`, `ENG-123`, `NAME:…`, or its address.

The name of a tracker before a colon settles every doubt. Which tracker else is meant, the hub finds
among those that are configured.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from manyhands.errors import BadInput

_NUMBER = re.compile(r"#?(?P<number>[1-9]\d{0,9})")
_FOREIGN = re.compile(r"(?P<slug>[\w.-]+(?:/[\w.-]+)+)#(?P<number>[1-9]\d{0,9})")
_KEY = re.compile(r"(?P<project>[A-Za-z][A-Za-z0-9_]*)-(?P<number>[1-9]\d{0,9})")
_NAMED = re.compile(r"(?P<tracker>[\w.-]+):(?P<rest>[^/].*)")
_ON_FORGE = re.compile(r"/(?P<slug>[\w.-]+(?:/[\w.-]+)+?)(?:/-)?/issues/(?P<number>[1-9]\d{0,9})")
_ELSEWHERE = re.compile(r"/(?:.*/)?(?:browse|issue)/(?P<key>[A-Za-z][A-Za-z0-9_]*-[1-9]\d{0,9})")
FORMS = "12, #12, owner/name#12, ENG-123, NAME:12 or the issue's address"


@dataclass(frozen=True)
class Reference:
    key: str
    """`12` or `ENG-123`."""
    tracker: str = ""
    """As it is named in the config, where that was said."""
    slug: str = ""
    """`owner/name`, where that was said."""
    host: str = ""
    """Of the address, where it was given by that."""

    @property
    def is_number(self) -> bool:
        return self.key.isdecimal()

    @property
    def project(self) -> str:
        """`ENG` of ENG-123."""
        return "" if self.is_number else self.key.rpartition("-")[0]


def parse_reference(text: str, tracker: str = "") -> Reference:
    given = text.strip()
    if "://" in given:
        return _address(given, tracker)
    if found := _FOREIGN.fullmatch(given):
        return Reference(found["number"], tracker, found["slug"])
    if found := _NUMBER.fullmatch(given):
        return Reference(found["number"], tracker)
    if _KEY.fullmatch(given):
        return Reference(given.upper(), tracker)
    if found := _NAMED.fullmatch(given):
        return parse_reference(found["rest"], found["tracker"])
    raise BadInput(f"{given!r} does not name an issue", hint=f"say it as {FORMS}")


def _address(given: str, tracker: str) -> Reference:
    parts = urlsplit(given)
    host = (parts.hostname or "") + (f":{parts.port}" if parts.port else "")
    path = parts.path.rstrip("/")
    if found := _ON_FORGE.fullmatch(path):
        return Reference(found["number"], tracker, found["slug"], host)
    # Linear puts the title after the key.
    if found := _ELSEWHERE.match(path):
        return Reference(found["key"].upper(), tracker, host=host)
    raise BadInput(f"{given} is not the address of an issue", hint=f"say it as {FORMS}")
