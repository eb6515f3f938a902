"""`manyhands archive`: put a session away, restorable, after saying what that means."""

from __future__ import annotations

import click

from manyhands.cli.answers import unless_json
from manyhands.cli.options import connection, json_option, session_argument
from manyhands.cli.output import tell


@click.command("archive")
@session_argument
@click.option("--dry-run", is_flag=True, help="Only say what would be kept and lost.")
@json_option
def command(session: str, dry_run: bool, as_json: bool) -> None:
    """Archive a session; its work is kept and can be restored for 30 days."""
    from manyhands.cli.session_text import print_plan
    from manyhands.contract.sessions import Plan

    data = connection().send_to(session, "archive", {"dry_run": dry_run})
    if plan := unless_json(data, as_json, Plan):
        print_plan(plan)
        if not dry_run:
            tell(f"archived; bring it back: manyhands restore {plan.session}")
