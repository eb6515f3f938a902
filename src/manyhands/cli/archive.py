"""`manyhands archive`: put a session away, restorable, after saying what that means."""

from __future__ import annotations

import click

from manyhands.cli.options import connection, json_option, session_argument


@click.command("archive")
@session_argument
@click.option("--dry-run", is_flag=True, help="Only say what would be kept and lost.")
@json_option
def command(session: str, dry_run: bool, as_json: bool) -> None:
    """Archive a session; its work is kept and can be restored for 30 days."""
    import msgspec

    from manyhands.cli.output import emit, tell
    from manyhands.cli.plan_text import print_plan
    from manyhands.client.calls import DeletionPlan
    from manyhands.client.connection import session_path

    data = connection().send(session_path(session, "archive"), {"dry_run": dry_run})
    if as_json:
        emit(data)
        return
    plan = msgspec.json.decode(data, type=DeletionPlan)
    print_plan(plan)
    if not dry_run:
        tell(f"archived; bring it back: manyhands restore {plan.session}")
