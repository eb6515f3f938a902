"""`manyhands archive`: put a session away, restorable, after saying what that means."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from manyhands.cli.options import connection, json_option, session_argument

if TYPE_CHECKING:
    from manyhands.client.calls import DeletionPlan, Thing


@click.command("archive")
@session_argument
@click.option("--dry-run", is_flag=True, help="Only say what would be kept and lost.")
@json_option
def command(session: str, dry_run: bool, as_json: bool) -> None:
    """Archive a session; its work is kept and can be restored for 30 days."""
    import msgspec

    from manyhands.cli.output import emit
    from manyhands.client.calls import DeletionPlan
    from manyhands.client.connection import session_path

    data = connection().send(session_path(session, "archive"), {"dry_run": dry_run})
    plan = msgspec.json.decode(data, type=DeletionPlan)
    if as_json:
        emit(data)
    else:
        _print(plan, dry_run)


def _print(plan: DeletionPlan, dry_run: bool) -> None:
    from manyhands.cli.output import tell, write
    from manyhands.cli.terminal import inert

    for thing in plan.kept:
        write(f"kept  {inert(_described(thing))}")
    for thing in plan.lost:
        write(f"lost  {inert(_described(thing))}")
    for reason in plan.blocked_by:
        write(f"blocked by {inert(reason)}")
    if not dry_run:
        tell(f"archived; bring it back: manyhands restore {plan.session}")


def _described(thing: Thing) -> str:
    size = "" if thing.bytes is None else f", {thing.bytes} bytes"
    where = f" in {thing.where}" if thing.where else ""
    return f"{thing.what}{where}{size}"
