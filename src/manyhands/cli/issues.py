"""`manyhands issues`: the open issues of a repository's forge."""

from __future__ import annotations

import click

from manyhands.cli.answers import pass_on_list
from manyhands.cli.options import absolute_path, connection, json_option


@click.command("issues")
@click.option("--repo", metavar="PATH", help="Default: the repository around this directory.")
@click.option("--search", default="", metavar="Q", help="Words, or the forge's own search terms.")
@json_option
def command(repo: str | None, search: str, as_json: bool) -> None:
    """List open issues; `manyhands new --issue N` starts a session for one."""
    asked = {"repo": absolute_path(repo or "."), "search": search}
    data = connection().fetch("/api/issues", timeout=300.0, **asked)
    pass_on_list(
        data,
        as_json,
        ("NUMBER", "TITLE", "LABELS", "BY"),
        lambda i: (f"#{i['number']}", i["title"], ", ".join(i["labels"]), i["author"]),
    )
