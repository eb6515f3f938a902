"""`manyhands answer`: settle an open item."""

from __future__ import annotations

import click

from manyhands.cli.options import F, json_option, ready, session_argument
from manyhands.cli.output import emit, write

SHORT_FORMS = {
    "allow": "Permission: once.",
    "allow-session": "Permission: for the rest of this session.",
    "allow-repo": "Permission: in this repository.",
    "deny": "Permission: no; say why with --text.",
    "approve": "Plan: go ahead.",
    "revise": "Plan: not yet; say what to change with --text.",
    "hand-over": "Plan: a fresh session carries it out.",
    "raise": "Budget: as much again.",
    "finish": "Budget: finish this turn.",
    "stop": "Budget: stop here.",
    "retry": "Something failed: try again.",
    "skip": "Something failed: go on without it.",
}


def short_forms(function: F) -> F:
    for name, words in reversed(SHORT_FORMS.items()):
        option = click.option(f"--{name}", "shorts", flag_value=name, multiple=True, help=words)
        function = option(function)
    return function


@click.command("answer")
@session_argument
@click.option("--option", "options", multiple=True, metavar="ID", help="One of the item's options.")
@short_forms
@click.option("--choose", multiple=True, metavar="LABEL", help="Question: a choice (repeatable).")
@click.option("--text", default="", help="Words that go with the answer.")
@click.option(
    "--rule",
    type=click.Choice(["call", "prefix", "glob", "tool"]),
    help="What --allow-session and --allow-repo cover. Default: this very call.",
)
@click.option("--pattern", default="", help="The rule's prefix or glob, if not the offered one.")
@click.option(
    "--item",
    default="",
    metavar="ID",
    help="Default: the session's oldest open item that has the option.",
)
@json_option
def command(
    session: str,
    text: str,
    rule: str | None,
    pattern: str,
    item: str,
    as_json: bool,
    **ways: tuple[str, ...],
) -> None:
    """Settle an open item by one of its options."""
    chosen = _require_one_way(ways, text)
    hub, found = ready(session)
    request = {"item": item, "options": chosen, "text": text, "rule": rule, "pattern": pattern}
    data = hub.send_to(found.id, "answer", request)
    if as_json:
        emit(data)
    else:
        write(f"answered: {', '.join(chosen) or text}")


def _require_one_way(ways: dict[str, tuple[str, ...]], text: str) -> list[str]:
    given = [chosen for chosen in ways.values() if chosen]
    if len(given) > 1 or len(set(ways["shorts"])) > 1:
        raise click.UsageError("an answer is one thing: --option, a short form, or --choose")
    if not given and not text:
        raise click.UsageError("say how to settle it, e.g. --allow, --approve or --choose LABEL")
    return list(given[0]) if given else []
