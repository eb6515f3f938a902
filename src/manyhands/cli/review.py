"""`manyhands review`: a session's comments and what became of them; send them, or approve."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from manyhands.cli.answers import unless_json
from manyhands.cli.options import client, json_option, ready, session_argument
from manyhands.cli.output import tell
from manyhands.cli.table import print_table

if TYPE_CHECKING:
    from manyhands.contract.review import CommentView


@click.command("review")
@session_argument
@click.option("--send", is_flag=True, help="Send all pending comments to the agent as one message.")
@click.option("--text", default="", metavar="TEXT", help="Words before the comments, with --send.")
@click.option("--approve", is_flag=True, help="Approve the changes as they are now.")
@json_option
def command(session: str, send: bool, text: str, approve: bool, as_json: bool) -> None:
    """List the comments of a review, with the state of each.

    A sent comment is addressed once the lines that it is about have changed, answered once the
    agent's reply names its id, and open until then.
    """
    if send and approve:
        raise click.UsageError("either --send or --approve")
    if text and not send:
        raise click.UsageError("--text goes with --send")
    hub = client()
    if send:
        ready(session)
        hub.send_to(session, "review/send", {"text": text})
    elif approve:
        hub.send_to(session, "review/verdict", {"verdict": "approved"})
    _pass_on(hub.fetch_of(session, "review", timeout=300.0), as_json)


def _pass_on(data: bytes, as_json: bool) -> None:
    from manyhands.contract.review import ReviewView

    review = unless_json(data, as_json, ReviewView)
    if review is None:
        return
    rows = [(c.id, _state(c), _where(c), c.text.partition("\n")[0][:80]) for c in review.comments]
    print_table(("COMMENT", "STATE", "PLACE", "TEXT"), rows)
    if review.verdict != "none":
        tell(f"verdict: {review.verdict}")


def _where(c: CommentView) -> str:
    if not c.path:
        return "the whole change"
    lines = f"{c.start}" if c.start == c.end else f"{c.start}-{c.end}"
    return f"{c.path}:{lines}" if c.start else c.path


def _state(c: CommentView) -> str:
    return f"{c.state}, outdated" if c.outdated else c.state
