"""`manyhands new`: a session for a task, in a worktree and branch of its own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from manyhands.cli.message import load_attachments, read_message
from manyhands.cli.options import (
    absolute_path,
    attach_option,
    box_option,
    client,
    effort_option,
    json_option,
    network_option,
)
from manyhands.cli.output import tell, write, write_json
from manyhands.cli.terminal import can_ask
from manyhands.errors import BadInput, ManyhandsError
from manyhands.model.landing.tasks import tasks_of
from manyhands.providers import start_for

if TYPE_CHECKING:
    from manyhands.client.calls import Client
    from manyhands.contract.sessions import SessionView

LARGEST = 1024 * 1024
MOST = 50


@click.command("new")
@click.argument("text", required=False)
@click.option("--repo", metavar="PATH", help="Default: the repository around this directory.")
@click.option("--name", metavar="TITLE", help="Default: from the text.")
@click.option("--base", metavar="REF", help="What to start from. Default: the main branch.")
@click.option("--branch", metavar="NAME", help="Work on this branch; made if it is not there.")
@click.option("--in-place", is_flag=True, help="Work in the main checkout, without a worktree.")
@click.option("--agent", metavar="A", help="Default: as configured.")
@click.option("--model", metavar="M", help="Default: the agent's own.")
@effort_option
@click.option("--mode", type=click.Choice(["plan", "ask", "edits", "auto"]), help="Default: ask.")
@click.option("--issue", "issues", multiple=True, metavar="REF")
@click.option("--from", "tasks", type=click.Path(exists=True, dir_okay=False), metavar="FILE")
@click.option("--budget-usd", type=float, metavar="USD", help="Ask once so much was spent.")
@click.option("--budget-minutes", type=float, metavar="MIN", help="Ask after so much work.")
@box_option
@network_option
@click.option("--resume", metavar="ID", help="Go on from a past conversation; see `past`.")
@attach_option
@click.option("--anyway", is_flag=True, help="Do not ask, however much waits for review.")
@click.option("--no-start", is_flag=True, help="Start no agent yet.")
@click.option("--detach", is_flag=True, help="Return at once, before the worktree is there.")
@click.option("--wait", "wait", is_flag=True, help="Wait until it is idle or needs attention.")
@json_option
def command(
    text: str | None,
    *,
    repo: str | None,
    attach: tuple[str, ...],
    anyway: bool,
    no_start: bool,
    detach: bool,
    wait: bool,
    as_json: bool,
    **rest: Any,
) -> None:
    """Create a session and send TEXT (or standard input, by -) as its first message.

    --issue REF (repeatable) makes one for each of these issues: 12, owner/name#12, ENG-123,
    TRACKER:REF or an address. --from FILE makes one for each open item of the lists in a Markdown
    file. TEXT then comes before each.
    """
    from manyhands.cli.hub_process import ensure_hub
    from manyhands.config import home, load_settings

    if no_start and wait:
        raise click.UsageError("--wait needs an agent: leave out --no-start")
    issues, tasks = tuple(dict.fromkeys(rest.pop("issues"))), rest.pop("tasks")
    given = _given(issues, tasks)
    if text is None and given == [{}]:
        raise click.UsageError("say what is to be done, or name an --issue or a file with --from")
    if rest["in_place"] and rest["base"]:
        raise click.UsageError("--in-place works on what is checked out: leave out --base")
    chosen = {name: value for name, value in rest.items() if value is not None}
    words = "" if text is None else read_message(text)
    request = {"text": words, "repo": absolute_path(repo or "."), **chosen}
    request |= {"start": not no_start, "detach": detach}
    request["attachments"] = load_attachments(attach)
    here, hub = home(), client()
    ensure_hub(here)
    if not anyway and not as_json:
        _confirm(hub)
    if not no_start:
        start_for(here, rest["agent"] or load_settings(here).defaults.agent)
    if tasks is None and len(given) == 1:
        _create(hub, request | given[0], wait, as_json)
        return
    if issues:
        # All of them are looked for before the first session is made.
        hub.fetch("/api/issues", repo=request["repo"], ref=issues, timeout=300.0)
    _create_each(hub, [request | more for more in given], wait, as_json)


def _given(issues: tuple[str, ...], tasks: str | None) -> list[dict[str, Any]]:
    """What each session is for beyond the text; one of nothing where only the text is."""
    items = load_items(tasks) if tasks is not None else []
    return [*({"issue": n} for n in issues), *({"item": item} for item in items)] or [{}]


def _confirm(hub: Client) -> None:
    """People are the bottleneck: ask one who sits there; a script is only told."""
    status = hub.status()
    most = status.limits.get("unread", 0)
    if most and status.unread >= most and can_ask():
        click.confirm(f"{status.unread} wait for your review; start another?", abort=True, err=True)


def _create_each(hub: Client, requests: list[dict[str, Any]], wait: bool, as_json: bool) -> None:
    """One session after the other; with JSON, all of them as one list."""
    from manyhands.cli.session_text import session_line
    from manyhands.cli.wait import tell_outcome

    sessions: list[SessionView] = []
    for request in requests:
        try:
            sessions.append(hub.new(request))
        except ManyhandsError as error:
            if sessions:
                error.hint = f"made before that: {', '.join(s.slug for s in sessions)}"
            raise
        if not as_json:
            write(session_line(sessions[-1]))
    outcome = hub.wait([s.id for s in sessions], "idle") if wait else None
    if as_json:
        write_json(outcome.sessions if outcome else sessions)
    if outcome:
        tell_outcome(outcome)


def _create(hub: Client, request: dict[str, Any], wait: bool, as_json: bool) -> None:
    from manyhands.cli.session_text import session_line
    from manyhands.cli.wait import tell_outcome
    from manyhands.contract.sessions import Waited

    made = hub.new(request)
    outcome = Waited("failed" if made.status == "failed" else "reached", (made,))
    if wait and outcome.outcome == "reached":
        outcome = hub.wait([made.id], "idle")
    if as_json:
        write_json(outcome.sessions[0])
    else:
        write(session_line(outcome.sessions[0]))
        if made.notice:
            tell(made.notice)
    tell_outcome(outcome)


def load_items(path: str) -> list[dict[str, str]]:
    """Tasks out of a Markdown file, as `new --from` sends them."""
    file = Path(path)
    try:
        data = file.read_bytes()
        text = data.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} cannot be read: {error}") from error
    if len(data) > LARGEST:
        raise BadInput(f"{path} is larger than {LARGEST // 1024} kB")
    tasks = tasks_of(text)
    if not tasks:
        raise BadInput(f"{path} holds no list with an open item", hint="write each task as `- …`")
    if len(tasks) > MOST:
        raise BadInput(f"{path} holds {len(tasks)} open items; at most {MOST} are taken at once")
    return [
        {"origin": f"{file.name}:{task.line}", "title": task.title, "text": task.text}
        for task in tasks
    ]
