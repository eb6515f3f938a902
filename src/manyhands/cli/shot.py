"""`manyhands shot`: a picture of a session's preview."""

from __future__ import annotations

import re

import click

from manyhands.cli.options import connection, json_option, session_argument
from manyhands.cli.output import emit, tell, write
from manyhands.cli.terminal import inert
from manyhands.errors import BadInput


@click.command("shot")
@session_argument
@click.option("--service", default="", help="Which one; default: the first.")
@click.option("--path", default="/", show_default=True, help="Of the page.")
@click.option("--size", default="1280x800", show_default=True, help="Of the window.")
@click.option("--wait", default=0.0, help="Seconds more, after the network is quiet.")
@json_option
def command(session: str, service: str, path: str, size: str, wait: float, as_json: bool) -> None:
    """Take a picture of what a session's web service shows, and print where it is.

    It is kept with the session and shown in its conversation. What the page could not load, and
    its console's errors, are told.
    """
    found = re.fullmatch(r"([0-9]{1,5})x([0-9]{1,5})", size)
    if found is None:
        raise BadInput(f"--size {size!r} is no WIDTHxHEIGHT", hint="for example 1280x800")
    asked = {"service": service, "path": path, "wait": wait}
    asked |= {"width": int(found[1]), "height": int(found[2])}
    data = connection().send_to(session, "shot", asked)
    if as_json:
        emit(data)
        return
    import msgspec

    from manyhands.contract.preview import PictureView

    taken = msgspec.json.decode(data, type=PictureView)
    for problem in taken.problems:
        tell(inert(problem))
    tell(f"{inert(taken.url)} answered {taken.status or 'nothing'}")
    write(taken.path)
