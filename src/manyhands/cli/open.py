"""`manyhands open`: the worktree in the user's editor."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import click

from manyhands.cli.options import client, json_option, session_argument
from manyhands.cli.output import write_json
from manyhands.errors import ManyhandsError, NotPossible


@click.command("open")
@session_argument
@click.option("--editor", metavar="E", help="Default: $VISUAL, $EDITOR, or one that is found.")
@json_option
def command(session: str, editor: str | None, as_json: bool) -> None:
    """Open the session's worktree in an editor."""
    from manyhands.process.editor import has_window, launch, require_editor

    hub = client()
    found = hub.session(session)
    if not Path(found.worktree).is_dir():
        hint = f"manyhands restore {found.slug}" if found.status == "archived" else ""
        raise NotPossible(f"the worktree {found.worktree} is not there", hint=hint)
    argv = [*require_editor(editor), found.worktree]
    if as_json:
        write_json({"session": found.id, "worktree": found.worktree, "argv": argv})
    if has_window(argv[0]):
        launch(hub.home, argv)
    else:
        become(argv, Path(found.worktree))


def become(argv: Sequence[str], cwd: Path) -> NoReturn:
    """Hand the terminal over for good: the program's end is ours."""
    try:
        os.chdir(cwd)
        os.execvp(argv[0], list(argv))
    except OSError as error:
        raise ManyhandsError(f"{argv[0]} could not be started: {error.strerror}") from error
