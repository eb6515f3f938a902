"""`manyhands ls`: the fleet."""

from __future__ import annotations

import click

from manyhands.cli.options import connection, json_option
from manyhands.cli.output import emit, tell
from manyhands.cli.table import print_table


@click.command("ls")
@click.option("--all", "everything", is_flag=True, help="Archived sessions too.")
@click.option("--attention", is_flag=True, help="Only sessions that need a person.")
@json_option
def command(everything: bool, attention: bool, as_json: bool) -> None:
    """List the sessions."""
    data = connection().fetch("/api/sessions", all=everything, attention=attention)
    if as_json:
        emit(data)
    else:
        _print(data)


def _print(data: bytes) -> None:
    import msgspec

    from manyhands.cli.session_text import changes, marks, ports
    from manyhands.contract.sessions import SessionView

    sessions = msgspec.json.decode(data, type=list[SessionView])
    if not sessions:
        tell('no sessions; start one: manyhands new "what is to be done"')
        return
    heads = ("ID", "SLUG", "STATUS", "AGENT", "CHANGES", "PORTS", "TITLE", "")
    rows = [
        (s.id, s.slug, s.status, s.agent, changes(s), ports(s), s.title, marks(s)) for s in sessions
    ]
    print_table(heads, rows)
