"""A template of a pull request, filled in: each part of what is told under the heading that asks
for it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

import msgspec

Part = Literal["summary", "task", "checks", "closes"]
_HEADING = re.compile(r"^(?:#{1,6}[ \t]+(.+?)[ \t]*#*|\*\*([^*\n]+)\*\*:?)[ \t]*$")
_FENCE = re.compile(r"^\s*(?:`{3,}|~{3,})")
_COMMENT = re.compile(r"[ \t]*<!--.*?-->[ \t]*\n?", re.DOTALL)
_NOTHING = re.compile(r"(?i)\b(?:types? of|check ?list|screenshots?|deploy\w*|risk|license)\b")
_ASKS: tuple[tuple[Part, re.Pattern[str]], ...] = (
    ("summary", re.compile(r"(?i)^\W*(?:description|summary|overview|changes?)\b")),
    ("checks", re.compile(r"(?i)\b(?:test(?:s|ed|ing)?|verif\w+|checks|qa|validation)\b")),
    ("closes", re.compile(r"(?i)\b(?:issues?|tickets?|fix(?:es)?|closes?|related|linked)\b")),
    ("task", re.compile(r"(?i)\b(?:motivation|context|background|problem|task)\b|^\W*why\b")),
    ("summary", re.compile(r"(?i)\b(?:changes?|what|proposed|purpose|details?|about|solution)\b")),
)
_BLANK_CLOSING = re.compile(
    r"(?im)^[ \t]*[-*]?[ \t]*(?:fix(?:es)?|close[sd]?|resolve[sd]?|issue)?:?[ \t]*"
    r"#[ \t]*\(?(?:issue|issue[ _-]?number|number|nn+|x+|0+|\.{3}|…)?\)?[ \t]*$\n?"
)


class PrWords(msgspec.Struct, frozen=True, kw_only=True):
    """What a pull request has to tell, part by part; what is empty is left out."""

    summary: str = ""
    task: str = ""
    checks: str = ""
    closes: str = ""

    def whole(self) -> str:
        heads = {"task": "**Task**\n\n", "checks": "**Checks run**\n\n"}
        parts = ((heads.get(name, ""), getattr(self, name)) for name in ORDER)
        return "\n\n".join(head + text for head, text in parts if text)


ORDER: tuple[Part, ...] = ("summary", "task", "checks", "closes")


@dataclass
class _Section:
    heading: str
    asks: Part | None
    text: str


def fill(template: str, words: PrWords) -> str:
    """What no heading asks for stands with the summary; without a place for that, first of all."""
    if not template.strip():
        return words.whole() + "\n"
    sections = _sections(template)
    left = dict(zip(ORDER, (getattr(words, name) for name in ORDER), strict=True))
    for section in sections:
        if section.asks and section.asks != "summary" and (told := left[section.asks]):
            _put(section, told)
            left[section.asks] = ""
    rest = PrWords(**left).whole()
    place = next((section for section in sections if section.asks == "summary"), None)
    if rest and place:
        _put(place, rest)
    elif rest:
        sections.insert(0, _Section("", None, rest))
    shown = ("\n\n".join(filter(None, (s.heading, s.text.strip()))) for s in sections)
    return "\n\n".join(filter(None, shown)) + "\n"


def _put(section: _Section, told: str) -> None:
    """In place of what explains the section to whoever fills it in."""
    kept = _COMMENT.sub("", section.text)
    if section.asks == "closes":
        kept = _BLANK_CLOSING.sub("", kept)
    section.text = "\n\n".join(filter(None, (told, kept.strip())))


def _sections(template: str) -> list[_Section]:
    sections = [_Section("", None, "")]
    fenced = hidden = False
    for line in template.splitlines():
        heading = None if fenced or hidden else _HEADING.match(line)
        if heading:
            sections.append(_Section(line.strip(), _asked(heading[1] or heading[2]), ""))
            continue
        fenced ^= bool(_FENCE.match(line))
        hidden = _is_hidden(line, hidden)
        sections[-1].text += line + "\n"
    return sections


def _is_hidden(line: str, before: bool) -> bool:
    """Whether a comment is open after the line."""
    return line.rfind("<!--") > line.rfind("-->") or (before and "-->" not in line)


def _asked(heading: str) -> Part | None:
    if _NOTHING.search(heading):
        return None
    return next((part for part, asks in _ASKS if asks.search(heading)), None)
