"""What a session's agent said that it did: its last words in each turn that came to its end."""

from __future__ import annotations

from collections.abc import Sequence

from manyhands.hub.core import Hub
from manyhands.hub.fleet.secrets import clean_views
from manyhands.hub.landing import prose
from manyhands.hub.landing.prose import Passage
from manyhands.model import events as e
from manyhands.model.ids import MAIN
from manyhands.model.landing.events import CommitMade
from manyhands.model.session.session import Session

MOST_EVENTS = 2000
"""Of those that are looked through, from the newest back."""
KINDS = ("agent_message", "turn_finished", "commit_made", "session_rewound")


async def last_words(hub: Hub, s: Session, *, since_commit: bool = False) -> list[str]:
    """Of each turn that was done and not taken back, the oldest first; nothing that is secret."""
    newest = await hub.store.latest(s.id, KINDS, MOST_EVENTS)
    redactor = await clean_views(hub, s)
    found = _words(s, newest, since_commit=since_commit)
    return ["\n".join(x for x in text.splitlines() if not redactor.spans(x)) for text in found]


def _words(s: Session, newest: Sequence[e.Fact], *, since_commit: bool) -> list[str]:
    found: dict[int, str] = {}
    done: set[int] = set()
    last: int | None = None
    for event in newest:
        match event:
            case CommitMade() if since_commit:
                break
            case e.SessionRewound():
                kept = s.history.checkpoint(event.checkpoint)
                upto = kept.turn if kept else 0
                last = upto if last is None else min(last, upto)
            case e.TurnFinished() if event.conversation == MAIN:
                if event.outcome == "done" and (last is None or event.turn <= last):
                    done.add(event.turn)
            case e.AgentMessage() if event.conversation == MAIN and not event.parent:
                if event.turn in done:
                    found.setdefault(event.turn, event.text)
            case _:
                pass
    return list(found.values())[::-1]


async def summary(hub: Hub, s: Session, *, since_commit: bool = False) -> list[Passage]:
    """For a commit message; several turns are told one after the other, nothing twice."""
    told = await last_words(hub, s, since_commit=since_commit)
    return joined([prose.blocks(text) for text in told])


def joined(turns: Sequence[Sequence[Passage]]) -> list[Passage]:
    """Where it is too much, what was done last is told."""
    kept: list[list[Passage]] = []
    seen: set[str] = set()
    size = 0
    for turn in reversed(turns):
        fresh = [block for block in turn if block.text not in seen]
        size += sum(len(block.text) for block in fresh)
        if kept and size > prose.LONGEST_BODY:
            break
        seen |= {block.text for block in fresh}
        kept.insert(0, fresh)
    return [block for turn in kept for block in turn]


async def markdown_summary(hub: Hub, s: Session, longest: int) -> str:
    """For the body of a pull request: what was done last where all of it is too long."""
    parts = [told for text in await last_words(hub, s) if (told := prose.markdown(text))]
    while len(parts) > 1 and sum(map(len, parts)) > longest:
        parts.pop(0)
    whole = "\n\n".join(dict.fromkeys(parts))
    return whole if len(whole) <= longest else whole[:longest] + " …"
