"""A program's words by its row: options with their values, operands, and what each does."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from manyhands.agents.permission.shell.call import ShellCall
from manyhands.agents.permission.shell.marks import TILDE, UNKNOWN
from manyhands.agents.permission.shell.paths import resolved
from manyhands.agents.permission.shell.programs.rows import ProgramRow

_INTO = frozenset({"-t", "--target-directory"})


@dataclass
class Sorted:
    operands: list[str] = field(default_factory=list)
    options: list[str] = field(default_factory=list)
    into: list[str] = field(default_factory=list)
    """Targets that are named by an option."""


def judge_row(call: ShellCall, row: ProgramRow) -> None:
    if row.asks and call.arguments not in (["--version"], ["-V"], ["version"], ["--help"]):
        call.asks(row.asks, depth=1)
    if call.own or not row.quiet:
        call.changes()
    found = _sorted(call, row)
    operands = found.operands
    if row.first and not any(_is_one_of(option, row.instead) for option in found.options):
        operands = operands[row.first :]
    if row.operands != "text" and any(UNKNOWN in word for word in call.arguments):
        call.changes()
    objections = len(call.part.objections)
    _judge_operands(call, row, operands, found.into)
    names = row.first == 0 or _prints_names(call.name, found.options)
    if row.lists and names and not _prints_above(call.name, found.options):
        call.lists = len(call.part.objections) == objections and not call.part.changes


def _judge_operands(call: ShellCall, row: ProgramRow, operands: list[str], into: list[str]) -> None:
    once = dict.fromkeys(operands)
    match row.operands:
        case "text":
            return
        case "read":
            for word in once:
                call.reads(word)
        case "write" | "entry":
            for word in dict.fromkeys([*once, *into]):
                call.writes(word, entry=row.operands == "entry")
        case "named":
            for word in once:
                call.names(word, quiet=row.quiet)
        case "into":
            _judge_into(call, operands, into)
        case "link":
            _judge_link(call, operands, into)


def _judge_into(call: ShellCall, operands: list[str], into: list[str]) -> None:
    sources, targets = (operands, into) if into else (operands[:-1], operands[-1:])
    if call.name in ("uniq", "xxd") and len(operands) < 2:
        sources, targets = operands, []
    for word in sources:
        if call.name == "mv":
            call.writes(word, entry=True)
        else:
            call.reads(word)
    for word in targets:
        call.writes(word)


def _judge_link(call: ShellCall, operands: list[str], into: list[str]) -> None:
    """A link that leads out is a way out for whatever is written through it later."""
    target = [*into, *operands[1:][-1:], "."][0]
    call.writes(target)
    paths = list(resolved(target, call.state.cwds, str(call.bounds.home)))
    inner = bool(into) or any(path in call.state.made or Path(path).is_dir() for path in paths)
    place = target if inner else target.rpartition("/")[0]
    for word in operands if into or len(operands) < 2 else operands[:-1]:
        # Where it leads is meant from where it lies.
        rooted = word.startswith(("/", TILDE)) or UNKNOWN in word
        call.writes(word if rooted or not place else f"{place}/{word}")


def _prints_names(name: str, options: list[str]) -> bool:
    short = any("l" in option for option in options if option[1:2] != "-")
    return name == "fd" or short or any(option.startswith("--files") for option in options)


def _prints_above(name: str, options: list[str]) -> bool:
    """`ls -a` names the directory above too."""
    return name == "ls" and any("a" in option for option in options)


def _sorted(call: ShellCall, row: ProgramRow) -> Sorted:
    found, words = Sorted(), list(call.arguments)
    while words:
        word = words.pop(0)
        if word == "--":
            found.operands += words
            break
        if not word.startswith("-") or word == "-":
            found.operands += [word] if word != "-" else []
            continue
        found.options.append(word)
        _judge_option(call, row, word, words, found)
    return found


def _judge_option(
    call: ShellCall, row: ProgramRow, word: str, words: list[str], found: Sorted
) -> None:
    if _is_one_of(word, row.loud):
        call.changes()
    if row.operands in ("into", "link") and _is_one_of(word, _INTO):
        found.into.append(_value(word, _INTO, words))
    elif _is_one_of(word, row.written):
        call.writes(_value(word, row.written, words))
    elif _is_one_of(word, row.text):
        _value(word, row.text, words)
    elif row.operands != "text":
        call.names(word, quiet=row.quiet)


def _value(word: str, options: frozenset[str], words: list[str]) -> str:
    """What an option is given: behind its `=`, at its end, or as the next word."""
    if word.startswith("--"):
        _, equals, value = word.partition("=")
        return value if equals else _next(words)
    letters = {option[1] for option in options if len(option) == 2}
    for place, letter in enumerate(word[1:], 1):
        if letter in letters:
            return word[place + 1 :] or _next(words)
    return _next(words)


def _next(words: list[str]) -> str:
    return words.pop(0) if words else ""


def _is_one_of(word: str, options: frozenset[str]) -> bool:
    """Long options may be shortened, short ones bundled or written with their value."""
    name = word.partition("=")[0]
    if name.startswith("--"):
        return any(option.startswith(name) for option in options if len(name) > 3)
    if name in options or any(name.startswith(option) for option in options if len(option) == 2):
        return True
    letters = {option[1] for option in options if len(option) == 2}
    single = {option for option in options if not option.startswith("--") and len(option) > 2}
    return name in single or (name[1:].isalpha() and bool(letters & set(name[1:])))
