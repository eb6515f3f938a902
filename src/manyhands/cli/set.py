"""`manyhands set`: change how a session goes on: mode, model, effort, budget, box, title."""

from __future__ import annotations

from typing import Any

import click

from manyhands.cli.answers import pass_on_session
from manyhands.cli.options import connection, json_option, session_argument


@click.command("set")
@session_argument
@click.option("--mode", type=click.Choice(["plan", "ask", "edits", "auto"]))
@click.option("--model", metavar="M")
@click.option("--effort", type=click.Choice(["low", "medium", "high", "xhigh", "max", "default"]))
@click.option("--budget-usd", type=float, metavar="USD", help="Ask once so much was spent.")
@click.option("--budget-minutes", type=float, metavar="MIN", help="Ask after so much work.")
@click.option(
    "--box",
    type=click.Choice(["full", "files", "none", "default"]),
    help="What its agents are confined by, from the next turn.",
)
@click.option(
    "--network",
    type=click.Choice(["open", "listed", "none", "default"]),
    help="What a full box lets through.",
)
@click.option("--title", metavar="TITLE")
@click.option("--fix-checks", metavar="N", help="So often failing checks of its PR come to it.")
@click.option("--send-reviews", metavar="N", help="So often what people say about its PR does.")
@json_option
def command(session: str, as_json: bool, **given: Any) -> None:
    """Change a session at any time, also in the middle of a turn."""
    changes = list(_changes({name: v for name, v in given.items() if v is not None}))
    if not changes:
        raise click.UsageError("say what to change, e.g. --mode auto")
    hub = connection()
    for operation, body in changes:
        data = hub.send_to(session, operation, body)
    if changes[-1][0] == "pr/watch":
        data = hub.fetch_of(session, "")
    pass_on_session(data, as_json)


def _changes(given: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    found: list[tuple[str, dict[str, Any]]] = [
        (name, {name: given[name]}) for name in ("mode", "model") if name in given
    ]
    if "effort" in given:
        effort = None if given["effort"] == "default" else given["effort"]
        found.append(("effort", {"effort": effort}))
    budget = {
        unit: given[f"budget_{unit}"] for unit in ("usd", "minutes") if f"budget_{unit}" in given
    }
    if budget:
        found.append(("budget", budget))
    box = {
        key: None if given[name] == "default" else given[name]
        for name, key in (("box", "level"), ("network", "network"))
        if name in given
    }
    if box:
        found.append(("box", box))
    watch: dict[str, Any] = {
        name: _rounds(given[name]) for name in ("fix_checks", "send_reviews") if name in given
    }
    if watch:
        found.insert(0, ("pr/watch", watch))
    if "title" in given:
        found.append(("rename", {"title": given["title"]}))
    return found


def _rounds(given: str) -> int:
    if given == "default":
        return -1
    if not given.isdigit():
        raise click.UsageError(f"{given!r} is no number of times: 0 for never, or `default`")
    return int(given)
