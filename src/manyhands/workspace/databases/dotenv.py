"""`.env` files: one variable read, and one variable set, with everything else left as it is."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from manyhands.git.replacing import replace_file
from manyhands.git.runner import Git

LARGEST = 1024 * 1024
DEEPEST = 4
NOT_ENTERED = frozenset({"node_modules", "vendor", "target", "dist", "build"})


def variable_in(text: str, key: str) -> str | None:
    """The value of the last line that sets `key`, without quotes and trailing comment."""
    values = [_value(found["value"]) for found in _assignment(key).finditer(text)]
    return values[-1] if values else None


def with_variable(text: str, key: str, value: str) -> str:
    """The text with every line that sets `key` setting it to `value`."""

    def line(found: re.Match[str]) -> str:
        return f"{found['head']}{_quoted(value)}{found['end']}"

    return _assignment(key).sub(line, text)


def env_files(worktree: Path) -> Iterator[Path]:
    """The `.env*` files of a worktree, near its top; no linked directory is entered."""
    top = os.fspath(worktree)
    for directory, names, files in os.walk(top):
        depth = os.path.relpath(directory, top).count(os.sep) + (directory != top)
        names[:] = [n for n in names if depth < DEEPEST and n not in NOT_ENTERED and n[0] != "."]
        for name in sorted(files):
            if name == ".env" or name.startswith(".env."):
                yield Path(directory, name)


def load_text(path: Path) -> str | None:
    """None for what is no text file of a sensible size."""
    try:
        if not path.is_file() or path.stat().st_size > LARGEST:
            return None
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _assignment(key: str) -> re.Pattern[str]:
    return re.compile(
        rf"^(?P<head>[ \t]*(?:export[ \t]+)?{re.escape(key)}[ \t]*=[ \t]*)"
        r"(?P<value>\"(?:[^\"\\]|\\.)*\"[^\r\n]*|'[^']*'[^\r\n]*|[^\r\n]*)(?P<end>\r?)$",
        re.MULTILINE,
    )


def _value(raw: str) -> str:
    raw = raw.strip()
    if raw[:1] == '"' and (end := re.match(r'"((?:[^"\\]|\\.)*)"', raw)):
        return re.sub(r"\\(.)", r"\1", end[1])
    if raw[:1] == "'" and (end := re.match(r"'([^']*)'", raw)):
        return end[1]
    return re.split(r"\s+#", raw, maxsplit=1)[0].strip()


def _quoted(value: str) -> str:
    if re.fullmatch(r"[\w:/@.%?&=+,~-]*", value):
        # An ampersand would end the command where a shell reads the file.
        return f'"{value}"' if "&" in value else value
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("$", "\\$")
    return f'"{escaped}"'


def point_at(
    worktree: Path, key: str, url: str, *, others: Collection[str], prefix: str
) -> list[str]:
    """Set `key` in the copied `.env` files; the paths of those that changed.

    The `.env` at the top always; another one where it names the source or a branch of ours, as
    a fork's does. A test's own database stays what it is, and so does what git follows.
    """
    changed = []
    for path in _untracked(worktree, env_files(worktree)):
        text = load_text(path)
        value = variable_in(text, key) if text is not None else None
        if text is None or value is None or value == url:
            continue
        if path == worktree / ".env" or value in others or prefix in value:
            replace_file(path, with_variable(text, key, url).encode())
            changed.append(str(path.relative_to(worktree)))
    return changed


def _untracked(worktree: Path, paths: Iterable[Path]) -> list[Path]:
    found = list(paths)
    if not found:
        return []
    listed = Git(worktree).run("ls-files", "-z", "--", *(p.relative_to(worktree) for p in found))
    tracked = {worktree / name.decode("utf-8", "surrogateescape") for name in listed.records}
    return [path for path in found if path not in tracked]
