"""`manyhands merge`: land a session's work."""

from __future__ import annotations

import click

from manyhands.cli.options import json_option, session_argument


@click.command("merge")
@session_argument
@click.option("--pr", "pr", is_flag=True, required=True, help="By its pull request on the forge.")
@click.option("--method", type=click.Choice(["merge", "squash", "rebase"]))
@json_option
def command(session: str, pr: bool, method: str | None, as_json: bool) -> None:
    """Merge a session, when its checks and reviewers allow; then it can be archived."""
    from manyhands.cli.merge_pr import merge_pr

    merge_pr(session, method, as_json)
