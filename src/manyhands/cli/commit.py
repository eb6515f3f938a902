"""`manyhands commit`: commit a session's work, as yourself and with your hooks."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import click

from manyhands.cli.options import client, connection, json_option, session_argument


@click.command("commit")
@session_argument
@click.argument("paths", metavar="[PATH]...", nargs=-1)
@click.option("-m", "--message", metavar="TEXT", help="Default: proposed from task and changes.")
@click.option("--ask", is_flag=True, help="Let the session's agent propose the message.")
@click.option("--amend", is_flag=True, help="Change the session's last commit instead.")
@click.option("--anyway", is_flag=True, help="Although the agent is at work.")
@json_option
def command(
    session: str,
    paths: tuple[str, ...],
    *,
    message: str | None,
    ask: bool,
    amend: bool,
    anyway: bool,
    as_json: bool,
) -> None:
    """Commit everything, or only PATHs (as seen from the worktree's top).

    Hooks run, and what they say is shown whole; author and committer are yours.
    """
    import msgspec

    from manyhands.cli.output import emit, tell, write
    from manyhands.cli.terminal import inert
    from manyhands.client.connection import session_path
    from manyhands.client.landing import Committed

    asked: dict[str, Any] = {"paths": paths, "amend": amend, "anyway": anyway}
    if message is None:
        message = "" if amend else _proposed(session, paths, ask)
    asked["message"] = message
    data = connection().send(session_path(session, "commit"), asked)
    if as_json:
        emit(data)
        return
    made = msgspec.json.decode(data, type=Committed)
    for text in filter(None, (made.output, made.note)):
        tell(text)
    write(f"{made.commit[:12]}  {inert(made.message.strip().splitlines()[0])}")


def _proposed(session: str, paths: tuple[str, ...], ask: bool) -> str:
    """What the person makes of the proposal; off a terminal it stands as it is."""
    import msgspec

    from manyhands.cli.rehearsing import rehearse_for
    from manyhands.cli.terminal import can_ask
    from manyhands.client.connection import session_path
    from manyhands.client.landing import Proposal

    hub = client()
    if ask:
        rehearse_for(hub.home, hub.session(session).agent)
        data = hub.send(session_path(session, "commit/message"), {"paths": paths})
    elif can_ask():
        where = session_path(session, "commit")
        asked = urlencode([("path", path) for path in paths])
        data = hub.fetch(f"{where}?{asked}" if asked else where, timeout=300.0)
    else:
        return ""
    proposed = msgspec.json.decode(data, type=Proposal)
    if not proposed.files or not can_ask():
        return proposed.message
    edited = click.edit(proposed.message)
    # The editor was left without saving: the proposal stands.
    words = proposed.message if edited is None else edited
    if not words.strip():
        raise click.Abort
    return words
