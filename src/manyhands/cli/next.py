"""`manyhands next`: the most blocking open item."""

from __future__ import annotations

import click

from manyhands.cli.options import client, json_option


@click.command("next")
@json_option
def command(as_json: bool) -> None:
    """Show the item that most needs an answer; exit 5 if there is none."""
    from manyhands.cli.output import emit

    hub = client()
    data = hub.fetch("/api/attention/next")
    if as_json:
        emit(data)
        return
    import msgspec

    from manyhands.cli.session_text import print_attention
    from manyhands.model.attention import Attention

    item = msgspec.json.decode(data, type=Attention)
    print_attention(item, hub.session(item.session).slug)
