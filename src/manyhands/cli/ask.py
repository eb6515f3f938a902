"""`manyhands ask`: a question beside the main conversation, or a second agent."""

from __future__ import annotations

import click

from manyhands.cli.options import client, json_option, session_argument


@click.command("ask")
@session_argument
@click.argument("text")
@click.option("--agent", metavar="A", help="Default: the session's own.")
@click.option("--model", metavar="M", help="Default: the session's, or the agent's own.")
@click.option("--writes", is_flag=True, help="Let it change files, when nobody else does.")
@click.option("--conversation", metavar="ID", help="Go on with this one.")
@click.option("--detach", is_flag=True, help="Return before the answer is there.")
@json_option
def command(
    session: str,
    text: str,
    *,
    agent: str | None,
    model: str | None,
    writes: bool,
    conversation: str | None,
    detach: bool,
    as_json: bool,
) -> None:
    """Ask TEXT (or standard input, by -) beside the session's own conversation.

    Nothing can be changed by it, unless --writes says so; the session's agent goes on meanwhile.
    """
    from manyhands.cli.message import read_message
    from manyhands.cli.output import emit
    from manyhands.cli.rehearsing import rehearse_for
    from manyhands.client.connection import session_path

    hub = client()
    found = hub.session(session)
    rehearse_for(hub.home, agent or found.agent)
    request = {"text": read_message(text), "writes": writes, "wait": not detach}
    request |= {"agent": agent or "", "model": model or "", "conversation": conversation or ""}
    data = hub.send(session_path(found.id, "conversations"), request)
    if as_json:
        emit(data)
    else:
        _print(data)


def _print(data: bytes) -> None:
    import msgspec

    from manyhands.cli.output import tell, write
    from manyhands.cli.terminal import inert

    answered = msgspec.json.decode(data)
    if answered["answer"]:
        write(inert(answered["answer"], lines=True))
    if answered["status"] != "idle":
        tell(f"{answered['id']}: {answered['status']} {answered['error']}".strip())
