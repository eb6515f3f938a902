"""`manyhands ask`: a question beside the main conversation, or a second agent."""

from __future__ import annotations

from typing import Any

import click

from manyhands.cli.answers import unless_json
from manyhands.cli.message import read_message
from manyhands.cli.options import json_option, ready, session_argument
from manyhands.cli.output import tell, write
from manyhands.cli.terminal import inert


@click.command("ask")
@session_argument
@click.argument("text")
@click.option("--agent", default="", metavar="A", help="Default: the session's own.")
@click.option(
    "--model", default="", metavar="M", help="Default: the session's, or the agent's own."
)
@click.option("--writes", is_flag=True, help="Let it change files, when nobody else does.")
@click.option("--conversation", default="", metavar="ID", help="Go on with this one.")
@click.option("--detach", is_flag=True, help="Return before the answer is there.")
@json_option
def command(session: str, text: str, detach: bool, as_json: bool, **asked: Any) -> None:
    """Ask TEXT (or standard input, by -) beside the session's own conversation.

    Nothing can be changed by it, unless --writes says so; the session's agent goes on meanwhile.
    """
    from manyhands.contract.sessions import Answered

    hub, found = ready(session, asked["agent"])
    request = {"text": read_message(text), "wait": not detach, **asked}
    data = hub.send_to(found.id, "conversations", request)
    answered = unless_json(data, as_json, Answered)
    if answered and answered.answer:
        write(inert(answered.answer, lines=True))
    if answered and answered.status != "idle":
        tell(f"{answered.id}: {answered.status} {answered.error}".strip())
