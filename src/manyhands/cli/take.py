"""`manyhands take`: the agent's own program in this terminal, in the middle of the conversation."""

from __future__ import annotations

from typing import Any

import click
import msgspec

from manyhands.cli.options import client, json_option, session_argument
from manyhands.cli.output import emit, tell
from manyhands.cli.terminal import can_ask, inert, is_terminal
from manyhands.errors import NotPossible


@click.command("take")
@session_argument
@click.option("--detach", "-d", is_flag=True, help="Only start it; attach it later.")
@json_option
def command(session: str, detach: bool, as_json: bool) -> int | None:
    """Take the conversation over: it goes on in the agent's own program, here, as Claude Code asks
    and shows it; ctrl-] detaches.

    A turn that runs is stopped first. Messages wait until the conversation is given back, which
    its program's end does by itself, or `manyhands give`.
    """
    hub = client()
    s = hub.session(session)
    attaches = can_ask() and is_terminal() and not detach and not as_json
    from manyhands.cli.attach import Attached, terminal_size

    asked: dict[str, Any] = {}
    if attaches:
        rows, columns = terminal_size()
        asked = {"rows": rows, "columns": columns}
    taken = hub.send_to(s.id, "take", asked)
    name = str(msgspec.json.decode(taken)["name"])
    if as_json:
        emit(taken)
        return None
    if not attaches:
        tell(f"taken over in {inert(name)}: manyhands term {s.slug} {inert(name)}")
        return None
    from manyhands.client.stream import open_terminal_stream

    with open_terminal_stream(hub.home, s.id, name, mode="type", **asked) as socket:
        attached = Attached(socket, types=True)
        attached.run()
    if attached.error:
        raise NotPossible(attached.error)
    if attached.exit_code is None:
        tell(f"detached; again: manyhands take {s.slug}; back: manyhands give {s.slug}")
    else:
        tell("given back")
    return attached.exit_code
