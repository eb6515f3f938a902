"""`manyhands say`: words to one or several sessions."""

from __future__ import annotations

from typing import Any

import click

from manyhands.cli.message import load_attachments, read_message
from manyhands.cli.options import (
    attach_option,
    client,
    complete_session,
    effort_option,
    json_option,
)
from manyhands.cli.output import emit, write
from manyhands.cli.terminal import inert
from manyhands.providers import start_for


@click.command("say")
@click.argument(
    "words", nargs=-1, required=True, metavar="S... TEXT", shell_complete=complete_session
)
@click.option("--follow-up", is_flag=True, help="Wait for the end of the running turn.")
@click.option("--model", default="", metavar="M", help="Another model, for this message only.")
@effort_option
@attach_option
@json_option
def command(words: tuple[str, ...], attach: tuple[str, ...], as_json: bool, **asked: Any) -> None:
    """Send TEXT (or standard input, by -) to each of the sessions.

    A running turn is steered where the agent can; else the text follows the turn.
    """
    if len(words) == 1:
        raise click.UsageError("missing the text: manyhands say S TEXT")
    asked |= {"text": read_message(words[-1]), "attachments": load_attachments(attach)}
    hub = client()
    # Every name is looked up before anything is said: a wrong one must leave all untouched.
    sessions = [hub.session(ref) for ref in words[:-1]]
    for agent in {s.agent for s in sessions}:
        start_for(hub.home, agent)
    said = [hub.send_to(s.id, "say", asked) for s in sessions]
    if as_json:
        emit(b"[" + b",".join(said) + b"]")
    else:
        write("said to " + ", ".join(inert(s.slug) for s in sessions))
