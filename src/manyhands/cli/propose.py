"""`manyhands propose`: issues to split a session's work into, for a person to confirm."""

from __future__ import annotations

from typing import Any

import click

from manyhands.cli.message import read_message
from manyhands.cli.new import load_items
from manyhands.cli.options import client, complete_session, json_option
from manyhands.cli.output import emit, write
from manyhands.errors import BadInput
from manyhands.model.landing.tasks import tasks_of


@click.command("propose")
@click.argument("session", metavar="[S]", required=False, shell_complete=complete_session)
@click.option("--file", "file", required=True, metavar="FILE", help="- is standard input.")
@click.option("--tracker", default="", metavar="T", help="Where. Default: where its issue is.")
@json_option
def command(session: str | None, file: str, tracker: str, as_json: bool) -> None:
    """Propose issues: each open item of the lists in a Markdown file is one.

    What is nested in an item is the issue's text. Nothing is made before a person has said so in
    the inbox. An agent may do this for its own session, which is meant where S is left out.
    """
    from manyhands.client.agent import own_session
    from manyhands.config import home

    name = session or own_session(home())
    if not name:
        raise click.UsageError("say which session it is for")
    issues = [_issue(text) for text in _texts(file)]
    data = client().send_to(name, "proposals", {"issues": issues, "tracker": tracker})
    if as_json:
        emit(data)
    else:
        noun = "issue is" if len(issues) == 1 else "issues are"
        write(f"{len(issues)} {noun} proposed; a person decides in the inbox")


def _texts(file: str) -> list[str]:
    if file != "-":
        return [item["text"] for item in load_items(file)]
    found = [task.text for task in tasks_of(read_message("-"))]
    if not found:
        raise BadInput("standard input holds no list with an open item", hint="write `- …` each")
    return found


def _issue(text: str) -> dict[str, Any]:
    title, _, body = text.partition("\n")
    return {"title": title.strip(), "body": body.strip()}
