"""`manyhands update`: bring a session's base into it."""

from __future__ import annotations

import click

from manyhands.cli.answers import unless_json
from manyhands.cli.options import connection, json_option, session_argument
from manyhands.cli.output import tell
from manyhands.cli.terminal import inert


@click.command("update")
@session_argument
@click.option(
    "--method",
    type=click.Choice(["merge", "rebase"]),
    default="merge",
    show_default=True,
    help="Merge the base in, or rebase onto it.",
)
@click.option("--abort", is_flag=True, help="Restore what was there before an update in conflict.")
@json_option
def command(session: str, method: str, abort: bool, as_json: bool) -> None:
    """Bring the base into a session; its agent is asked to settle conflicts."""
    from manyhands.client.connection import session_path
    from manyhands.contract.landing import UpdateView

    request = {"method": method, "abort": abort}
    data = connection().post(session_path(session, "update"), request, timeout=None)
    done = unless_json(data, as_json, UpdateView)
    if done is None:
        return
    if done.aborted:
        tell(f"everything is as it was before {done.base} came in")
    elif done.already:
        tell(f"it has all of {done.base} already")
    elif done.conflicts:
        tell(f"{done.base} is in; the agent was asked to settle: {', '.join(done.conflicts)}")
        tell(f"take it back: manyhands update {done.session} --abort")
    else:
        tell(f"{done.base} is in, at {done.commit[:12]}")
    if done.standing and done.standing.words and done.standing.relation != "same":
        tell(inert(done.standing.words))
    elif done.standing and done.standing.error:
        tell(inert(f"{done.standing.tracking} could not be asked: {done.standing.error}"))
