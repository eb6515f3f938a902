"""`manyhands shot`: a picture of a session's preview."""

from __future__ import annotations

import re
from typing import Any

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
@click.option(
    "--at", default="", metavar="X,Y", help="A point in it: the element there, by itself."
)
@json_option
def command(session: str, size: str, at: str, as_json: bool, **asked: Any) -> None:
    """Take a picture of what a session's web service shows, and print where it is.

    It is kept with the session and shown in its conversation. What the page could not load, and
    its console's errors, are told. With --at, the element there is told by its selector, words and
    box, and the path is that of a picture of it alone.
    """
    found = re.fullmatch(r"([0-9]{1,5})x([0-9]{1,5})", size)
    if found is None:
        raise BadInput(f"--size {size!r} is no WIDTHxHEIGHT", hint="for example 1280x800")
    asked |= {"width": int(found[1]), "height": int(found[2]), "at": _point(at)}
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
    if (element := taken.element) is not None:
        box = f"{element.width} x {element.height} at {element.x},{element.y}"
        tell(inert(f"{element.selector} ({element.text}), {box}"))
    elif at:
        tell(f"nothing is seen at {at}")
    write(taken.element_path or taken.path)


def _point(at: str) -> tuple[int, int] | None:
    if not at:
        return None
    found = re.fullmatch(r"([0-9]{1,4}),([0-9]{1,4})", at)
    if found is None:
        raise BadInput(f"--at {at!r} is no X,Y", hint="for example 120,40")
    return int(found[1]), int(found[2])
