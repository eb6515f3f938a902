"""Programs that run another: what counts is what they are told to run."""

from __future__ import annotations

import re
from collections.abc import Callable

from manyhands.agents.permission.shell.call import UNSURE, ShellCall
from manyhands.agents.permission.shell.marks import INSIDE, UNKNOWN, shown
from manyhands.agents.permission.shell.programs.operands import judge_row
from manyhands.agents.permission.shell.programs.rows import ProgramRow
from manyhands.agents.permission.shell.variables import (
    COMMANDS,
    environment_objection,
    split_assignment,
)

HANDED = "runs whatever is piped into it"

_OPTIONS: dict[str, frozenset[str]] = {
    "timeout": frozenset({"-s", "--signal", "-k", "--kill-after"}),
    "nice": frozenset({"-n", "--adjustment"}),
    "ionice": frozenset({"-c", "-n", "--class", "--classdata"}),
    "stdbuf": frozenset({"-i", "-o", "-e", "--input", "--output", "--error"}),
    "caffeinate": frozenset({"-t", "-w"}),
    "strace": frozenset({"-e", "-p", "-s", "-E"}),
    "time": frozenset({"-f", "--format"}),
    "watch": frozenset({"-n", "--interval"}),
    "exec": frozenset({"-a"}),
    "taskset": frozenset(),
    "flock": frozenset({"-w", "--timeout"}),
}
"""Options with a value, of programs that merely run the rest of their words."""
_BEFORE = {"timeout": 1, "taskset": 1, "flock": 1, "repeat": 1}
"""Words of their own before those."""


def _plain(call: ShellCall) -> None:
    words, valued = list(call.arguments), _OPTIONS.get(call.name, frozenset())
    while words and words[0].startswith("-") and words[0] != "--":
        option = words.pop(0)
        if call.name in ("time", "strace") and option in ("-o", "--output"):
            call.writes(words.pop(0) if words else "")
        elif option in valued:
            del words[:1]
    words = words[1:] if words[:1] == ["--"] else words
    for word in words[: _BEFORE.get(call.name, 0)]:
        call.names(word)
    words = words[_BEFORE.get(call.name, 0) :]
    if call.name == "watch":
        call.reads_script(" ".join(words), call)
    if call.name == "flock" and words[:1] in (["-c"], ["--command"]):
        call.reads_script(" ".join(words[1:2]), call)
        return
    if words:
        call.runs(words, call)


def _command(call: ShellCall) -> None:
    if call.arguments[:1] in (["-v"], ["-V"]):
        return
    _plain(call)


def _env(call: ShellCall) -> None:
    words = list(call.arguments)
    while words:
        if words[0] in ("-u", "--unset", "-C", "--chdir", "-a", "--argv0"):
            call.names(" ".join(words[1:2]))
            del words[:2]
        elif words[0] in ("-S", "--split-string") or words[0].startswith(("-S", "--split-string=")):
            call.asks(f"runs a program that is {UNSURE}")
            return
        elif words[0].startswith("-"):
            words.pop(0)
        elif assigned := split_assignment(words[0]):
            words.pop(0)
            call.part.plain = False
            call.changes()
            if objection := environment_objection(*assigned, call.state):
                call.part.objections.append(objection)
            if assigned[0] in COMMANDS:
                call.reads_script(assigned[1], call)
        else:
            call.runs(words, call)
            return
    call.changes()


_XARGS = frozenset(
    [
        *(
            "-I",
            "-n",
            "-P",
            "-d",
            "-L",
            "-s",
            "-E",
            "-a",
            "--arg-file",
            "--max-args",
            "--max-procs",
        ),
        *("--delimiter", "--max-lines", "--max-chars", "-j", "--jobs", "--process-slot-var"),
    ]
)


def _xargs(call: ShellCall) -> None:
    words, holder = list(call.arguments), ""
    while words and words[0].startswith("-"):
        option = words.pop(0)
        if option in _XARGS and words:
            value = words.pop(0)
            holder = value if option == "-I" else holder
            if option in ("-a", "--arg-file"):
                call.reads(value)
        elif option.startswith("-I"):
            holder = option[2:]
    given = INSIDE if call.piped == "inside" else UNKNOWN
    inner = [word.replace(holder, given) for word in words] if holder else [*words, given]
    inner = inner if words else ["echo", given]
    if not call.own:
        call.piped = ""
    call.runs(inner, call)


