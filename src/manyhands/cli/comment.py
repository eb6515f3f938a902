"""`manyhands comment`: a draft comment on a line, a range, a file or the whole change."""

from __future__ import annotations

import re

import click

from manyhands.cli.answers import unless_json
from manyhands.cli.message import read_message
from manyhands.cli.options import connection, json_option, session_argument
from manyhands.cli.output import write

_LINES = re.compile(r"(?P<path>.+):(?P<start>\d+)(?:-(?P<end>\d+))?", re.DOTALL)


@click.command("comment")
@session_argument
@click.argument("place", metavar="PATH[:LINE[-LINE]]")
@click.argument("text")
@click.option("--suggest", metavar="TEXT", help="What these lines should become.")
@click.option("--old", is_flag=True, help="LINE counts in the old version, for removed lines.")
@json_option
def command(
    session: str, place: str, text: str, suggest: str | None, old: bool, as_json: bool
) -> None:
    """Write a comment on a session's changes; a PATH of . is the change as a whole.

    It stays a draft until `manyhands review S --send`. TEXT of - is standard input.
    """
    from manyhands.contract.review import CommentView
    from manyhands.model.ids import fresh_id

    found = _LINES.fullmatch(place)
    path = found["path"] if found else place
    start = int(found["start"]) if found else 0
    request = {
        # Its own name makes sending it again harmless.
        "id": f"c{fresh_id(5)}",
        "path": "" if path == "." else path,
        "side": "old" if old else "new",
        "start": start,
        "end": int(found["end"] or start) if found else 0,
        "text": read_message(text),
        "suggestion": suggest,
    }
    data = connection().send_to(session, "review/comments", request)
    if drafted := unless_json(data, as_json, CommentView):
        write(f"drafted {drafted.id}")
