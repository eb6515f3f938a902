"""Hand a plan to a fresh session, which carries it out with nothing else on its mind."""

from __future__ import annotations

from manyhands.errors import BadInput
from manyhands.hub.hub import Hub
from manyhands.hub.names import require_open, require_session
from manyhands.hub.new import New, new
from manyhands.model import events as e
from manyhands.model.clock import now
from manyhands.model.ids import CommandId
from manyhands.model.slug import LONGEST_TITLE
from manyhands.model.views import NewView

INTRODUCTION = "Carry out this plan. It was made by another session and a person approved it."


async def hand_over(hub: Hub, ref: str, item: str) -> NewView:
    """Comes before the plan is settled: cut off in between, it is done once all the same."""
    s = require_session(hub.state, ref)
    found = require_open(s, item)
    plan = str(found.detail.get("plan", ""))
    if found.kind != "plan" or not plan:
        raise BadInput(f"this {found.kind} holds no plan to hand over")
    asked = New(
        repo=s.repo,
        text=f"{INTRODUCTION}\n\n{plan}",
        name=f"{s.title} (plan)"[:LONGEST_TITLE],
        base=s.base if s.base_given else "",
        agent=s.agent,
        model=s.model,
        mode="edits",
        detach=True,
    )
    made = await new(hub, asked, command=CommandId(f"hand-over {found.id}"))
    note = f"The plan was handed to the session {made.slug}."
    await hub.record(e.NoteMade(session=s.id, at=now(), turn=s.turn, text=note))
    return made
