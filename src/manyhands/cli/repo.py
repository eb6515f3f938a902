"""`manyhands repo`: the repositories that the user added and trusts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from manyhands.cli.options import absolute_path, client, connection, json_option

if TYPE_CHECKING:
    from manyhands.client.calls import Bringing
    from manyhands.model.views import RepoView

LONGEST_SHOWN = 200


@click.group("repo", no_args_is_help=False)
@json_option
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """Add, list and trust repositories."""
    ctx.obj = as_json


@command.command("add")
@click.argument("path")
@json_option
@click.pass_obj
def add(json_before: bool, path: str, as_json: bool) -> None:
    """Add the repository at PATH."""
    _print(client().add_repo(absolute_path(path)), as_json or json_before)


@command.command("list")
@json_option
@click.pass_obj
def list_(json_before: bool, as_json: bool) -> None:
    """List the added repositories."""
    from manyhands.cli.output import emit

    data = connection().fetch("/api/repos")
    if as_json or json_before:
        emit(data)
        return
    import msgspec

    from manyhands.cli.table import print_table
    from manyhands.model.views import RepoView

    repos = msgspec.json.decode(data, type=list[RepoView])
    rows = [(r.path, "yes" if r.trusted else "no", r.default_base, _spares(r)) for r in repos]
    print_table(("PATH", "TRUSTED", "BASE", "SPARES"), rows)


@command.command("trust")
@click.argument("path")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@click.pass_obj
def trust(json_before: bool, path: str, yes: bool, as_json: bool) -> None:
    """Let agents run in the repository at PATH, with the settings and hooks it brings."""
    hub = client()
    repo = hub.add_repo(absolute_path(path))
    brought = hub.bringing(repo.path)
    if not yes and (brought.new or not repo.trusted):
        _require_consent(repo, brought)
    _print(hub.trust_repo(repo.path, brought.digest), as_json or json_before)


def _spares(repo: RepoView) -> str:
    """How many worktrees wait for a session, and the disk they use."""
    if not repo.spares:
        return ""
    megabytes = sum(spare.bytes for spare in repo.spares) / 1e6
    return f"{sum(spare.ready for spare in repo.spares)} ready, {megabytes:.0f} MB"


def _require_consent(repo: RepoView, brought: Bringing) -> None:
    from manyhands.cli.output import tell
    from manyhands.cli.terminal import can_ask
    from manyhands.errors import NotTrusted

    if not can_ask():
        raise NotTrusted(
            f"{repo.path} is not trusted, and nobody is here to ask",
            hint=f"look at it, then: manyhands repo trust --yes {repo.path}",
        )
    tell(f"Agents will work in {repo.path} and run what it tells them to.")
    _show(brought)
    if not click.confirm("Trust it?", err=True):
        raise NotTrusted(f"{repo.path} stays untrusted")


def _show(brought: Bringing) -> None:
    """Everything that could run and that nobody looked at yet, whole up to a bound."""
    from manyhands.cli.output import tell
    from manyhands.cli.terminal import inert

    fresh = [piece for piece in brought.pieces if piece.path in brought.new]
    tell("It brings along:" if fresh else "It brings no hooks, servers or settings along.")
    for piece in fresh:
        lines = inert(piece.text, lines=True).splitlines()
        tell(f"  {inert(piece.path)}")
        for line in lines[:LONGEST_SHOWN]:
            tell(f"    {line}")
        if len(lines) > LONGEST_SHOWN:
            tell(f"    … and {len(lines) - LONGEST_SHOWN} lines more")


def _print(repo: RepoView, as_json: bool) -> None:
    from manyhands.cli.output import write, write_json
    from manyhands.cli.terminal import inert

    if as_json:
        write_json(repo)
    else:
        write(f"{inert(repo.path)}  {'trusted' if repo.trusted else 'not trusted'}")
