"""`.env` files: one variable read, and one variable set, with everything else left as it is."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

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


def set_text(path: Path, text: str) -> None:
    """Put a new file in the old one's place: what it was linked to stays as it is."""
    mode = path.stat().st_mode & 0o777
    descriptor, name = tempfile.mkstemp(prefix=".env-", dir=path.parent)
    unfinished = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(text.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        unfinished.chmod(mode)
        unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


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
