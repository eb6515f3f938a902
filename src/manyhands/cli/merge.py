"""`manyhands merge`: land a session's branch, checked as it will be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from manyhands.cli.answers import unless_json
from manyhands.cli.options import connection, json_option, session_argument
from manyhands.cli.output import tell, write
from manyhands.cli.terminal import can_ask, inert

if TYPE_CHECKING:
    from manyhands.contract.landing import MergeView


@click.command("merge")
@session_argument
@click.option("--pr", "by_pr", is_flag=True, help="By its pull request, on the forge.")
@click.option("--into", metavar="BRANCH", default="", help="The target; else the session's base.")
@click.option(
    "--method",
    type=click.Choice(["merge", "squash", "rebase"]),
    help="A merge commit (as a rule), one commit of everything, or each commit on top.",
)
@click.option(
    "--forward",
    is_flag=True,
    help="Bring a target that is behind its remote's branch forward to that first.",
)
@click.option("-m", "--message", metavar="TEXT", default="", help="Default: made from its commits.")
@click.option("--dry-run", is_flag=True, help="Only say what would happen.")
@json_option
def command(session: str, by_pr: bool, method: str | None, as_json: bool, **asked: Any) -> None:
    """Merge a session's committed work: here, after the repository's checks, or on the forge."""
    if not by_pr:
        _merge_here(session, {"method": method or "merge", **asked}, as_json)
        return
    if any(asked.values()):
        options = "no --into, no --forward, no --message, no --dry-run"
        raise click.UsageError(f"--pr merges what the pull request says: {options}")
    _merge_pr(session, method, as_json)


def _merge_here(session: str, request: dict[str, Any], as_json: bool) -> None:
    from manyhands.contract.landing import MergeView

    # Checks take as long as they take.
    data = connection().send_to(session, "merge", request, timeout=None)
    if done := unless_json(data, as_json, MergeView):
        for line in _words(done):
            tell(line)


def _words(done: MergeView) -> list[str]:
    count = f"{len(done.commits)} commit{'' if len(done.commits) == 1 else 's'}"
    standing = [inert(done.base.words)] if done.base and done.base.words else []
    if done.dry_run:
        first = f"{done.into} would go to {done.forwarded[:12]} first; " if done.forwarded else ""
        checks = f", after {', '.join(done.checks)}" if done.checks else ""
        along = f"; the checkout {done.checkout} comes along" if done.checkout else ""
        said = ["", *map(inert, done.message.strip().splitlines())] if done.message else []
        return [
            *standing,
            f"{first}{count} would go into {done.into} by {done.method}{checks}{along}",
            *said,
        ]
    if done.already:
        return [f"merged into {done.into} before, as {done.commit[:12]}: nothing was done"]
    lines = [f"{count} merged into {done.into}, which is at {done.commit[:12]} now"]
    if done.forwarded:
        lines.insert(0, f"{done.into} was brought forward to {done.forwarded[:12]} first")
    lines += standing
    if done.checkout:
        lines.append(f"the checkout {done.checkout} was brought along")
    return [*lines, f"put the session away: manyhands archive {done.session}"]


def _merge_pr(session: str, method: str | None, as_json: bool) -> None:
    """On the forge; then it offers to archive the session."""
    from manyhands.contract.landing import PrMerged

    hub = connection()
    data = hub.send_to(session, "pr/merge", {"method": method})
    merged = unless_json(data, as_json, PrMerged)
    if merged is None:
        return
    how = "was merged already" if merged.already else "merged"
    write(f"{merged.pr.mark}  {how} into {inert(merged.pr.base)}  {merged.commit[:12]}")
    if can_ask() and click.confirm("Archive the session?", default=True, err=True):
        hub.send_to(session, "archive")
        tell(f"archived; bring it back: manyhands restore {merged.session}")
    else:
        tell(f"put it away: manyhands archive {merged.session}")
