"""`manyhands merge`: land a session's branch, checked as it will be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from manyhands.cli.options import connection, json_option, session_argument

if TYPE_CHECKING:
    from manyhands.client.calls import MergeLine


@click.command("merge")
@session_argument
@click.option("--pr", "by_pr", is_flag=True, help="By its pull request, on the forge.")
@click.option("--into", metavar="BRANCH", default="", help="The target; else the session's base.")
@click.option(
    "--method",
    type=click.Choice(["merge", "squash", "rebase"]),
    help="A merge commit (as a rule), one commit of everything, or each commit on top.",
)
@click.option("--dry-run", is_flag=True, help="Only say what would happen.")
@json_option
def command(
    session: str, by_pr: bool, into: str, method: str | None, dry_run: bool, as_json: bool
) -> None:
    """Merge a session's committed work: here, after the repository's checks, or on the forge."""
    if not by_pr:
        _merge_here(session, into, method or "merge", dry_run, as_json)
        return
    if into or dry_run:
        raise click.UsageError("--pr merges what the pull request says: no --into, no --dry-run")
    from manyhands.cli.merge_pr import merge_pr

    merge_pr(session, method, as_json)


def _merge_here(session: str, into: str, method: str, dry_run: bool, as_json: bool) -> None:
    import msgspec

    from manyhands.cli.output import emit, tell
    from manyhands.client.calls import MergeLine
    from manyhands.client.connection import PATIENCE, persist, session_path

    request = {"into": into, "method": method, "dry_run": dry_run}
    path = session_path(session, "merge")
    # Repeated, it merges nothing twice; and checks take as long as they take.
    data = persist(lambda: connection().post(path, request, timeout=None), PATIENCE)
    if as_json:
        emit(data)
        return
    done = msgspec.json.decode(data, type=MergeLine)
    for line in _words(done):
        tell(line)


def _words(done: MergeLine) -> list[str]:
    count = f"{len(done.commits)} commit{'' if len(done.commits) == 1 else 's'}"
    if done.dry_run:
        checks = f", after {', '.join(done.checks)}" if done.checks else ""
        along = f"; the checkout {done.checkout} comes along" if done.checkout else ""
        return [f"{count} would go into {done.into} by {done.method}{checks}{along}"]
    if done.already:
        return [f"merged into {done.into} before, as {done.commit[:12]}: nothing was done"]
    lines = [f"{count} merged into {done.into}, which is at {done.commit[:12]} now"]
    if done.checkout:
        lines.append(f"the checkout {done.checkout} was brought along")
    return [*lines, f"put the session away: manyhands archive {done.session}"]
