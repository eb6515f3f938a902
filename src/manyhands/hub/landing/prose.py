"""An agent's words as a commit or a pull request has them: what was done and why, without chatter.

A commit message is plain text: code, tables and the marks of Markdown stay out of it. The body of a
pull request keeps them. Whoever speaks to nobody in particular does not ask, offer or greet.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

SUBJECT = 72
WIDTH = 72
LONGEST_BODY = 3000
FEWEST_WORDS = 3

_FENCE = re.compile(r"^\s*(`{3,}|~{3,})")
_TABLE = re.compile(r"^\s*\|.*\|\s*$|^\s*:?-{3,}:?\s*\|")
_RULE = re.compile(r"^\s*([-*_])(?:\s*\1){2,}\s*$")
_HEADING = re.compile(r"^\s*(?:#{1,6}\s+(.+?)\s*#*|\*\*([^*]+?)\*\*:?)\s*$")
_ITEM = re.compile(r"^(\s*)([-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(.*)$")
_QUOTE = re.compile(r"^\s*>\s?")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_PLAIN_HEADING = re.compile(
    r"(?i)(?:the )?(?:brief |short )?(?:summary|overview|recap|changes?|done|result|"
    r"what (?:i|was|has)\b.*|what'?s changed|changes made|work done|summary of .*|"
    r"here'?s what .*)[.:!]*"
)
_NOT_DONE = re.compile(
    r"(?i)(?:possible |suggested )?(?:next steps?|follow-?ups?|usage|how to .*|questions?.*|"
    r"let me know.*|to (?:run|test|verify|try) .*|running .*)[.:!]*"
)
_INLINE = (
    (re.compile(r"!\[[^\]]*\]\([^)]*\)"), ""),
    (re.compile(r"\[([^\]]+)\]\([^)\s]*\)"), r"\1"),
    (re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1"), r"\2"),
    (re.compile(r"(?<![\w*])\*(?=[^\s*])([^*]+?)(?<=[^\s*])\*(?![\w*])"), r"\1"),
    (re.compile(r"[\u2600-\u27bf\U0001f000-\U0001faff\ufe0f\u2b50\u2b55]\s*"), ""),
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z“\"'`(])")
_OPENER = re.compile(
    r"(?i)^(?:all )?(?:done|ready|finished|complete[d]?|great|perfect|excellent|sure|certainly|"
    r"of course|okay|ok|alright|all set|good news|success)\b(?:\s*[-—–:,!]+\s*|[.!]*$)"
)
_CHATTER = re.compile(
    r"(?i)(?:"
    r"(?:i(?:'ve|’ve| have)?|we(?:'ve|’ve| have)?) (?:now )?(?:successfully )?"
    r"(?:completed|finished|done)\b.{0,50}"
    r"|(?:the|this|your|that) (?:task|work|request|job)(?: is|'s|’s| has been) .{0,40}"
    r"|(?:everything|it|that)(?:'s|’s| is) (?:all )?(?:done|ready|set|in place|complete).{0,20}"
    r"|(?:here|below)(?:'s|’s| is| are) .{0,80}:?"
    r"|(?:in )?summary:?|to summari[sz]e:?"
    r"|(?:please )?let me know\b.*|(?:please )?feel free\b.*|happy to\b.*|glad to\b.*|i hope\b.*"
    r"|please (?:review|check|tell|confirm|let)\b.*"
    r"|(?:would|do|should|shall|could|can|may|want|is|are|anything|which|what|how)\b.*\?"
    r"|if you(?:'d|’d| would)? (?:like|want|need|prefer|have)\b.*|i can (?:also )?\b.*if you\b.*"
    r"|(?:now )?(?:let me|i(?:'ll|’ll| will)|i am going to|i'm going to) .*"
    r")[.!:]?"
)
_ASKING = re.compile(
    r"(?i)^(?:please|kindly|can you|could you|would you|will you|i want you to|i need you to|"
    r"i(?:'d|’d| would) like you to|you should|we (?:need|want|have) to|let(?:'|’)?s|help me)"
    r"\b[\s,]*"
)
_SPEAKER = re.compile(
    r"(?i)^(?:i|we)(?:'ve|’ve| have)?\s+(?:now |also |just |successfully )*(?=\w+(?:ed|t|e|k)\b)"
)
_VERBS = frozenset(
    re.findall(
        r"\w+",
        """
        add allow change clean convert correct create delete disable document drop enable ensure
        expose extend extract fix handle implement improve introduce keep limit merge move port
        prevent reduce refactor remove rename replace restore rework separate simplify start stop
        support switch test turn update use validate wrap
        """,
    )
)
_IRREGULAR = {"made": "make", "wrote": "write", "rewrote": "rewrite", "built": "build"} | {
    "kept": "keep",
    "taught": "teach",
}


@dataclass
class Passage:
    """A paragraph, or with a mark an item of a list."""

    text: str
    mark: str = ""
    level: int = 0

    def wrapped(self) -> str:
        lead = "  " * self.level + (f"{self.mark} " if self.mark else "")
        return textwrap.fill(
            self.text,
            WIDTH,
            initial_indent=lead,
            subsequent_indent=" " * len(lead),
            break_long_words=False,
            break_on_hyphens=False,
        )


def blocks(text: str) -> list[Passage]:
    """What a commit message can say of it; none where nothing was told."""
    found = [b for b in map(_told, _parts(_COMMENT.sub("", text))) if b.text]
    while found and (found[-1].text.endswith(":") or _is_question(found[-1])):
        found.pop()
    words = sum(len(block.text.split()) for block in found)
    return found if words >= FEWEST_WORDS else []


def _is_question(block: Passage) -> bool:
    return block.text.endswith("?")


def body(found: Iterable[Passage]) -> str:
    """Wrapped, items of a list close together; whole paragraphs, as many as are bearable."""
    lines: list[str] = []
    before: Passage | None = None
    for block in found:
        wrapped = block.wrapped()
        if lines and sum(map(len, lines)) + len(wrapped) > LONGEST_BODY:
            break
        apart = before is not None and not (before.mark and block.mark)
        if before is not None and block.mark and before.text.endswith(":"):
            apart = False
        lines += ["", wrapped] if apart else [wrapped]
        before = block
    return "\n".join(lines)[: 2 * LONGEST_BODY]


def subject(title: str, found: list[Passage], *, first: bool) -> tuple[str, list[Passage]]:
    """The first line, and what is left to be said below it. The task names the first commit; a
    later one, or one whose task takes more than a line, is named by what was done."""
    line = _capital(_ASKING.sub("", " ".join(title.split()))).rstrip(".:")
    if (first and 0 < len(line) <= SUBJECT) or not found:
        return textwrap.shorten(line, SUBJECT, placeholder=" …"), found
    sentence, *rest = _SENTENCE.split(found[0].text)
    said = imperative(sentence)
    if found[0].mark or len(said) > SUBJECT or len(said.split()) < FEWEST_WORDS:
        return textwrap.shorten(line, SUBJECT, placeholder=" …"), found
    left = [Passage(" ".join(rest))] if rest else []
    return said, [*left, *found[1:]]


def imperative(sentence: str) -> str:
    """“I've added X.” as “Add X”."""
    words = _SPEAKER.sub("", sentence.strip()).rstrip(".:!")
    verb, space, rest = words.partition(" ")
    return _capital(_present(verb.lower()) or verb) + space + rest


