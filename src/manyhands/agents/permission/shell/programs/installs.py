"""Package managers: what they install inside is the project's; elsewhere it is others' too."""

from __future__ import annotations

from collections.abc import Callable

from manyhands.agents.permission.shell.call import ShellCall
from manyhands.agents.permission.shell.programs.operands import judge_row
from manyhands.agents.permission.shell.programs.rows import (
    GLOBAL,
    LOOKING,
    RUNNING,
    SETS,
    SETTING,
    VERBS,
    ProgramRow,
)

_INTO = ("-t", "--target", "--prefix", "--root", "--install-dir", "-i", "--python", "--dest", "-d")
_PIP_CHANGES = ("install", "uninstall")
FOR_ALL = "installs for the user or the whole system"


def judge_verbs(call: ShellCall) -> None:
    """`npm`, `cargo`, `go` and others whose first word says what is done."""
    judge_row(call, ProgramRow())
    words = call.arguments
    verbs = [word for word in words if not word.startswith(("-", "+"))]
    verb = verbs[0] if verbs else ""
    depth = words.index(verb) + 2 if verb else 1
    if verb not in LOOKING and any(word in GLOBAL for word in words):
        call.asks(FOR_ALL)
    sets = (call.name, verb) in SETTING and bool(SETS.intersection(verbs[1:2]))
    if sets and "--location=project" not in words:
        call.asks("changes the user's own settings", depth=depth + 1)
    elif call.name == "go" and verb == "env" and {"-w", "-u"} & set(words):
        call.asks("changes the user's own settings")
    elif call.name == "uv" and verb == "pip":
        _judge_index(call)
    if (call.name, verb) in RUNNING:
        rest = [word for word in words[depth - 1 :] if not word.startswith("-")]
        if rest:
            call.runs(rest, call)
    reason = VERBS.get(call.name, {}).get(verb)
    if reason and not (reason == FOR_ALL and _goes_inside(call, words)):
        call.asks(reason, depth=depth)


def _judge_index(call: ShellCall) -> None:
    if "--python" in call.arguments and not _goes_inside(call, call.arguments):
        call.asks(FOR_ALL)


def _goes_inside(call: ShellCall, words: list[str]) -> bool:
    """Whether an option names a place inside that it is installed into."""
    for number, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name in _INTO:
            place = value if equals else " ".join(words[number + 1 : number + 2])
            return all(call.bounds.writable(f"{cwd}/{place}") for cwd in call.state.cwds)
    return False


def _pip(call: ShellCall) -> None:
    judge_row(call, ProgramRow())
    judge_pip(call, call.arguments)


def judge_pip(call: ShellCall, words: list[str]) -> None:
    verbs = [word for word in words if not word.startswith("-")]
    verb = verbs[0] if verbs else ""
    if verb == "config" and SETS.intersection(verbs[1:2]):
        call.asks("changes the user's own settings")
    if verb not in _PIP_CHANGES or "--dry-run" in words:
        return
    ours = call.own or call.state.venv or _goes_inside(call, words)
    if "--user" in words or not ours:
        call.asks("installs into the Python of the user or the system")


READERS: dict[str, Callable[[ShellCall], None]] = {"pip": _pip}
