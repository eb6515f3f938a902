"""A session's share of the inbox: what is open, what was answered, whether there is news."""

from __future__ import annotations

from typing import assert_never

import msgspec
from msgspec.structs import replace

from manyhands.model import events as e
from manyhands.model.attention.attention import NOTICES, Attention, Resolution, snoozed
from manyhands.model.ids import MAIN, AttentionId

MOST_NOTIFIED = 50


class Answer(msgspec.Struct, frozen=True):
    """A settled item whose answer the agent has not been given yet."""

    item: Attention
    resolution: Resolution


class Inbox(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    items: tuple[Attention, ...] = ()
    answers: tuple[Answer, ...] = ()
    unread: bool = False
    notified: tuple[str, ...] = ()
    """What a person was told of last, so that nothing is told twice."""

    @property
    def is_held_up(self) -> bool:
        """Whether the agent cannot go on before a person has said something."""
        return any(item.kind not in NOTICES for item in self.items)

    @property
    def calls(self) -> bool:
        """Whether it waits for a person; a forecast conflict is about two sessions, and no call."""
        return any(item.kind != "conflict" for item in self.items)

    def item(self, id: AttentionId) -> Attention | None:
        return next((item for item in self.items if item.id == id), None)


InboxEvent = (
    e.AttentionEvent
    | e.SessionRead
    | e.TurnFinished
    | e.AgentExited
    | e.SessionFailed
    | e.SessionArchived
)


def fold(inbox: Inbox, event: InboxEvent) -> Inbox:
    match event:
        case e.PlanProposed() | e.PermissionRequested() | e.QuestionAsked() | e.AttentionRaised():
            if inbox.item(event.item.id):
                return inbox
            return replace(inbox, items=(*inbox.items, event.item), unread=True)
        case e.AttentionResolved():
            return _resolved(inbox, event)
        case e.AnswerDelivered():
            return replace(
                inbox, answers=tuple(a for a in inbox.answers if a.item.id != event.item)
            )
        case e.AttentionSnoozed():
            return replace(inbox, items=snoozed(inbox.items, event.item, event.until))
        case e.PersonNotified():
            return replace(inbox, notified=(*inbox.notified[-MOST_NOTIFIED:], event.about))
        case e.TurnFinished() | e.SessionFailed():
            return replace(inbox, unread=True)
        case e.AgentExited():
            # The main agent goes whenever it rests.
            return inbox if event.conversation == MAIN else replace(inbox, unread=True)
        case e.SessionRead() | e.SessionArchived():
            return replace(inbox, unread=False)
        case _:
            assert_never(event)


def _resolved(inbox: Inbox, event: e.AttentionResolved) -> Inbox:
    item = inbox.item(event.item)
    if item is None:
        return inbox
    items = tuple(i for i in inbox.items if i.id != event.item)
    if item.kind not in ("plan", "permission", "question"):
        return replace(inbox, items=items)
    return replace(inbox, items=items, answers=(*inbox.answers, Answer(item, event.resolution)))
