"""`manyhands pr`: open a session's pull request, bring it up to date, and see how it fares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from manyhands.cli.options import complete_session, connection, json_option
from manyhands.cli.pr_remark import ACTIONS, act_on_remark

if TYPE_CHECKING:
    from manyhands.client.landing import PrPlan


@click.command("pr")
@click.argument(
    "words", metavar="S | status [S] | reply…", nargs=-1, shell_complete=complete_session
)
@click.option("--draft/--ready", "draft", default=None, help="As a draft, or ready for review.")
@click.option("--title", default="", metavar="TEXT", help="Default: the session's title.")
@click.option(
    "--body-file", type=click.File("r", encoding="utf-8"), metavar="FILE", help="- is stdin."
)
@click.option("--reviewer", "reviewers", multiple=True, metavar="NAME", help="Repeatable.")
@click.option("--label", "labels", multiple=True, metavar="NAME", help="Repeatable.")
@click.option("--base", default="", metavar="BRANCH", help="What it is to be merged into.")
@click.option("--check", is_flag=True, help="Run the [checks] first; push only if they pass.")
@click.option("--accept", multiple=True, metavar="ID", help="Push in spite of this finding.")
@click.option("--again", is_flag=True, help="A new one, though the last was closed or merged.")
@json_option
def command(words: tuple[str, ...], body_file: Any, as_json: bool, **asked: Any) -> None:
    """Push the session's branch and open its pull request, or update the one that is there.

    `pr status [S]` shows state, reviews, remarks and checks of one or of all. `pr reply S REMARK
    [TEXT]`, `pr resolve S REMARK` and `pr dismiss S REMARK` answer a remark; a reply without TEXT
    is the agent's own.
    """
    if words[:1] == ("status",):
        from manyhands.cli.pr_status import show_status

        show_status(words[1:], as_json)
        return
    if words[:1] and words[0] in ACTIONS and len(words) > 1:
        act_on_remark(words[0], words[1:], as_json)
        return
    if len(words) != 1:
        raise click.UsageError("name one session")
    if body_file is not None:
        asked["body"] = body_file.read()
    asked["accept"] = (*asked["accept"], *_asked_about(words[0], asked))
    _open(words[0], asked, as_json)


def _open(session: str, asked: dict[str, Any], as_json: bool) -> None:
    import msgspec

    from manyhands.cli.output import emit, tell, write
    from manyhands.cli.terminal import inert
    from manyhands.client.connection import PATIENCE, persist, session_path
    from manyhands.client.landing import PrOpened

    # Repeated, it makes no second one; and checks take as long as they take.
    path = session_path(session, "pr")
    data = persist(lambda: connection().post(path, asked, timeout=None), PATIENCE)
    if as_json:
        emit(data)
        return
    opened = msgspec.json.decode(data, type=PrOpened)
    for text in filter(None, (opened.output, *opened.notes)):
        tell(text)
    what = "opened" if opened.created else "updated"
    write(f"#{opened.pr.number}  {what}, {opened.pr.state}  {inert(opened.pr.url)}")


def _asked_about(session: str, asked: dict[str, Any]) -> list[str]:
    """Findings that the person at the terminal says yes to; off a terminal the hub refuses."""
    import msgspec

    from manyhands.cli.output import tell
    from manyhands.cli.terminal import can_ask
    from manyhands.client.connection import session_path
    from manyhands.client.landing import PrPlan

    if not can_ask():
        return []
    where = session_path(session, "pr/plan")
    data = connection().fetch(where, timeout=300.0, base=asked["base"])
    plan = msgspec.json.decode(data, type=PrPlan)
    _tell_plan(plan)
    accepted = []
    for found in plan.findings:
        if found.id in asked["accept"]:
            continue
        tell(f"{found.kind}: {found.path}{f':{found.line}' if found.line else ''}: {found.detail}")
        if not click.confirm("Push it all the same?", default=False, err=True):
            raise click.Abort
        accepted.append(found.id)
    return accepted


def _tell_plan(plan: PrPlan) -> None:
    from manyhands.cli.output import tell

    commits = "1 commit" if plan.commits == 1 else f"{plan.commits} commits"
    tell(f"{commits} into {plan.base} of {plan.repo}: {plan.title}")
