"""A commit message to begin with: what the session's agent said that it did and why.

Asked for one, the agent proposes it beside its work. Where it has said nothing of the kind, task
and files make up a template.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Sequence

import msgspec

from manyhands.contract.sessions import Opening
from manyhands.errors import ManyhandsError, NotPossible
from manyhands.forges.issue_text import quoted
from manyhands.hub.core import Hub
from manyhands.hub.fleet.conversations import converse
from manyhands.hub.fleet.stop import stop_conversations
from manyhands.hub.landing import prose
from manyhands.hub.landing.desk import is_at_work
from manyhands.hub.landing.summary import summary
from manyhands.model.session.session import Session

log = logging.getLogger(__name__)
MOST_NAMED = 12
LONGEST_ANSWER = 8000
STOP_SECONDS = 5.0
_ANSWER = re.compile(r"<message>(.*?)</message>", re.DOTALL)
_WISH = """\
Propose a commit message for the changes below, which are yours. One line of at most 72 characters \
that says what changed for whoever uses or works on this; after an empty line, why, where that is \
not plain. Change nothing and run nothing. Answer with the message alone, between <message> and \
</message>."""


async def ask_agent(hub: Hub, s: Session, patch: str) -> str:
    """The message that the agent proposes beside its work, within bounds of time."""
    if not s.main.agent_session:
        raise NotPossible(f"{s.slug} has no agent yet that could be asked")
    if is_at_work(s):
        raise NotPossible(f"the agent of {s.slug} is at work")
    parts = (_WISH, quoted("the task", s.title), quoted("the changes", patch))
    opening = Opening(text="\n\n".join(parts), wait=True)
    seconds = hub.last_settings.landing.message_seconds
    try:
        async with asyncio.timeout(seconds):
            said = (await converse(hub, s.id, opening)).answer
    except TimeoutError:
        if not any(c.in_turn for c in s.others):
            await _stop(hub, s)
        raise NotPossible(
            f"the agent of {s.slug} proposed no message within {seconds:g} seconds",
            hint="see [landing] message_seconds",
        ) from None
    if not (message := message_in(said)):
        raise NotPossible(f"the agent of {s.slug} answered without a message")
    return message


async def _stop(hub: Hub, s: Session) -> None:
    """Nobody waits for that conversation any more."""
    try:
        async with asyncio.timeout(STOP_SECONDS):
            await stop_conversations(hub, s.id)
    except (ManyhandsError, TimeoutError) as error:
        log.info("the question to the agent of %s goes on: %s", s.id, error)


def message_in(said: str) -> str:
    """What stands between the marks, if it can be a message."""
    found = _ANSWER.findall(said)
    text = found[-1].strip() if found else ""
    return f"{text}\n" if text and len(text) <= LONGEST_ANSWER else ""


class Proposed(msgspec.Struct, frozen=True):
    text: str
    by_agent: bool
    """Whether it is the agent's summary; else the template."""


async def propose(hub: Hub, s: Session, changed: Sequence[str]) -> Proposed:
    """From what the agent said since the last commit, else by the template."""
    told = await summary(hub, s, since_commit=True)
    line, rest = prose.subject(s.title or s.slug, told, first=s.landing.commit is None)
    parts = (line or "Work of the session", prose.body(rest) if told else _files(changed))
    return Proposed("\n\n".join(filter(None, (*parts, refers(s)))) + "\n", bool(told))


def refers(s: Session) -> str:
    """To the issues that the session is for."""
    named = ", ".join(i.ref for i in s.landing.issues if i.ref and i.url)
    return f"Refs {named}" if named else ""


def _files(changed: Sequence[str]) -> str:
    named = [f"- {path}" for path in changed[:MOST_NAMED]]
    if len(changed) > MOST_NAMED:
        named.append(f"- and {len(changed) - MOST_NAMED} files more")
    return "\n".join(named)
