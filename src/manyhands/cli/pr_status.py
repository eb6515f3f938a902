"""`manyhands pr status`: how a pull request fares, as a person reads it."""

from __future__ import annotations

from collections.abc import Sequence

import click

from manyhands.cli.answers import unless_json
from manyhands.cli.options import client, connection
from manyhands.cli.output import write, write_json
from manyhands.cli.table import print_table
from manyhands.cli.terminal import inert, styled
from manyhands.contract.landing import PrStatus

COLOURS = {"failed": "red", "changes": "red", "passed": "green", "approved": "green"}


def show_status(words: Sequence[str], as_json: bool) -> None:
    """Of one session, asked anew; of all of them, as last seen."""
    if len(words) > 1:
        raise click.UsageError("name one session, or none for all")
    if not words:
        _show_all(as_json)
        return
    data = connection().fetch_of(words[0], "pr", timeout=300.0)
    if status := unless_json(data, as_json, PrStatus):
        _print(status)


def _show_all(as_json: bool) -> None:
    known = [(s, s.pr) for s in client().sessions() if s.pr is not None]
    if as_json:
        write_json([{"session": s.id, "pr": pr} for s, pr in known])
        return
    rows = [(s.slug, pr.mark, pr.state, pr.checks, pr.review, pr.url) for s, pr in known]
    print_table(("SESSION", "PR", "STATE", "CHECKS", "REVIEW", "ADDRESS"), rows)


def _print(status: PrStatus) -> None:
    pr = status.pr
    checks = styled(f"checks {pr.checks}", fg=COLOURS.get(pr.checks, "white"))
    review = styled(f"review {pr.review}", fg=COLOURS.get(pr.review, "white"))
    write(f"{pr.mark}  {pr.state}  {checks}  {review}  {inert(pr.url)}")
    write(f"  merge: {inert(status.mergeable)}")
    for given in status.reviews:
        write(f"  {inert(given.author)}: {inert(given.state)}  {inert(given.text)}")
    for check in status.checks:
        write(f"  {styled(check.state, fg=COLOURS.get(check.state, 'white'))}  {inert(check.name)}")
        for step in check.steps:
            write(f"    step {inert(step.name)}:")
            for line in step.log.splitlines():
                write(f"      {inert(line)}")
    if (watch := status.watch) and (watch.fix_checks or watch.send_reviews):
        checks = f"checks {watch.rounds} of {watch.fix_checks}"
        said = f"remarks {watch.review_rounds} of {watch.send_reviews}"
        write(f"  sent to the agent by itself: {checks}, {said}")
    for draft in status.drafts:
        if draft.ended not in ("resolved", "dismissed"):
            where = f"{draft.path}:{draft.line}" if draft.path else draft.url
            by = "by a program  " if draft.bot else ""
            name = draft.remark or inert(draft.id)
            write(f"  remark {name}  {by}{inert(where)}  {draft.ended or ''}".rstrip())
            for line in draft.text.splitlines():
                write(f"    {inert(line)}")
