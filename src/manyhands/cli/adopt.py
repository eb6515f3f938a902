"""`manyhands adopt`: a session of a worktree that is there already."""

from __future__ import annotations

from typing import Any

import click

from manyhands.cli.answers import unless_json
from manyhands.cli.options import absolute_path, connection, json_option
from manyhands.cli.output import tell, write
from manyhands.cli.terminal import inert


@click.command("adopt")
@click.argument("path")
@click.option("--resume", metavar="ID", help="Go on with this conversation of its agent.")
@click.option("--name", metavar="TITLE", help="Default: from the branch.")
@click.option("--agent", metavar="A", help="Default: as configured.")
@click.option("--model", metavar="M", help="Default: the agent's own.")
@click.option("--mode", type=click.Choice(["plan", "ask", "edits", "auto"]), help="Default: ask.")
@json_option
def command(path: str, as_json: bool, **rest: Any) -> None:
    """Make a session of the worktree at PATH; branch and uncommitted work stay as they are.

    Any agent can go on in it. Where the agent lists the conversations that it had there before,
    --resume goes on with one of them.
    """
    from manyhands.cli.session_text import session_line
    from manyhands.contract.sessions import AdoptedView

    chosen = {name: value for name, value in rest.items() if value is not None}
    data = connection().send("/api/sessions/adopt", {"path": absolute_path(path), **chosen})
    adopted = unless_json(data, as_json, AdoptedView)
    if adopted is None:
        return
    write(session_line(adopted))
    if rest["resume"] or not adopted.past:
        return
    tell("Its agent has been here before; go on with one of these by --resume ID:")
    for past in adopted.past:
        count = "" if past.messages is None else f"{past.messages} messages  "
        tell(f"  {inert(past.id)}  {past.updated_at[:16]}  {count}{inert(past.title)}")
