"""`manyhands commit`: commit a session's work, as yourself and with your hooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from manyhands.cli.answers import unless_json
from manyhands.cli.options import connection, json_option, ready, session_argument
from manyhands.cli.output import emit, tell, write
from manyhands.cli.terminal import can_ask, inert
from manyhands.errors import ManyhandsError

if TYPE_CHECKING:
    from manyhands.contract.landing import Proposal


@click.command("commit")
@session_argument
@click.argument("paths", metavar="[PATH]...", nargs=-1)
@click.option("-m", "--message", metavar="TEXT", help="Default: what the agent said it did.")
@click.option("--ask", is_flag=True, help="The agent proposes it, off a terminal too.")
@click.option("--template", is_flag=True, help="From what is on record; no agent is asked.")
@click.option("--dry-run", is_flag=True, help="Only show the message and what it is about.")
@click.option("--amend", is_flag=True, help="Change the session's last commit instead.")
@click.option("--anyway", is_flag=True, help="Although the agent is at work.")
@json_option
def command(
    session: str,
    message: str | None,
    ask: bool,
    template: bool,
    dry_run: bool,
    as_json: bool,
    **asked: Any,
) -> None:
    """Commit everything, or only PATHs (as seen from the worktree's top).

    Without a message one is proposed: what the agent said at the end of its turns, else task and
    files. On a terminal your editor opens on what the agent answers, asked beside its work; where
    it is busy, slow or not there, on what is on record. A script gets the latter, unless it says
    --ask. Hooks run, and what they say is shown whole; author and committer are yours.
    """
    if (message is not None) + ask + template > 1:
        raise click.UsageError("one of -m, --ask and --template says where the message is from")
    from manyhands.contract.landing import Committed

    if dry_run:
        _show(session, message, asked["paths"], not ask, as_json)
        return
    if message is None and (ask or can_ask()) and not asked["amend"]:
        message = _proposed(session, asked["paths"], asked["anyway"], template)
    try:
        data = connection().send_to(session, "commit", {"message": message or "", **asked})
    except ManyhandsError:
        if message and can_ask():
            tell(f"the message was:\n\n{message}")
        raise
    if made := unless_json(data, as_json, Committed):
        for text in filter(None, (made.output, made.note)):
            tell(text)
        write(f"{made.commit[:12]}  {inert(made.message.strip().splitlines()[0])}")


def _show(
    session: str, message: str | None, paths: tuple[str, ...], template: bool, as_json: bool
) -> None:
    import msgspec

    proposed = _fetch_proposal(session, paths, template)
    if message is not None:
        proposed = msgspec.structs.replace(proposed, message=message, by_agent=False)
    if as_json:
        emit(msgspec.json.encode(proposed))
        return
    for line in proposed.message.strip().splitlines():
        write(inert(line))
    tell(f"{len(proposed.files)} changed files: nothing was committed")


def _proposed(session: str, paths: tuple[str, ...], anyway: bool, template: bool) -> str:
    """What the person makes of the proposal; off a terminal it stands as it is."""
    proposed = _fetch_proposal(session, paths, template)
    if not proposed.files or (proposed.working and not anyway):
        return ""  # the hub says why that is not committed, before anyone writes about it
    if proposed.note:
        tell(f"{proposed.note}: the message is from what is on record")
    if not can_ask():
        return proposed.message
    edited = click.edit(proposed.message)
    # The editor was left without saving: the proposal stands.
    words = proposed.message if edited is None else edited
    if not words.strip():
        raise click.Abort
    return words


def _fetch_proposal(session: str, paths: tuple[str, ...], template: bool) -> Proposal:
    import msgspec

    from manyhands.contract.landing import Proposal

    if template:
        data = connection().fetch_of(session, "commit", path=paths, timeout=300.0)
    else:
        hub, found = ready(session)
        if can_ask():
            tell("looking at the changes …")
        data = hub.send_to(found.id, "commit/message", {"paths": paths})
    return msgspec.json.decode(data, type=Proposal)