def _shell(call: ShellCall) -> None:
    """`bash -c TEXT`, `bash FILE`, or whatever comes in."""
    words = list(call.arguments)
    while words and words[0].startswith(("-", "+")):
        option = words.pop(0)
        if option == "--":
            break
        if option in ("-o", "-O", "+o", "+O", "--rcfile", "--init-file"):
            call.names(words.pop(0) if words else "")
        elif option.startswith(("--command", "--init-command", "-C")):
            call.asks(f"runs a text that is {UNSURE}")
        elif not option.startswith("--") and "c" in option:
            texts = [word for word in words if not word.startswith(("-", "+"))]
            call.reads_script(texts[0] if texts else "", call)
            return
        elif option == "-s":
            words = []
    if words:
        _file(call, words)
    elif call.handed is not None:
        call.reads_script(call.handed, call)
    elif call.piped:
        call.asks(HANDED)
    else:
        call.changes()


def _file(call: ShellCall, words: list[str]) -> None:
    call.changes()
    path = words[0]
    if UNKNOWN in path or path.startswith("/dev/"):
        call.asks(f"runs a script that is {UNSURE}: {shown(path)}")
        return
    judge_row(call, ProgramRow())
    if path.rstrip("/").endswith("bin/activate") and call.name in (".", "source"):
        call.state.venv = call.bounds.inside(str(call.state.cwds[0]) + "/" + path) or (
            call.bounds.inside(path)
        )


def _source(call: ShellCall) -> None:
    if call.arguments:
        _file(call, call.arguments)
    else:
        call.changes()


def _eval(call: ShellCall) -> None:
    text = " ".join(call.arguments)
    call.reads_script(text, call)
    # In this very shell: where it goes, what follows goes too.
    if re.search(r"\b(?:cd|pushd|popd)\b", text):
        call.asks("changes its directory in a text that it runs")


def _trap(call: ShellCall) -> None:
    words = [word for word in call.arguments if word not in ("--", "-p", "-l")]
    if len(words) > 1 and words[0] not in ("-", ""):
        call.reads_script(words[0], call)


def _read(call: ShellCall) -> None:
    """Sets variables to what comes in."""
    call.state.variables.pop("REPLY", None)
    value = INSIDE if call.piped == "inside" else UNKNOWN
    skip = False
    for word in call.arguments:
        if skip or word.startswith("-"):
            skip = not skip and word in ("-p", "-d", "-n", "-N", "-t", "-u", "-a", "-i")
            continue
        call.state.variables[word] = value
        if not re.fullmatch(r"[a-z_][a-z0-9_]*", word):
            call.changes()


def _printf(call: ShellCall) -> None:
    if call.arguments[:1] == ["-v"]:
        _forget(call)


def _forget(call: ShellCall) -> None:
    for word in call.arguments:
        call.state.variables[word] = UNKNOWN
    call.changes()


READERS: dict[str, Callable[[ShellCall], None]] = {
    **dict.fromkeys(
        ("timeout", "nice", "ionice", "stdbuf", "time", "watch", "exec", "taskset", "flock"), _plain
    ),
    **dict.fromkeys(
        ("strace", "ltrace", "entr", "watchexec", "nocorrect", "repeat", "npx"), _plain
    ),
    **dict.fromkeys(
        ("nohup", "setsid", "builtin", "coproc", "noglob", "caffeinate", "unbuffer", "busybox"),
        _plain,
    ),
    **dict.fromkeys(("bash", "sh", "zsh", "dash", "ksh", "fish", "ash"), _shell),
    "command": _command,
    "env": _env,
    "xargs": _xargs,
    "parallel": _xargs,
    "source": _source,
    ".": _source,
    "eval": _eval,
    "trap": _trap,
    "read": _read,
    "printf": _printf,
    "cross-env": _env,
    **dict.fromkeys(("mapfile", "readarray", "getopts"), _forget),
}