def _present(verb: str) -> str:
    """“added” as “add”; empty for what is no verb that we know."""
    stems = (verb[:-1], verb[:-2], verb[:-3], f"{verb[:-3]}y") if verb.endswith("ed") else ()
    return _IRREGULAR.get(verb) or next((stem for stem in stems if stem in _VERBS), "")


def markdown(text: str) -> str:
    """As it stands, but for the chatter before and after."""
    parts = re.split(r"\n{2,}", _COMMENT.sub("", text).strip())
    if parts and _is_prose(parts[0]):
        parts[0] = _without_chatter(parts[0])
    if parts and _is_prose(parts[-1]):
        parts[-1] = _without_chatter(parts[-1])
        if parts[-1].endswith("?"):
            parts.pop()
    told = "\n\n".join(filter(None, parts)).strip()
    return told if len(told.split()) >= FEWEST_WORDS else ""


def _is_prose(part: str) -> bool:
    marks = (_FENCE, _TABLE, _HEADING, _ITEM, _QUOTE)
    return not any(mark.match(part.splitlines()[0]) for mark in marks) if part else False


def _capital(line: str) -> str:
    return line[:1].upper() + line[1:]


def _parts(text: str) -> Iterator[Passage]:
    """Paragraphs, items and headings as they come; code, tables and rules are passed over."""
    current: Passage | None = None
    fence, skipping = "", False
    for line in text.splitlines():
        if found := _FENCE.match(line):
            fence = "" if fence and found[1].startswith(fence) else fence or found[1]
            continue
        if fence or _TABLE.match(line):
            continue
        line = _QUOTE.sub("", line)
        heading = _HEADING.match(line)
        starts = heading is not None or not line.strip() or bool(_RULE.match(line))
        if starts or _ITEM.match(line):
            if current is not None:
                yield current
            current = None
        if heading:
            name = (heading[1] or heading[2]).strip()
            skipping = bool(_NOT_DONE.fullmatch(_inline(name).strip()))
            if not skipping and not _PLAIN_HEADING.fullmatch(_inline(name).strip()):
                yield Passage(f"{name.rstrip(':')}:")
        if starts or skipping:
            continue
        current = _joined(current, line)
    if current is not None:
        yield current


def _joined(current: Passage | None, line: str) -> Passage:
    if item := _ITEM.match(line):
        mark = "-" if not item[2][0].isdigit() else item[2]
        return Passage(item[3].strip(), mark, min(len(item[1].expandtabs(4)) // 2, 2))
    if current is None:
        return Passage(line.strip())
    return Passage(f"{current.text} {line.strip()}".strip(), current.mark, current.level)


def _told(block: Passage) -> Passage:
    text = _inline(block.text)
    return Passage(text if block.mark else _without_chatter(text), block.mark, block.level)


def _inline(text: str) -> str:
    for pattern, instead in _INLINE:
        text = pattern.sub(instead, text)
    return " ".join(text.split())


def _without_chatter(paragraph: str) -> str:
    """Line breaks within it stay."""
    said = [_OPENER.sub("", sentence.strip()) for sentence in _SENTENCE.split(paragraph)]
    kept = [_capital(x) for x in said if x and not _CHATTER.fullmatch(x.strip())]
    return " ".join(kept)
