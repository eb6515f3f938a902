"""A deletion plan in words: the same for archive, rm and their dry runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from manyhands.cli.output import write
from manyhands.cli.terminal import inert

if TYPE_CHECKING:
    from manyhands.client.calls import DeletionPlan, Thing


def print_plan(plan: DeletionPlan) -> None:
    for thing in plan.kept:
        write(f"kept  {inert(_described(thing))}")
    for thing in plan.lost:
        write(f"lost  {inert(_described(thing))}")
    for reason in plan.blocked_by:
        write(f"blocked by {inert(reason)}")


def _described(thing: Thing) -> str:
    size = f", {thing.bytes} bytes" if thing.bytes else ""
    where = f" in {thing.where}" if thing.where else ""
    return f"{thing.what}{where}{size}"
