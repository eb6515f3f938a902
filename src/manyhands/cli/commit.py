"""`manyhands commit`: commit a session's work, as yourself and with your hooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import click

from manyhands.cli.options import client, connection, json_option, session_argument

if TYPE_CHECKING:
    from manyhands.client.landing import Proposal


@click.command("commit")
@session_argument
@click.argument("paths", metavar="[PATH]...", nargs=-1)
@click.option("-m", "--message", metavar="TEXT", help="Default: proposed from task and changes.")
@click.option("--ask", is_flag=True, help="The agent proposes it, off a terminal too.")
@click.option("--template", is_flag=True, help="A template proposes it; no agent is asked.")
@click.option("--amend", is_flag=True, help="Change the session's last commit instead.")
@click.option("--anyway", is_flag=True, help="Although the agent is at work.")
@json_option
def command(
    session: str,
    paths: tuple[str, ...],
    *,
    message: str | None,
    ask: bool,
    template: bool,
    amend: bool,
    anyway: bool,
    as_json: bool,
) -> None:
    """Commit everything, or only PATHs (as seen from the worktree's top).

    Without a message one is proposed. On a terminal your editor opens on what the session's agent
    says, asked beside its work; on a template where it is busy, slow or not there. A script gets
    the template, unless it says --ask. Hooks run, and what they say is shown whole; author and
    committer are yours.
    """
    if (message is not None) + ask + template > 1:
        raise click.UsageError("one of -m, --ask and --template says where the message is from")
    import msgspec

    from manyhands.cli.output import emit, tell, write
    from manyhands.cli.terminal import can_ask, inert
    from manyhands.client.connection import session_path
    from manyhands.client.landing import Committed
    from manyhands.errors import ManyhandsError

    asked: dict[str, Any] = {"paths": paths, "amend": amend, "anyway": anyway}
    if message is None:
        message = "" if amend else _proposed(session, paths, anyway, ask, template)
    asked["message"] = message
    try:
        data = connection().send(session_path(session, "commit"), asked)
    except ManyhandsError:
        if message and can_ask():
            tell(f"the message was:\n\n{message}")
        raise
    if as_json:
        emit(data)
        return
    made = msgspec.json.decode(data, type=Committed)
    for text in filter(None, (made.output, made.note)):
        tell(text)
    write(f"{made.commit[:12]}  {inert(made.message.strip().splitlines()[0])}")


def _proposed(session: str, paths: tuple[str, ...], anyway: bool, ask: bool, template: bool) -> str:
    """What the person makes of the proposal; off a terminal it stands as it is."""
    from manyhands.cli.output import tell
    from manyhands.cli.terminal import can_ask

    if not (ask or can_ask()):
        return ""
    proposed = _fetch_template(session, paths) if template else _ask_agent(session, paths)
    if not proposed.files or (proposed.working and not anyway):
        return ""  # the hub says why that is not committed, before anyone writes about it
    if proposed.note:
        tell(f"{proposed.note}: a template proposes the message")
    if not can_ask():
        return proposed.message
    edited = click.edit(proposed.message)
    # The editor was left without saving: the proposal stands.
    words = proposed.message if edited is None else edited
    if not words.strip():
        raise click.Abort
    return words


def _fetch_template(session: str, paths: tuple[str, ...]) -> Proposal:
    import msgspec

    from manyhands.client.connection import session_path
    from manyhands.client.landing import Proposal

    where = session_path(session, "commit")
    asked = urlencode([("path", path) for path in paths])
    data = connection().fetch(f"{where}?{asked}" if asked else where, timeout=300.0)
    return msgspec.json.decode(data, type=Proposal)


def _ask_agent(session: str, paths: tuple[str, ...]) -> Proposal:
    import msgspec

    from manyhands.cli.output import tell
    from manyhands.cli.rehearsing import rehearse_for
    from manyhands.cli.terminal import can_ask
    from manyhands.client.connection import session_path
    from manyhands.client.landing import Proposal

    hub = client()
    rehearse_for(hub.home, hub.session(session).agent)
    if can_ask():
        tell("looking at the changes …")
    data = hub.send(session_path(session, "commit/message"), {"paths": paths})
    return msgspec.json.decode(data, type=Proposal)
