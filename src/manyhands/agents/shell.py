"""What a shell command would do, judged from its text alone and always to the careful side.

`is_read_only` is true only for commands known to change nothing. `leaves` names a word that
may lead out of the bounds; it is a guard against carelessness, not against malice.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from manyhands.agents.bounds import Bounds

_PLAIN = frozenset(
    [
        "basename",
        "cat",
        "cmp",
        "cut",
        "diff",
        "dirname",
        "du",
        "echo",
        "false",
        "grep",
        "head",
        "ls",
        "md5sum",
        "nl",
        "pwd",
        "readlink",
        "realpath",
        "sha256sum",
        "stat",
        "tail",
        "tr",
        "true",
        "wc",
        "which",
    ]
)
_GIT = frozenset(
    [
        "blame",
        "cat-file",
        "diff",
        "log",
        "ls-files",
        "ls-tree",
        "merge-base",
        "rev-list",
        "rev-parse",
        "shortlog",
        "show",
        "status",
    ]
)
_FORBIDDEN = {
    "find": ("-delete", "-exec", "-execdir", "-ok", "-okdir", "-fprint", "-fprintf", "-fls"),
    "rg": ("--pre", "--search-zip", "--hostname-bin", "-z"),
    "git": ("--output", "--ext-diff", "--textconv", "--open-files-in-pager"),
}
_JOINS = {"|", "&&", "||", ";"}
_OUTSIDE_VARIABLES = re.compile(
    r"\$\{?!?(?:HOME|OLDPWD|TMPDIR|TMP|TEMP|PATH|XDG_\w+|CLAUDE_\w+|MANYHANDS_REPO)\b|\$'"
)
_URL = re.compile(r"\b(?!file:)[a-z][a-z0-9+.-]*://[^\s'\"]*", re.IGNORECASE)
_DEVICES = {"/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty"}
_PROGRAMS = re.compile(r"/(?:usr/(?:local/)?|opt/\S+/)?s?bin/[\w.+-]+")
_UPWARDS = re.compile(r"\.\.|(?=.*[*?\[{])[.{][.*?\[\]{},!^]+|~[^/]+")
"""A part of a path that is, or by a glob or brace may become, `..`, or another's home."""


def is_read_only(command: str) -> bool:
    if re.search(r"[$`\n\r\\]", command):
        return False
    try:
        words = list(_lexer(command))
    except ValueError:
        return False
    simple = list(_simple_commands(words))
    return bool(simple) and all(map(_changes_nothing, simple))


def _lexer(command: str) -> shlex.shlex:
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.commenters = ""
    lexer.whitespace_split = True
    return lexer


def _simple_commands(words: list[str]) -> Iterator[list[str]]:
    current: list[str] = []
    for word in words:
        if word in _JOINS:
            yield current
            current = []
        else:
            current.append(word)
    yield current


def _changes_nothing(words: list[str]) -> bool:
    if not words or any(set(word) & set("<>&|;()") for word in words):
        return False
    name, arguments = words[0], words[1:]
    if name == "git":
        return _git_changes_nothing(arguments)
    if name not in _PLAIN and name not in ("find", "rg"):
        return False
    return not any(_is_forbidden(name, word) for word in arguments)


def _git_changes_nothing(arguments: list[str]) -> bool:
    while arguments and arguments[0] == "--no-pager":
        arguments = arguments[1:]
    if not arguments or arguments[0] not in _GIT:
        return False
    return not any(_is_forbidden("git", word) for word in arguments[1:])


def _is_forbidden(name: str, word: str) -> bool:
    option = word.split("=", 1)[0]
    for bad in _FORBIDDEN.get(name, ()):
        # Long options may be shortened, short ones bundled or written with their value.
        shortened = option.startswith("--") and len(option) > 3 and bad.startswith(option)
        bundled = name == "rg" and re.fullmatch(r"-\w*z\w*", word) is not None
        if option.startswith(bad) or shortened or bundled:
            return True
    return False


def leaves(command: str, bounds: Bounds) -> str:
    """The first word that may lead out of the bounds, or nothing."""
    if found := _OUTSIDE_VARIABLES.search(command):
        return found.group()
    if found := re.search(r"(?:^|[;&|(\n])\s*(?:cd|pushd|popd)\s*(?:-\s*)?(?:$|[;&|)\n])", command):
        return found.group().strip(" ;&|()\n")
    text = _URL.sub(" ", _without_message(command)).replace("\\", "")
    for word in _words(text):
        if _UPWARDS.fullmatch(word) or any(map(_UPWARDS.fullmatch, word.split("/"))):
            return word
        if not bounds.readable(word) and word not in _DEVICES and not _is_program(word, text):
            return word
    return ""


def _words(text: str) -> Iterator[str]:
    """Every piece that the shell might take for a path, quotes kept apart and quotes removed."""
    for view in (re.sub(r"['\"`]", " ", text), re.sub(r"['\"`]", "", text)):
        for word in re.split(r"[\s;|&<>()]+", view):
            for piece in (word, *re.split(r"[=,:{}@]", word)):
                if piece:
                    # Some programs take "-I/usr/include": the path starts at the first slash.
                    yield piece
                    if piece.startswith("-") and "/" in piece:
                        yield piece[piece.index("/") :]


def _is_program(word: str, text: str) -> bool:
    """A system program where a command is expected, such as `/usr/bin/env`."""
    if not _PROGRAMS.fullmatch(word):
        return False
    uses = len(re.findall(rf"(?<![\w/.]){re.escape(word)}(?![\w/.])", text))
    starts = rf"(?:^|[;&|(\n])\s*{re.escape(word)}(?=\s|$)"
    return uses == len(re.findall(starts, text))


def _without_message(command: str) -> str:
    """A commit's message is prose: a slash in it leads nowhere."""
    if "$" in command or "`" in command:
        return command
    pattern = r"(\bgit\s+commit\b[^;&|<>'\"]*?\s-a?m\s*)('[^']*'|\"[^\"]*\")"
    return re.sub(pattern, r"\1", command)
