"""`manyhands agents`: which agents there are and whether they can start."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from manyhands.cli.options import connection, json_option

if TYPE_CHECKING:
    from manyhands.model.views import AgentView

MOST_MODELS = 3
"""In the table; `--json` gives all of them."""


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
    heads = ("AGENT", "KIND", "INSTALLED", "VERSION", "LOGGED IN", "MODELS", "NOTE")
    print_table(heads, [_row(agent) for agent in agents])


def _row(a: AgentView) -> tuple[str, ...]:
    models = ", ".join(a.models[:MOST_MODELS]) + (", …" if len(a.models) > MOST_MODELS else "")
    return (a.name, a.kind, _yes(a.installed), a.version, _yes(a.logged_in), models, a.hint)


def _yes(value: bool | None) -> str:
    return {True: "yes", False: "no", None: "?"}[value]
