"""`manyhands repo`: the repositories that the user added and trusts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from manyhands.cli.answers import unless_json
from manyhands.cli.options import absolute_path, client, connection, json_option
from manyhands.cli.output import tell, write, write_json
from manyhands.cli.table import print_table
from manyhands.cli.terminal import can_ask, inert
from manyhands.errors import NotTrusted
from manyhands.model.quoting import quoted

if TYPE_CHECKING:
    from manyhands.contract.repos import Bringing, RepoView


@click.group("repo", no_args_is_help=False)
@json_option
def command(as_json: bool) -> None:
    """Add, list and trust repositories."""


@command.command("add")
@click.argument("path")
@json_option
def add(path: str, as_json: bool) -> None:
    """Add the repository at PATH."""
    _print(client().add_repo(absolute_path(path)), as_json)


@command.command("list")
@json_option
def list_(as_json: bool) -> None:
    """List the added repositories."""
    from manyhands.contract.repos import RepoView

    repos = unless_json(connection().fetch("/api/repos"), as_json, list[RepoView])
    if repos is not None:
        rows = [
            (r.path, "yes" if r.trusted else "no", r.default_base, spares_text(r)) for r in repos
        ]
        print_table(("PATH", "TRUSTED", "BASE", "SPARES"), rows)


@command.command("trust")
@click.argument("path")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def trust(path: str, yes: bool, as_json: bool) -> None:
    """Let agents run in the repository at PATH, with the settings and hooks it brings."""
    hub = client()
    repo = hub.add_repo(absolute_path(path))
    brought = hub.bringing(repo.path)
    if not yes and (brought.new or brought.moved or not repo.trusted):
        _require_consent(repo, brought)
    _print(hub.trust_repo(repo.path, brought.digest), as_json)


def spares_text(repo: RepoView) -> str:
    """How many worktrees wait for a session, and the disk they use."""
    if not repo.spares:
        return ""
    megabytes = sum(spare.bytes for spare in repo.spares) / 1e6
    bare = [spare.note for spare in repo.spares if spare.unapproved]
    more = f", {inert(bare[0])}" if bare else ""
    return f"{sum(spare.ready for spare in repo.spares)} ready, {megabytes:.0f} MB{more}"


def _require_consent(repo: RepoView, brought: Bringing) -> None:
    if not can_ask():
        raise NotTrusted(
            f"{repo.path} is not trusted, and nobody is here to ask",
            hint=f"look at it, then: manyhands repo trust --yes {quoted(repo.path)}",
        )
    tell(f"Agents will work in {repo.path} and run what it tells them to.")
    _show(brought)
    if not click.confirm("Trust it?", err=True):
        raise NotTrusted(f"{repo.path} stays untrusted")


def _show(brought: Bringing) -> None:
    """Everything that could run and that nobody looked at yet."""
    fresh = [piece for piece in brought.pieces if piece.path in brought.new]
    tell("It brings along:" if fresh else "It brings no hooks, servers or settings along.")
    for piece in fresh:
        tell(f"  {inert(piece.path)}{f' ({inert(piece.about)})' if piece.about else ''}")
        for line in inert(piece.text, lines=True).splitlines():
            tell(f"    {line}")
    if brought.remotes:
        tell("Your tokens and keys are used for these addresses, and no others:")
    for name, address in brought.remotes.items():
        tell(f"  {inert(name)}  {inert(address)}")
    for change in brought.moved:
        tell(f"  {inert(change)}")


def _print(repo: RepoView, as_json: bool) -> None:
    if as_json:
        write_json(repo)
    else:
        write(f"{inert(repo.path)}  {'trusted' if repo.trusted else 'not trusted'}")
