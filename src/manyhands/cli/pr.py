"""`manyhands pr`: open a session's pull request, bring it up to date, and see how it fares."""

from __future__ import annotations

from typing import Any

import click

from manyhands.cli.answers import unless_json
from manyhands.cli.options import complete_session, connection, json_option
from manyhands.cli.output import emit, tell, write
from manyhands.cli.terminal import can_ask, inert

ACTIONS = {"reply": "replied to", "resolve": "resolved", "dismiss": "dismissed"}


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
@click.option("--template", default="", metavar="NAME", help="Of several that the repository has.")
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
        _act_on_remark(words[0], words[1:], as_json)
        return
    if len(words) != 1:
        raise click.UsageError("name one session")
    if body_file is not None:
        asked["body"] = body_file.read()
    asked["accept"] = (*asked["accept"], *_asked_about(words[0], asked))
    _open(words[0], asked, as_json)


def _open(session: str, asked: dict[str, Any], as_json: bool) -> None:
    from manyhands.contract.landing import PrOpened

    # Checks take as long as they take.
    data = connection().send_to(session, "pr", asked, timeout=None)
    if opened := unless_json(data, as_json, PrOpened):
        for text in filter(None, (opened.output, *opened.notes)):
            tell(text)
        what = "opened" if opened.created else "updated"
        write(f"{opened.pr.mark}  {what}, {opened.pr.state}  {inert(opened.pr.url)}")


def _asked_about(session: str, asked: dict[str, Any]) -> list[str]:
    """Findings that the person at the terminal says yes to; off a terminal the hub refuses."""
    import msgspec

    from manyhands.contract.landing import PrPlan

    if not can_ask():
        return []
    query = {"base": asked["base"], "template": asked["template"]}
    data = connection().fetch_of(session, "pr/plan", timeout=300.0, **query)
    plan = msgspec.json.decode(data, type=PrPlan)
    commits = "1 commit" if plan.commits == 1 else f"{plan.commits} commits"
    tell(f"{commits} into {plan.base} of {plan.repo}: {plan.title}")
    for note in plan.notes:
        tell(note)
    if asked["check"] and not plan.checks:
        tell("the repository has no [checks], so there is nothing to run first")
    accepted = []
    for found in plan.findings:
        if found.id in asked["accept"]:
            continue
        tell(f"{found.kind}: {found.path}{f':{found.line}' if found.line else ''}: {found.detail}")
        if not click.confirm("Push it all the same?", default=False, err=True):
            raise click.Abort
        accepted.append(found.id)
    return accepted


def _act_on_remark(action: str, words: tuple[str, ...], as_json: bool) -> None:
    """`words` are the session, the remark and, for a reply, its text: else the agent's own."""
    if not 2 <= len(words) <= (3 if action == "reply" else 2):
        text = " [TEXT]" if action == "reply" else ""
        raise click.UsageError(f"pr {action} S REMARK{text}; `pr status S` lists the remarks")
    session, remark, *said = words
    asked = {"draft": remark, "action": action, "text": "".join(said)}
    data = connection().send_to(session, "pr/drafts", asked)
    if as_json:
        emit(data)
    else:
        tell(f"{remark} {ACTIONS[action]}")
