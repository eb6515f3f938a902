"""Events about what needs a person: raised, settled, put off, and told to them."""

from __future__ import annotations

from typing import Literal

from manyhands.model.attention.attention import Attention, Kind, Resolution
from manyhands.model.clock import Instant
from manyhands.model.envelope import Event
from manyhands.model.ids import AttentionId

NoticeKind = Kind | Literal["finished", "failed"]
Told = Literal["sent", "seen", "muted"]
"""To the channels and pages; not at all, since it was on the screen; not at all, by a rule."""


class PlanProposed(Event, frozen=True, kw_only=True):
    item: Attention


class PermissionRequested(Event, frozen=True, kw_only=True):
    item: Attention


class QuestionAsked(Event, frozen=True, kw_only=True):
    item: Attention


class AttentionRaised(Event, frozen=True, kw_only=True):
    """Every other kind of attention."""

    item: Attention


class AttentionResolved(Event, frozen=True, kw_only=True):
    item: AttentionId
    resolution: Resolution


class AnswerDelivered(Event, frozen=True, kw_only=True):
    item: AttentionId


class AttentionSnoozed(Event, frozen=True, kw_only=True):
    """A person does not want to hear of it before `until`; empty: at once again."""

    item: AttentionId
    until: Instant


class PersonNotified(Event, frozen=True, kw_only=True):
    """A person is told of something, in one sentence; recorded before any channel is used."""

    kind: NoticeKind
    text: str
    about: str
    """The item, or the turn, and the time to which it had been put off: nothing is told twice."""
    told: Told = "sent"


Raising = PlanProposed | PermissionRequested | QuestionAsked | AttentionRaised
AttentionEvent = Raising | AttentionResolved | AnswerDelivered | AttentionSnoozed | PersonNotified
