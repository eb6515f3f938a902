"""`manyhands rm`: remove a session for good, after saying what would be lost."""

from __future__ import annotations

import click

from manyhands.cli.answers import unless_json
from manyhands.cli.options import connection, json_option, session_argument
from manyhands.cli.output import tell
from manyhands.cli.terminal import can_ask


@click.command("rm")
@session_argument
@click.option("--yes", is_flag=True, help="Lose what the plan names as lost, without asking.")
@click.option("--dry-run", is_flag=True, help="Only say what would be kept and lost.")
@json_option
def command(session: str, yes: bool, dry_run: bool, as_json: bool) -> None:
    """Remove a session for good. A branch with work that is merged nowhere stays."""
    import msgspec

    from manyhands.cli.session_text import print_plan
    from manyhands.contract.sessions import Plan

    hub = connection()
    if not yes and not dry_run and can_ask():
        plan = msgspec.json.decode(hub.send_to(session, "rm", {"dry_run": True}), type=Plan)
        print_plan(plan)
        yes = not plan.lost or click.confirm("Lose this for good?", err=True)
        if not yes:
            raise click.exceptions.Exit(1)
    data = hub.send_to(session, "rm", {"yes": yes, "dry_run": dry_run})
    if done := unless_json(data, as_json, Plan):
        print_plan(done)
        if not dry_run:
            tell("removed")
