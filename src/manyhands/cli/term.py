"""`manyhands term`: a terminal of a session, in this one."""

from __future__ import annotations

from urllib.parse import quote

import click
import msgspec

from manyhands.cli.options import client, json_option, session_argument
from manyhands.cli.output import emit, tell
from manyhands.cli.table import print_table
from manyhands.cli.terminal import can_ask, inert, is_terminal
from manyhands.errors import BadInput, NotPossible


@click.command("term")
@session_argument
@click.argument("name", default="", metavar="[NAME]")
@click.option("--list", "as_list", is_flag=True, help="List its terminals.")
@click.option("--kill", is_flag=True, help="End the program in it and take it off the list.")
@click.option("--watch", is_flag=True, help="Look on, without typing.")
@json_option
def command(
    session: str, name: str, as_list: bool, kill: bool, watch: bool, as_json: bool
) -> int | None:
    """Attach the session's terminal NAME, made if it is not there; ctrl-] detaches.

    The program in it goes on without anybody: over a lost connection, a closed window, a hub that
    is started anew. Without a NAME it is the first that runs.
    """
    hub = client()
    s = hub.session(session)
    if as_list:
        _list(hub.fetch_of(s.id, "terminals"), as_json=as_json)
        return None
    if kill:
        if not name:
            raise click.UsageError("missing the name: manyhands term S NAME --kill")
        left = hub.send_to(s.id, f"terminals/{quote(name, safe='')}/close")
        _list(left, as_json=True) if as_json else tell(f"ended {name}")
        return None
    if not can_ask() or not is_terminal():
        raise BadInput("this is no terminal to attach one to", hint="manyhands run S -- CMD...")
    from manyhands.cli.attach import Attached, terminal_size
    from manyhands.client.stream import open_terminal_stream

    rows, columns = terminal_size()
    if not name:
        name = next((t.name for t in s.terminals if t.exit_code is None), "")
    asked = {"name": name, "rows": rows, "columns": columns}
    opened = msgspec.json.decode(hub.send_to(s.id, "terminals", asked))["name"]
    mode = "watch" if watch else "type"
    where = {"mode": mode, "rows": rows, "columns": columns}
    with open_terminal_stream(hub.home, s.id, opened, **where) as socket:
        attached = Attached(socket, types=not watch)
        attached.run()
    if attached.error:
        raise NotPossible(attached.error)
    again = f"manyhands term {s.slug} {opened}"
    tell(f"detached; again: {again}" if attached.exit_code is None else f"{opened} has ended")
    return attached.exit_code


def _list(data: bytes, *, as_json: bool) -> None:
    if as_json:
        emit(data)
        return
    rows = [
        (
            inert(one["name"]),
            inert(" ".join(one["command"])),
            str(one["pid"] or "-"),
            str(one["viewers"]),
            "runs" if one["exit_code"] is None else f"exit {one['exit_code']}",
        )
        for one in msgspec.json.decode(data)
    ]
    print_table(("NAME", "COMMAND", "PID", "VIEWERS", "STATE"), rows)
