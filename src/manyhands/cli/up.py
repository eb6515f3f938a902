"""`manyhands up`: start the hub and print the one-time link."""

from __future__ import annotations

import click

from manyhands.cli.options import json_option
from manyhands.cli.output import tell, write, write_json


@click.command("up")
@click.option("--port", type=click.IntRange(1, 65535), help="Default: the last one, or any.")
@click.option("--no-open", is_flag=True, help="Do not open a browser.")
@json_option
def command(port: int | None, no_open: bool, as_json: bool) -> None:
    """Start the hub in the background if it is not running, and print the link to its page."""
    from manyhands.cli.browser import open_page
    from manyhands.cli.hub_process import ensure_hub
    from manyhands.client.calls import Client
    from manyhands.config import home

    here = home()
    status = ensure_hub(here, port)
    link, *others = Client(here).links()
    if as_json:
        about = {"url": link, "pid": status.pid, "version": status.version, "hub": status.url}
        write_json({**about, "others": others})
        return
    write(link)
    for other in others:
        tell(f"elsewhere: {other}")
    if not no_open:
        open_page(here, link)
