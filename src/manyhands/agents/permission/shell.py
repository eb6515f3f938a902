"""What a shell command would do, judged from its text alone and always to the careful side.

`is_read_only` is true only for commands known to change nothing. `leaves` names a word that
may lead out of the bounds; it is a guard against carelessness, not against malice.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from manyhands.agents.permission.bounds import Bounds

_PLAIN = frozenset(
    [
        *("basename", "cat", "cmp", "cut", "diff", "dirname", "du", "echo", "false", "grep"),
        *("head", "ls", "md5sum", "nl", "pwd", "readlink", "realpath", "sha256sum", "stat"),
        *("tail", "tr", "true", "wc", "which"),
    ]
)
_GIT = frozenset(
    [
        *("blame", "cat-file", "diff", "log", "ls-files", "ls-tree", "merge-base", "rev-list"),
        *("rev-parse", "shortlog", "show", "status"),
    ]
)
_FORBIDDEN = {
    "find": ("-delete", "-exec", "-execdir", "-ok", "-okdir", "-fprint", "-fprintf", "-fls"),
    "rg": ("--pre", "--search-zip", "--hostname-bin", "-z"),
    "git": ("--output", "--ext-diff", "--textconv", "--open-files-in-pager"),
}
_JOINS = {"|", "&&", "||", ";"}
_WITH_VERBS = frozenset(
    [
        *("apt", "brew", "bundle", "cargo", "composer", "docker", "dotnet", "gh", "git", "go"),
        *("gradle", "helm", "just", "kubectl", "make", "mix", "mvn", "npm", "nx", "pip", "pip3"),
        *("pnpm", "poetry", "rails", "rake", "task", "terraform", "turbo", "uv", "yarn"),
    ]
)
_RUN_ANYTHING = frozenset(
    [
        *("awk", "bash", "bun", "deno", "doas", "env", "eval", "exec", "fish", "find", "ksh"),
        *("node", "nohup", "npx", "perl", "php", "python", "python3", "rm", "ruby", "sed", "sh"),
        *("source", "ssh", "sudo", "time", "xargs", "zsh"),
    ]
)
"""A prefix of these would stand for any program at all."""
_OUTSIDE_VARIABLES = re.compile(
    r"\$\{?!?(?:HOME|OLDPWD|TMPDIR|TMP|TEMP|PATH|XDG_\w+|CLAUDE_\w+|MANYHANDS_REPO)\b|\$'"
)
_URL = re.compile(r"\b(?!file:)[a-z][a-z0-9+.-]*://[^\s'\"]*", re.IGNORECASE)
_DEVICES = {"/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty"}
_PROGRAMS = re.compile(r"/(?:usr/(?:local/)?|opt/\S+/)?s?bin/[\w.+-]+")
_UPWARDS = re.compile(r"\.\.|(?=.*[*?\[{])[.{][.*?\[\]{},!^]+|~[^/]+")
"""A part of a path that is, or by a glob or brace may become, `..`, or another's home."""


def is_read_only(command: str) -> bool:
    parts = _plain_parts(command)
    return bool(parts) and all(map(_changes_nothing, parts))


def starts_with(command: str, prefix: str) -> bool:
    """Whether every part of the command line begins with the prefix or changes nothing."""
    wanted = prefix.split()
    parts = _plain_parts(command)
    begins = [words[: len(wanted)] == wanted for words in parts]
    whole = zip(parts, begins, strict=True)
    return bool(wanted) and any(begins) and all(b or _changes_nothing(w) for w, b in whole)


def usual_prefix(command: str) -> str:
    """What a person would mean by "such commands": the program and, where it has one, its verb."""
    parts = [words for words in _plain_parts(command) if not _changes_nothing(words)]
    if len(parts) != 1:
        return ""
    name, *rest = parts[0]
    if name in _RUN_ANYTHING or "=" in name or "/" in name:
        return ""
    if name not in _WITH_VERBS:
        return name
    return f"{name} {rest[0]}" if rest and not rest[0].startswith("-") else ""


def _plain_parts(command: str) -> list[list[str]]:
    """The simple commands of a line; none where it holds more than words and joins."""
    if re.search(r"[$`\n\r\\]", command):
        return []
    try:
        parts = list(_simple_commands(list(_lexer(command))))
    except ValueError:
        return []
    plain = all(words and not any(set(word) & set("<>&|;()") for word in words) for words in parts)
    return parts if plain else []


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
    for word in dict.fromkeys(_words(text)):
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
