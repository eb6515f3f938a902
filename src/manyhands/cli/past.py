"""`manyhands past`: conversations that an agent kept before, to go on with."""

from __future__ import annotations

import click

from manyhands.cli.answers import pass_on_list
from manyhands.cli.options import absolute_path, connection, json_option


@click.command("past")
@click.option("--repo", metavar="PATH", help="Default: the repository around this directory.")
@click.option("--agent", metavar="A", help="Default: as configured.")
@json_option
def command(repo: str | None, agent: str | None, as_json: bool) -> None:
    """List what an agent keeps of earlier conversations in a repository.

    `manyhands new TEXT --resume ID` goes on with one, in a copy of its own, where the agent can:
    Claude Code and Codex. Opencode and Mistral Vibe only list theirs.
    """
    path = absolute_path(repo or ".")
    data = connection().fetch("/api/past", repo=path, agent=agent or "")
    pass_on_list(
        data,
        as_json,
        ("CONVERSATION", "LAST", "MESSAGES", "TITLE"),
        lambda c: (c["id"], c["updated_at"][:16], str(c["messages"] or ""), c["title"]),
    )
