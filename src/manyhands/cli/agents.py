"""`manyhands agents`: which agents there are and whether they can start."""

from __future__ import annotations

import click

from manyhands.cli.options import connection, json_option


@click.command("agents")
@json_option
def command(as_json: bool) -> None:
    """List the known and configured agents."""
    from manyhands.cli.output import emit

    data = connection().fetch("/api/agents")
    if as_json:
        emit(data)
        return
    import msgspec

    from manyhands.cli.table import print_table
    from manyhands.model.views import AgentView

    agents = msgspec.json.decode(data, type=list[AgentView])
    heads = ("AGENT", "KIND", "INSTALLED", "VERSION", "LOGGED IN", "NOTE")
    rows = [
        (a.name, a.kind, _yes(a.installed), a.version, _yes(a.logged_in), a.hint) for a in agents
    ]
    print_table(heads, rows)


def _yes(value: bool | None) -> str:
    return {True: "yes", False: "no", None: "?"}[value]
