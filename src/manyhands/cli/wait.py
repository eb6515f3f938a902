"""`manyhands wait`: until sessions are where they should be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from manyhands.cli.options import client, complete_session, json_option
from manyhands.cli.output import write, write_json
from manyhands.errors import EXIT_ATTENTION, ManyhandsError

if TYPE_CHECKING:
    from manyhands.contract.sessions import Goal, Waited

WEEK = 7 * 24 * 3600.0


@click.command("wait")
@click.argument(
    "sessions", nargs=-1, required=True, metavar="S...", shell_complete=complete_session
)
@click.option(
    "--for",
    "goal",
    type=click.Choice(["idle", "attention", "archived"]),
    default="idle",
    show_default=True,
)
@click.option("--timeout", type=click.FloatRange(0, WEEK), metavar="SEC", help="Default: for ever.")
@json_option
def command(sessions: tuple[str, ...], goal: Goal, timeout: float | None, as_json: bool) -> None:
    """Wait until all sessions are there.

    Exit 0 when they are, 6 when one needs attention instead, 1 when one failed or time is up.
    """
    waited = client().wait(sessions, goal, timeout)
    if as_json:
        write_json(waited.sessions)
    else:
        _print(waited)
    tell_outcome(waited)


def _print(waited: Waited) -> None:
    from manyhands.cli.session_text import print_attention, session_line

    for session in waited.sessions:
        write(session_line(session))
        for item in session.attention:
            print_attention(item, session.slug)


def tell_outcome(waited: Waited) -> None:
    """Ends the command unless the goal was reached."""
    match waited.outcome:
        case "reached":
            return
        case "attention":
            raise click.exceptions.Exit(EXIT_ATTENTION)
        case "failed":
            failed = next(s for s in waited.sessions if s.status == "failed")
            raise ManyhandsError(f"session {failed.slug} failed: {failed.error}", hint=failed.hint)
        case "timeout":
            raise ManyhandsError("the time is up", hint="the sessions go on; wait again")
