"""Title and body of a pull request: from task, the agent's summary, checks run and issues."""

from __future__ import annotations

import re

import msgspec

from manyhands.forges.scan import secret_in
from manyhands.hub.core import Hub, worktree_of
from manyhands.hub.landing.summary import markdown_summary
from manyhands.model.ids import Oid
from manyhands.model.landing.merge_events import ChecksFinished, ChecksStarted
from manyhands.model.session.session import Session
from manyhands.station.landing.checks import load_tree
from manyhands.station.landing.push import load_template

LONGEST_TITLE = 250
LONGEST_PART = 6000
_HEADING = re.compile(r"(?im)^#{1,4}[ \t]+.*\b(?:description|summary|changes|what|overview)\b.*$")


class _Words(msgspec.Struct):
    text: str = ""


async def pr_text(hub: Hub, s: Session, commit: Oid) -> tuple[str, str]:
    title = " ".join((s.title or s.slug).split())[:LONGEST_TITLE]
    template = await load_template(worktree_of(hub, s), commit)
    return title, fill(template, await _own_words(hub, s, commit))


async def _own_words(hub: Hub, s: Session, commit: Oid) -> str:
    summary = await markdown_summary(hub, s, LONGEST_PART)
    parts = [_bounded(summary)] if summary else []
    task = "" if s.landing.issues else await _asked_first(hub, s)
    if task:
        parts.append("**Task**\n\n" + "\n".join(f"> {x}" for x in _bounded(task).splitlines()))
    parts += await _checks_run(hub, s, commit)
    parts += [f"Closes #{issue.number}" for issue in s.landing.issues if issue.number]
    return "\n\n".join(parts) or s.title


async def _checks_run(hub: Hub, s: Session, commit: Oid) -> list[str]:
    """The checks that ran last, if it was on exactly what is proposed."""
    begun = await hub.store.one(s.id, "checks_started", last=True)
    ended = await hub.store.one(s.id, "checks_finished", last=True)
    if begun is None or ended is None:
        return []
    started = msgspec.json.decode(begun, type=ChecksStarted)
    finished = msgspec.json.decode(ended, type=ChecksFinished)
    tree = await load_tree(worktree_of(hub, s), commit)
    if {started.tree, finished.tree} != {tree} or not finished.passed:
        return []
    listed = "\n".join(f"- `{command}` passed" for command in started.commands)
    return [f"**Checks run**\n\n{listed}"]


async def _asked_first(hub: Hub, s: Session) -> str:
    body = await hub.store.one(s.id, "user_message", last=False)
    return msgspec.json.decode(body, type=_Words).text.strip() if body else ""


def _bounded(text: str) -> str:
    """Cut, and with nothing in it that looks like a secret."""
    lines = ["[left out: it looks like a secret]" if secret_in(x) else x for x in text.splitlines()]
    whole = "\n".join(lines)
    return whole if len(whole) <= LONGEST_PART else whole[:LONGEST_PART] + " …"


def fill(template: str, words: str) -> str:
    """Under the heading that asks for a description, else before everything."""
    if not template.strip():
        return words + "\n"
    heading = _HEADING.search(template)
    at = heading.end() if heading else 0
    before, after = template[:at].rstrip(), template[at:].strip()
    return "\n\n".join(filter(None, (before, words, after))) + "\n"
