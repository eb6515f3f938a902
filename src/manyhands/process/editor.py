"""Which editor the user means, and whether it has a window of its own."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path

from manyhands.config import DESKTOP, Home, child_environment, variable
from manyhands.errors import BadInput, NotFound
from manyhands.process.detach import start_detached
from manyhands.process.identity import Identity

JETBRAINS = ("idea", "pycharm", "webstorm", "goland", "clion", "rider", "rubymine", "phpstorm")
FOUND_BY_THEMSELVES = ("code", "zed", "zeditor", *JETBRAINS)
WITH_A_WINDOW = frozenset(
    [
        *FOUND_BY_THEMSELVES,
        *("code-insiders", "codium", "cursor", "windsurf", "subl", "gvim"),
        *("gedit", "kate", "rustrover", "datagrip", "fleet", "mate", "bbedit"),
    ]
)
_WITH_GOTO = frozenset(["code", "code-insiders", "codium", "cursor", "windsurf"])
_WITH_COLON = frozenset(["zed", "zeditor", "subl"])
_WITH_LINE = frozenset([*JETBRAINS, "rustrover", "datagrip", "kate", "mate"])
_WITH_PLUS = frozenset(["gvim", "gedit", "bbedit"])


windows: set[Identity] = set()
"""The programs that this process has opened for a person."""


def require_editor(wanted: str | None) -> list[str]:
    """The editor's command: as asked, as `$VISUAL` or `$EDITOR` say, or one that is installed."""
    for given in (wanted, variable("VISUAL"), variable("EDITOR")):
        if given and given.strip():
            return _installed(given)
    found = next((name for name in FOUND_BY_THEMSELVES if shutil.which(name)), None)
    if found is None:
        raise NotFound("no editor was found", hint="name one: --editor E, or set $VISUAL")
    return [found]


def _installed(given: str) -> list[str]:
    try:
        argv = shlex.split(given)
    except ValueError as error:
        raise BadInput(f"{given!r} is no command: {error}") from error
    if shutil.which(argv[0]) is None:
        raise NotFound(f"the editor {argv[0]} is not installed", hint="name another: --editor E")
    return argv


def has_window(editor: str) -> bool:
    return Path(editor).name in WITH_A_WINDOW


def words_for(editor: str, path: str, line: int) -> tuple[str, ...]:
    """A file, at its line if there is one and this editor is known to take it."""
    name = Path(editor).name
    if line < 1:
        return (path,)
    if name in _WITH_GOTO:
        return ("--goto", f"{path}:{line}")
    if name in _WITH_COLON:
        return (f"{path}:{line}",)
    if name in _WITH_LINE:
        return ("--line", str(line), path)
    return (f"+{line}", path) if name in _WITH_PLUS else (path,)


# The program itself says no line that would mean "ready", so the shell does before it becomes it.
_LET_GO = 'echo started; exec "$@" >&2'


def launch(home: Home, argv: Sequence[str]) -> None:
    """Start a program that outlives us; what it says goes to a log."""
    command = ["/bin/sh", "-c", _LET_GO, "sh", *argv]
    env = child_environment(passed=DESKTOP)
    windows.add(start_detached(command, env=env, log=home.logs / "programs.log").identity)
