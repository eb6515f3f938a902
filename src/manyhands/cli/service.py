"""`manyhands service`: dev servers and what they need, beside a session's agent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from manyhands.cli.answers import unless_json
from manyhands.cli.options import complete_session, connection, json_option, session_argument
from manyhands.cli.output import emit, put, tell
from manyhands.cli.table import print_table
from manyhands.cli.terminal import inert

if TYPE_CHECKING:
    from manyhands.contract.services import ServiceView

HEADS = ("SESSION", "SERVICE", "STATE", "URL", "PID", "WHY")
HELD_SECONDS = 20.0


@click.group("service", no_args_is_help=True)
@json_option
def command(as_json: bool) -> None:
    """Run a session's services, such as its dev server, each on the session's own ports.

    They are named under [services.NAME] in .manyhands.toml, or found in the worktree.
    """


@command.command("ls")
@click.argument("session", metavar="[S]", default="", shell_complete=complete_session)
@json_option
def ls(session: str, as_json: bool) -> None:
    """Show the services of a session, or of all."""
    hub = connection()
    data = hub.fetch_of(session, "services") if session else hub.fetch("/api/services")
    _show(data, as_json)


@command.command("start")
@session_argument
@click.argument("name", metavar="[NAME]", default="")
@json_option
def start(session: str, name: str, as_json: bool) -> None:
    """Start a service and what it depends on, or all that the config names."""
    _do("start", session, name, as_json)


@command.command("stop")
@session_argument
@click.argument("name", metavar="[NAME]", default="")
@json_option
def stop(session: str, name: str, as_json: bool) -> None:
    """Stop a service with everything that it started, or all of them."""
    _do("stop", session, name, as_json)


@command.command("restart")
@session_argument
@click.argument("name", metavar="[NAME]", default="")
@json_option
def restart(session: str, name: str, as_json: bool) -> None:
    """Start a service anew, as the config has it now."""
    _do("restart", session, name, as_json)


@command.command("logs")
@session_argument
@click.argument("name", metavar="[NAME]", default="")
@click.option("--follow", "-f", is_flag=True, help="Go on with what it says.")
@click.option("--find", metavar="WORDS", default="", help="Only lines that hold these words.")
@click.option("--after", type=click.IntRange(min=0), metavar="N", help="From this byte on.")
@json_option
def logs(
    session: str, name: str, follow: bool, find: str, after: int | None, as_json: bool
) -> None:
    """Show what a service said; with --json and --follow one document per piece."""
    from urllib.parse import quote

    import msgspec

    from manyhands.contract.services import ServiceLogView

    if follow and find:
        raise click.UsageError("--find looks through what was said, --follow waits for more")
    hub = connection()
    name = name or _only(session)
    operation, wait = f"services/{quote(name, safe='')}/log", 0.0
    while True:
        asked = {"after": after, "find": find or None, "wait": wait or None}
        data = hub.fetch_of(session, operation, **asked)
        found = msgspec.json.decode(data, type=ServiceLogView)
        if as_json and (found.text or not follow):
            emit(data)
        elif not as_json:
            put(inert(found.text, lines=True).encode("utf-8", "backslashreplace"))
        if not follow:
            return
        after, wait = found.next, HELD_SECONDS


def _only(session: str) -> str:
    """The session's one service, where there is only one."""
    import msgspec

    from manyhands.contract.services import ServiceView

    data = connection().fetch_of(session, "services")
    names = [one.name for one in msgspec.json.decode(data, type=list[ServiceView])]
    if len(names) == 1:
        return names[0]
    there = ", ".join(names) if names else "there is none"
    raise click.UsageError(f"say which service: {there}")


def _do(how: str, session: str, name: str, as_json: bool) -> None:
    asked: dict[str, Any] = {"name": name}
    _show(connection().send_to(session, f"services/{how}", asked), as_json)


def _show(data: bytes, as_json: bool) -> None:
    from manyhands.contract.services import ServiceView

    found = unless_json(data, as_json, list[ServiceView])
    if found is None:
        return
    if not found:
        tell("there are no services; name one under [services.NAME] in .manyhands.toml")
        return
    print_table(HEADS, [_row(one) for one in found])


def _row(one: ServiceView) -> tuple[str, ...]:
    is_found = one.origin != "config" and one.state == "stopped"
    why = one.reason or (f"found in {one.origin}: {one.command}" if is_found else "")
    pid = str(one.pid) if one.pid else "-"
    return (one.slug, one.name, one.state, one.url or "-", pid, why)
