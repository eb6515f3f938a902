"""What many commands share: `--json`, the name of a session, the way to the hub."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from manyhands.cli.terminal import inert
from manyhands.errors import BadInput, ManyhandsError
from manyhands.providers import start_for

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from manyhands.client.calls import Client
    from manyhands.client.connection import Connection
    from manyhands.contract.sessions import SessionView

F = TypeVar("F", bound=Callable[..., Any])


def _also_before(ctx: click.Context, param: click.Parameter, value: bool) -> bool:
    """Said of a group, it holds for the group's commands."""
    ctx.meta["manyhands.json"] = value or ctx.meta.get("manyhands.json", False)
    return bool(ctx.meta["manyhands.json"])


json_option: Callable[[F], F] = click.option(
    "--json", "as_json", is_flag=True, callback=_also_before, help="Write JSON to stdout."
)

effort_option: Callable[[F], F] = click.option(
    "--effort",
    type=click.Choice(["low", "medium", "high", "xhigh", "max"]),
    help="How hard the model thinks. Default: the agent's own.",
)

box_option: Callable[[F], F] = click.option(
    "--box",
    type=click.Choice(["full", "files", "none"]),
    help="What its agents are confined by. Default: as configured.",
)

network_option: Callable[[F], F] = click.option(
    "--network",
    type=click.Choice(["open", "listed", "none"]),
    help="What a full box lets through. Default: as configured.",
)

attach_option: Callable[[F], F] = click.option(
    "--attach", multiple=True, metavar="PATH", help="A picture or file to send along (repeatable)."
)


def complete_session(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """What the shell offers for a session; nothing where no hub runs."""
    from click.shell_completion import CompletionItem

    try:
        sessions = client().sessions(archived=True)
    except ManyhandsError:
        return []
    return [
        CompletionItem(s.slug, help=inert(s.title))
        for s in sessions
        if s.slug.startswith(incomplete) or s.id.startswith(incomplete)
    ]


session_argument: Callable[[F], F] = click.argument(
    "session", metavar="S", shell_complete=complete_session
)


def absolute_path(path: str) -> str:
    """A path as the hub needs it, which runs somewhere else."""
    from pathlib import Path

    try:
        return str(Path(path).expanduser().absolute())
    except (OSError, RuntimeError) as error:
        raise BadInput(f"{path} cannot be found from here: {error}") from error


def connection() -> Connection:
    """The hub of this home, for answers that are passed on as they are."""
    from manyhands.client.connection import Connection
    from manyhands.config import home

    return Connection(home())


def client() -> Client:
    from manyhands.client.calls import Client
    from manyhands.config import home

    return Client(home())


def ready(session: str, agent: str = "") -> tuple[Client, SessionView]:
    """The hub and the session, with whatever must run before its agent, or another, can work."""
    hub = client()
    found = hub.session(session)
    start_for(hub.home, agent or found.agent)
    return hub, found
