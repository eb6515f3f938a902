"""`manyhands agents`: which agents there are and whether they can start."""

from __future__ import annotations

from typing import Any

import click

from manyhands.cli.answers import pass_on_list
from manyhands.cli.options import connection, json_option
from manyhands.cli.output import tell

YES = {True: "yes", False: "no", None: "?"}
MOST_MODELS = 3
"""In the table; `--json` gives all of them."""


@click.command("agents")
@json_option
def command(as_json: bool) -> None:
    """List the known and configured agents."""
    heads = ("AGENT", "KIND", "INSTALLED", "VERSION", "LOGGED IN", "MODELS", "BOX", "NOTE")
    data = connection().fetch("/api/agents")
    pass_on_list(data, as_json, heads, _row)
    if not as_json:
        _print_box(data)


def _print_box(data: bytes) -> None:
    """The machine's, which is the same for all of them."""
    import msgspec

    notes = {agent["box_note"] for agent in msgspec.json.decode(data)}
    for note in sorted(notes):
        tell(f"box: {note}")


def _row(a: dict[str, Any]) -> tuple[str, ...]:
    models = ", ".join(a["models"][:MOST_MODELS])
    more = ", …" if len(a["models"]) > MOST_MODELS else ""
    installed, logged_in = YES[a["installed"]], YES[a["logged_in"]]
    return (
        a["name"],
        a["kind"],
        installed,
        a["version"],
        logged_in,
        models + more,
        a["box"],
        a["hint"],
    )
