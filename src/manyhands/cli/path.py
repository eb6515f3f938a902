"""`manyhands path`: where a session's worktree is."""

from __future__ import annotations

import os

import click

from manyhands.cli.options import client, json_option, session_argument
from manyhands.cli.output import put, write, write_json
from manyhands.cli.terminal import inert, is_terminal


@click.command("path")
@session_argument
@json_option
def command(session: str, as_json: bool) -> None:
    """Print the path of the worktree, for: cd "$(mh path S)"."""
    found = client().session(session)
    if as_json:
        write_json(found.worktree)
    elif is_terminal():
        write(inert(found.worktree))
    else:
        put(os.fsencode(found.worktree) + b"\n")
