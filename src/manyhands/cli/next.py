"""`manyhands next`: the most blocking open item."""

from __future__ import annotations

import click

from manyhands.cli.answers import unless_json
from manyhands.cli.options import client, json_option


@click.command("next")
@json_option
def command(as_json: bool) -> None:
    """Show the item that most needs an answer; exit 5 if there is none."""
    from manyhands.cli.session_text import print_attention
    from manyhands.model.attention.attention import Attention

    hub = client()
    if item := unless_json(hub.fetch("/api/attention/next"), as_json, Attention):
        print_attention(item, hub.session(item.session).slug)
