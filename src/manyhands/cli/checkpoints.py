"""`manyhands checkpoints`: the states that a session can be brought back to."""

from __future__ import annotations

import click

from manyhands.cli.options import connection, json_option, session_argument


@click.command("checkpoints")
@session_argument
@json_option
def command(session: str, as_json: bool) -> None:
    """List a session's checkpoints, oldest first: one per turn, and some in between."""
    from manyhands.cli.output import emit
    from manyhands.client.connection import session_path

    data = connection().fetch(session_path(session, "checkpoints"))
    if as_json:
        emit(data)
        return
    import msgspec

    from manyhands.cli.table import print_table
    from manyhands.client.calls import CheckpointLine

    found = msgspec.json.decode(data, type=tuple[CheckpointLine, ...])
    rows = [(c.id, str(c.turn), c.at, c.commit[:12]) for c in found]
    print_table(("CHECKPOINT", "TURN", "AT", "COMMIT"), rows)
