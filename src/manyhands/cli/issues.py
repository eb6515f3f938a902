"""`manyhands issues`: the open issues of a repository's forge and trackers."""

from __future__ import annotations

from typing import Any

import click

from manyhands.cli.answers import pass_on_list
from manyhands.cli.options import absolute_path, connection, json_option
from manyhands.cli.table import Row


@click.command("issues")
@click.option("--repo", metavar="PATH", help="Default: the repository around this directory.")
@click.option("--tracker", default="", metavar="T", help="One of the config's, or `forge`.")
@click.option("--search", default="", metavar="Q", help="Words, or the forge's own search terms.")
@click.option("--mine", is_flag=True, help="Only those that are assigned to you.")
@click.option("--limit", type=click.IntRange(1, 500), default=100, help="Default: 100.")
@json_option
def command(
    repo: str | None, tracker: str, search: str, mine: bool, limit: int, as_json: bool
) -> None:
    """List open issues; `manyhands new --issue REF` starts a session for one."""
    asked: dict[str, Any] = {"repo": absolute_path(repo or "."), "search": search, "limit": limit}
    asked |= {"tracker": tracker} if tracker else {}
    asked |= {"mine": "true"} if mine else {}
    data = connection().fetch("/api/issues", timeout=300.0, **asked)
    heads = ("ISSUE", "TITLE", "STATE", "LABELS", "BY", "SESSIONS")
    pass_on_list(data, as_json, heads, _row)


def _row(issue: Any) -> Row:
    """By what `new --issue` takes, shortest first."""
    called = issue["key"] if not issue["key"].isdecimal() else issue["ref"]
    having = " ".join(filter(None, (*issue["sessions"], issue["stage"].replace("_", " "))))
    labels = ", ".join(issue["labels"])
    return (called, issue["title"], issue["state"], labels, issue["author"], having)
