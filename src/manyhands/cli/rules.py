"""`manyhands rules`: standing permissions, listed, made and removed."""

from __future__ import annotations

import click

from manyhands.cli.answers import pass_on_list
from manyhands.cli.options import absolute_path, connection, json_option


@click.command("rules")
@click.option("--repo", metavar="PATH", help="Of this repository.")
@click.option("--session", metavar="S", help="Of this session alone.")
@click.option("--allow", metavar="TOOL", help="Make a rule for this tool, e.g. Bash or Write.")
@click.option("--prefix", metavar="WORDS", help="With --allow: commands that begin so.")
@click.option("--glob", metavar="PATTERN", help="With --allow: paths in the worktree.")
@click.option("--remove", metavar="ID", help="Take a rule back.")
@json_option
def command(
    *,
    repo: str | None,
    session: str | None,
    allow: str | None,
    prefix: str | None,
    glob: str | None,
    remove: str | None,
    as_json: bool,
) -> None:
    """List what agents may do without asking; make a rule by --allow, take one back by --remove."""
    if bool(allow) + bool(remove) > 1 or (prefix and glob):
        raise click.UsageError("one thing at a time")
    path = absolute_path(repo) if repo else ""
    hub = connection()
    if remove:
        data = hub.send("/api/rules/remove", {"id": remove})
    elif allow:
        kind = "prefix" if prefix else "glob" if glob else "tool"
        rule = {"tool": allow, "kind": kind, "pattern": prefix or glob or ""}
        where = {"session": session} if session else {"repo": path or absolute_path(".")}
        data = b"[" + hub.send("/api/rules", {**rule, **where}) + b"]"
    else:
        data = hub.fetch("/api/rules", repo=path, session=session or "")
    pass_on_list(
        data,
        as_json,
        ("RULE", "TOOL", "BY", "PATTERN", "HOLDS IN"),
        lambda r: (r["id"], r["tool"], r["kind"], r["pattern"], r["session"] or r["repo"]),
    )
