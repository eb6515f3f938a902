"""A commit message to begin with, from the task and what changed.

`propose` is the one place that decides whose words they are: the template below speaks where no
agent is asked.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from manyhands.model.session import Session

SUBJECT = 72
MOST_NAMED = 12


def propose(s: Session, changed: Sequence[str]) -> str:
    parts = [_subject(s.title or s.slug), _files(changed)]
    if refers := ", ".join(f"#{i.number}" for i in s.landing.issues if i.number):
        parts.append(f"Refs {refers}")
    return "\n\n".join(filter(None, parts)) + "\n"


def _subject(title: str) -> str:
    line = " ".join(title.split())
    line = line[:1].upper() + line[1:]
    return textwrap.shorten(line, SUBJECT, placeholder=" …").rstrip(".") or "Work of the session"


def _files(changed: Sequence[str]) -> str:
    named = [f"- {path}" for path in changed[:MOST_NAMED]]
    if len(changed) > MOST_NAMED:
        named.append(f"- and {len(changed) - MOST_NAMED} files more")
    return "\n".join(named)
