"""Programs that are handed a program: a script's text is as opaque as a makefile, but what it
names in so many words is looked at."""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from manyhands.agents.permission.shell.call import UNSURE, ShellCall
from manyhands.agents.permission.shell.marks import OUT, TILDE, UNKNOWN, shown
from manyhands.agents.permission.shell.paths import at, readable
from manyhands.agents.permission.shell.programs.installs import judge_pip
from manyhands.agents.permission.shell.programs.operands import judge_row
from manyhands.agents.permission.shell.programs.rows import ROWS, ProgramRow
from manyhands.agents.permission.shell.programs.wrappers import HANDED

_CODE = {
    "python": re.compile(r"-[a-zA-Z]*c"),
    "node": re.compile(r"-e|-p|-pe|--eval|--print"),
    "ruby": re.compile(r"-[a-zA-Z0-9.]*e"),
    "perl": re.compile(r"-[a-zA-Z0-9.]*[eE]"),
    "php": re.compile(r"-r"),
    "lua": re.compile(r"-e"),
}
_PATH = re.compile(r"(?<![\w.:/\\<>@$)\]-])(?:/|~/|(?:\.\./)+)[\w.@+-][\w./@+-]*")
_URL = re.compile(r"\b(?:https?|wss?|ftp)://[^\s'\"`)]+", re.IGNORECASE)
MOST_NAMES = 200


def judge_code(call: ShellCall, text: str) -> None:
    """Paths and addresses that stand in a program's text."""
    call.changes()
    if OUT in text:
        call.asks("names a path outside the worktree by a variable")
    for url in _URL.findall(text)[:MOST_NAMES]:
        call.reaches(url)
    for name in dict.fromkeys(_PATH.findall(_URL.sub(" ", text))[:MOST_NAMES]):
        # `/api/x` is no path where there is no `/api`.
        if name.startswith("/") and not os.path.lexists("/" + name.split("/")[1]):
            continue
        path = TILDE + name[1:] if name.startswith("~") else name
        expanded = str(call.bounds.home) + name[1:] if name.startswith("~") else name
        if any(not readable(at(cwd, expanded), call.bounds) for cwd in call.state.cwds):
            call.asks(f"names a path outside the worktree: {shown(path)}")
            return


def _interpreter(call: ShellCall) -> None:
    call.changes()
    words, code = call.arguments, _CODE[call.name]
    for number, word in enumerate(words):
        if code.fullmatch(word):
            _judge_inline(call, words[number + 1] if number + 1 < len(words) else "")
            for rest in words[number + 2 :]:
                call.names(rest)
            return
        if call.name == "python" and re.fullmatch(r"-[a-zA-Z]*?m\w*", word):
            module = word.partition("m")[2]
            _judge_module(call, [*([module] if module else []), *words[number + 1 :]])
            return
        if not word.startswith("-"):
            _judge_script(call, word)
            return
    if call.handed is not None:
        judge_code(call, call.handed)
    elif call.piped and not {"--version", "-V", "-v"} & set(words):
        call.asks(HANDED)


def _judge_inline(call: ShellCall, text: str) -> None:
    if text.strip() == UNKNOWN:
        call.asks(f"runs a text that is {UNSURE}")
    judge_code(call, text)


def _judge_script(call: ShellCall, path: str) -> None:
    if UNKNOWN in path or path.startswith("/dev/"):
        call.asks(f"runs a script that is {UNSURE}: {shown(path)}")
    judge_row(call, ProgramRow())


def _judge_module(call: ShellCall, words: list[str]) -> None:
    module = words[0] if words else ""
    if module == "pip":
        judge_pip(call, words[1:])
    elif module == "manyhands":
        call.asks(ROWS["manyhands"].asks)
    elif UNKNOWN in module:
        call.asks(f"runs a program that is {UNSURE}")
    judge_row(call, ProgramRow())


_SED_PLAIN = re.compile(
    r"(?:(?:\d+|\$|/[^/]*/)(?:,(?:\d+|\$|\+\d+|/[^/]*/))?)?!?\s*(?:[pdq=]|s(\W)(?:(?!\1).)*\1"
    r"(?:(?!\1).)*\1[gpIi\d]*)"
)
_SED_EXECUTES = re.compile(r"(?:^|[;}\n{]|\d|\$|/)\s*e(?:\s|$|;)|s(\W).*\1.*\1[gpIimM\d]*e")
_SED_RUNS = re.compile(r"(?:^|[;}\n{]|\d|/)\s*[ewWr]\s")


def _sed(call: ShellCall) -> None:
    words, scripts, files = list(call.arguments), list[str](), list[str]()
    in_place = False
    while words:
        word = words.pop(0)
        if word in ("-e", "--expression"):
            scripts.append(words.pop(0) if words else "")
        elif word in ("-f", "--file"):
            call.reads(words.pop(0) if words else "")
            call.changes()
            scripts.append("")
        elif word.startswith("--expression="):
            scripts.append(word.partition("=")[2])
        elif word.startswith("-") and len(word) > 1:
            in_place |= word.startswith("--i") or ("i" in word.split(".")[0] and word[1] != "-")
        elif word:  # BSD's sed takes an empty word behind -i
            files.append(word)
    if not scripts:
        scripts, files = files[:1], files[1:]
    for script in scripts:
        _judge_sed(call, script)
    for file in files:
        call.writes(file) if in_place else call.reads(file)


def _judge_sed(call: ShellCall, script: str) -> None:
    if all(_SED_PLAIN.fullmatch(piece.strip()) for piece in re.split(r"[;\n]", script) if piece):
        return
    call.changes()
    if _SED_RUNS.search(script) or re.search(r"w\s*$", script):
        judge_code(call, script)
    if _SED_EXECUTES.search(script):
        call.asks("runs what a sed script makes")


_AWK_RUNS = re.compile(r"[>|]|system|getline|close|@|fflush")


def _awk(call: ShellCall) -> None:
    words, program = list(call.arguments), ""
    while words and words[0].startswith("-") and words[0] != "--":
        option = words.pop(0)
        if option in ("-F", "-v", "--field-separator", "--assign"):
            del words[:1]
        elif not option.startswith(("-F", "-v")):
            call.changes()
            call.names(option)
    program, files = (words[0], words[1:]) if words else ("", [])
    if _AWK_RUNS.search(program) or UNKNOWN in program:
        judge_code(call, program)
    for file in files:
        if "=" not in file:
            call.reads(file)


READERS: dict[str, Callable[[ShellCall], None]] = {
    **dict.fromkeys(("python", "node", "ruby", "perl", "php", "lua"), _interpreter),
    **dict.fromkeys(("sed", "gsed"), _sed),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), _awk),
}
