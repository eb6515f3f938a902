"""`manyhands notify`: whether notifications reach you."""

from __future__ import annotations

import click

from manyhands.cli.options import connection, json_option
from manyhands.cli.output import emit, tell, write
from manyhands.cli.terminal import inert


@click.group("notify")
def command() -> None:
    """How you are told of what needs you; see [notify] in config.toml."""


@command.command("test")
@json_option
def test(as_json: bool) -> int:
    """Send one sentence by every channel; exit 1 if one of them failed."""
    import msgspec

    from manyhands.contract.attention import Delivered

    data = connection().post("/api/notify/test", timeout=120.0)
    tried = msgspec.json.decode(data, type=list[Delivered])
    if as_json:
        emit(data)
    else:
        for one in tried:
            write(f"{inert(one.channel)}: {'sent' if one.ok else inert(one.detail)}")
        if not tried:
            tell("no channel is configured: set channels, desktop or command in [notify]")
    return 0 if all(one.ok for one in tried) else 1
