"""`manyhands open`: the worktree in the user's editor."""

from __future__ import annotations

import click

from manyhands.cli.options import client, json_option, session_argument


@click.command("open")
@session_argument
@click.option("--editor", metavar="E", help="Default: $VISUAL, $EDITOR, or one that is found.")
@json_option
def command(session: str, editor: str | None, as_json: bool) -> None:
    """Open the session's worktree in an editor."""
    from pathlib import Path

    from manyhands.cli.launch import become
    from manyhands.cli.output import write_json
    from manyhands.errors import NotPossible
    from manyhands.process.editor import has_window, require_editor
    from manyhands.process.programs import launch

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
