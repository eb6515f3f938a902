"""`manyhands review`: a session's comments and what became of them; send them, or approve."""

from __future__ import annotations

import click

from manyhands.cli.options import client, json_option, session_argument


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
    from manyhands.cli.output import emit
    from manyhands.cli.rehearsing import rehearse_for
    from manyhands.client.connection import session_path

    if send and approve:
        raise click.UsageError("either --send or --approve")
    if text and not send:
        raise click.UsageError("--text goes with --send")
    hub = client()
    if send:
        rehearse_for(hub.home, hub.session(session).agent)
        hub.send(session_path(session, "review/send"), {"text": text})
    elif approve:
        hub.send(session_path(session, "review/verdict"), {"verdict": "approved"})
    data = hub.fetch(session_path(session, "review"), timeout=300.0)
    if as_json:
        emit(data)
    else:
        _print(data)


def _print(data: bytes) -> None:
    import msgspec

    from manyhands.cli.output import tell
    from manyhands.cli.table import print_table
    from manyhands.client.calls import Review

    review = msgspec.json.decode(data, type=Review)
    rows = [(c.id, c.shown_state, c.place, c.text.partition("\n")[0][:80]) for c in review.comments]
    print_table(("COMMENT", "STATE", "PLACE", "TEXT"), rows)
    if review.verdict != "none":
        tell(f"verdict: {review.verdict}")
