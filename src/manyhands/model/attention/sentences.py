"""What a person is told of a session, in one sentence that names it and what is asked; no code."""

from __future__ import annotations

import re
from collections.abc import Callable

from manyhands.model.attention.attention import Attention
from manyhands.model.session.session import Session

LONGEST_QUOTE = 120
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`]*`", re.DOTALL)
_STEP = re.compile(r"^\s{0,3}(?:\d+[.)]|[-*])\s+\S", re.MULTILINE)
_NUMBERED = re.compile(r"^\s{0,3}\d+[.)]\s+\S", re.MULTILINE)
_TOOLS = {
    "Bash": "run a command",
    "Write": "write a file",
    "Edit": "change a file",
    "MultiEdit": "change a file",
    "NotebookEdit": "change a notebook",
    "Read": "read a file outside its worktree",
    "WebFetch": "open a web page",
    "WebSearch": "search the web",
    "Network": "reach a host that its box does not list",
}


def attention_sentence(s: Session, item: Attention) -> str:
    return f"{s.slug} {_WHAT[item.kind](s, item)}"


def finished_sentence(s: Session) -> str:
    files = f", {_count(s.totals.files, 'file')} changed" if s.totals.files else ""
    return f"{s.slug} has finished turn {s.main.turn}{files}"


def failed_sentence(s: Session) -> str:
    return f"{s.slug} has failed: {_words(s.life.error)}"


def _plan(s: Session, item: Attention) -> str:
    text = str(item.detail.get("plan", ""))
    steps = len(_NUMBERED.findall(text)) or len(_STEP.findall(text))
    return f"proposes a plan, {_count(steps, 'step')}" if steps else "proposes a plan"


def _permission(s: Session, item: Attention) -> str:
    tool = str(item.detail.get("tool") or item.detail.get("tool_name") or "")
    deed = _TOOLS.get(tool) or f"use {_words(tool) or 'a tool'}"
    return f"asks whether it may {deed}"


def _question(s: Session, item: Attention) -> str:
    asked = item.detail.get("questions")
    texts = [str(q.get("question", "")) for q in asked] if isinstance(asked, list) else []
    if len(texts) > 1:
        return f"asks {len(texts)} questions, the first: {_words(texts[0])}"
    return f"asks: {_words(texts[0] if texts else item.summary)}"


def _budget(s: Session, item: Attention) -> str:
    return f"asks whether to go on ({_words(item.summary)})"


def _bell(s: Session, item: Attention) -> str:
    text = _words(str(item.detail.get("text", "")))
    return f"rings: {text}" if text else "rings its bell"


def _stray(s: Session, item: Attention) -> str:
    if "gone" in item.detail:
        return "has lost its worktree: bring it back?"
    if "lost" in item.detail:
        return "was at work while something was lost that all worktrees share"
    if "stash" in item.detail:
        return "has left something on the stash that all worktrees share"
    if "unkept" in item.detail:
        return "works where branches, tags and stash cannot be kept"
    return "has changed files outside its worktree"


_WHAT: dict[str, Callable[[Session, Attention], str]] = {
    "plan": _plan,
    "permission": _permission,
    "question": _question,
    "budget": _budget,
    "limit": lambda s, item: f"waits for a limit: {_words(item.summary)}",
    "setup_failed": lambda s, item: "could not be set up: try again, or go on without it?",
    "agent_died": lambda s, item: f"has lost its agent in turn {s.main.turn}: resume it?",
    "trust": lambda s, item: "waits: the repository brings scripts that you have not approved",
    "stray_edit": _stray,
    "bell": _bell,
    "conflict": lambda s, item: f"is in conflict: {_words(item.summary)}",
    "issues": lambda s, item: _words(item.summary),
    "landing": lambda s, item: f"does not land by itself: {_words(item.summary)}",
}


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _words(text: str) -> str:
    """The first line without code, on one line and not too long."""
    lines = _CODE.sub("…", text).strip().splitlines()
    plain = "".join(c for c in (lines[0] if lines else "") if c.isprintable()).strip()
    return plain if len(plain) <= LONGEST_QUOTE else plain[: LONGEST_QUOTE - 1] + "…"
