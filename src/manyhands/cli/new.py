"""`manyhands new`: a session for a task, in a worktree and branch of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import click

from manyhands.cli.attaching import attach_option, load_attachments
from manyhands.cli.options import absolute_path, effort_option, json_option

if TYPE_CHECKING:
    from manyhands.client.calls import Client
    from manyhands.config import Home
    from manyhands.model.views import SessionView


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
@click.option("--issue", "issues", type=click.IntRange(min=1), multiple=True, metavar="N")
@click.option("--from", "tasks", type=click.Path(exists=True, dir_okay=False), metavar="FILE")
@click.option("--budget-usd", type=float, metavar="USD", help="Ask once so much was spent.")
@click.option("--budget-minutes", type=float, metavar="MIN", help="Ask after so much work.")
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

    --issue N (repeatable) makes one for each of these issues of the repository's forge, --from
    FILE one for each open item of the lists in a Markdown file; TEXT then comes before each.
    """
    from manyhands.cli.hub_process import ensure_hub
    from manyhands.cli.message import read_message
    from manyhands.cli.options import client
    from manyhands.config import home

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
    here = home()
    ensure_hub(here)
    if not anyway and not as_json:
        _confirm(client())
    if not no_start:
        _rehearse(here, rest["agent"])
    if tasks is not None or len(given) > 1:
        _require_issues(client(), request["repo"], issues)
        _create_each(client(), [request | more for more in given], wait, as_json)
    else:
        _create(client(), request | given[0], wait, as_json)


def _given(issues: tuple[int, ...], tasks: str | None) -> list[dict[str, Any]]:
    """What each session is for beyond the text; one of nothing where only the text is."""
    if tasks is None:
        return [{"issue": number} for number in issues] or [{}]
    from manyhands.cli.task_file import load_items

    return [{"issue": n} for n in issues] + [{"item": item} for item in load_items(tasks)]


def _require_issues(hub: Client, repo: str, issues: tuple[int, ...]) -> None:
    """All of them are looked for before the first session is made."""
    if issues:
        asked = [("repo", repo), *(("number", str(number)) for number in issues)]
        hub.fetch(f"/api/issues?{urlencode(asked)}", timeout=300.0)


def _confirm(hub: Client) -> None:
    """People are the bottleneck: ask one who sits there; a script is only told."""
    from manyhands.cli.terminal import can_ask

    status = hub.status()
    most = status.limits.get("unread", 0)
    if most and status.unread >= most and can_ask():
        click.confirm(f"{status.unread} wait for your review; start another?", abort=True, err=True)


def _rehearse(home: Home, agent: str | None) -> None:
    from manyhands.cli.rehearsing import rehearse_for
    from manyhands.config import load_settings

    rehearse_for(home, agent or load_settings(home).defaults.agent)


def _create_each(hub: Client, requests: list[dict[str, Any]], wait: bool, as_json: bool) -> None:
    """One session after the other; with JSON, all of them as one list."""
    from manyhands.cli.output import write, write_json
    from manyhands.cli.session_text import session_line
    from manyhands.cli.wait import tell_outcome
    from manyhands.errors import ManyhandsError

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
    from manyhands.cli.output import tell, write, write_json
    from manyhands.cli.session_text import session_line
    from manyhands.cli.wait import tell_outcome
    from manyhands.client.calls import Waited

    session: SessionView = (made := hub.new(request))
    notice = made.notice
    outcome = Waited("failed" if session.status == "failed" else "reached", (session,))
    if wait and outcome.outcome == "reached":
        outcome = hub.wait([session.id], "idle")
        session = outcome.sessions[0]
    if as_json:
        write_json(session)
    else:
        write(session_line(session))
        if notice:
            tell(notice)
    tell_outcome(outcome)
