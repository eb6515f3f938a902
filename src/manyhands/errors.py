"""What a user can meet: one root, two levels, each with an exit code and a hint.

Errors carry fields, not only text. They are raised where a failure is understood and
caught at the top (``cli/``, ``api/``), which turns them into ``{code, message, hint}``.
"""

from __future__ import annotations

import errno
from collections.abc import Sequence
from contextlib import suppress
from typing import ClassVar

EXIT_OK = 0
EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_BUG = 3
EXIT_NOT_TRUSTED = 4
EXIT_NOT_FOUND = 5
EXIT_ATTENTION = 6
EXIT_HUB_DOWN = 7
EXIT_INTERRUPTED = 130


class ManyhandsError(Exception):
    """The root: `code` is stable for programs, `hint` says what to do next."""

    code: ClassVar[str] = "failed"
    exit_code: ClassVar[int] = EXIT_FAILED
    http_status: ClassVar[int] = 500

    def __init_subclass__(
        cls, *, code: str = "", exit_code: int | None = None, http_status: int | None = None
    ) -> None:
        """What a kind leaves out is as its parent has it."""
        cls.code = code or cls.code
        cls.exit_code = cls.exit_code if exit_code is None else exit_code
        cls.http_status = cls.http_status if http_status is None else http_status

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class BadInput(ManyhandsError, code="bad_input", exit_code=EXIT_USAGE, http_status=400):
    """The request itself cannot be meant: wrong option, ambiguous name, corrupt config."""


class NotFound(ManyhandsError, code="not_found", exit_code=EXIT_NOT_FOUND, http_status=404):
    """Nothing goes by that name."""


class NotTrusted(ManyhandsError, code="not_trusted", exit_code=EXIT_NOT_TRUSTED, http_status=403):
    """The repository, or the bearer of the token, may not do this."""


class NotPossible(ManyhandsError, code="not_possible", http_status=409):
    """Understood and allowed, but the present state forbids it."""


class Conflicted(NotPossible, code="conflict"):
    """Two branches do not merge by themselves; `paths` are where."""

    def __init__(self, message: str, paths: tuple[str, ...] = (), *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.paths = paths


class TwinBroken(NotPossible, code="twin_broken"):
    """A session's private git directory is not what git needs any more; it can be made anew."""


class HubDown(ManyhandsError, code="hub_down", exit_code=EXIT_HUB_DOWN, http_status=503):
    """No hub answers for this home."""


class StoreFailed(ManyhandsError, code="store_failed", http_status=507):
    """The store could not be opened or written (disk full, read-only, wrong version)."""


class MachineFailed(ManyhandsError, code="machine_failed", http_status=507):
    """The machine has not what it takes: space, files, memory, a disk that can be written."""


class AgentFailed(ManyhandsError, code="agent_failed", http_status=409):
    """An agent could not be started, or does not do what was asked."""


class DatabaseFailed(ManyhandsError, code="database_failed", http_status=409):
    """A database server, or the program that speaks to it, refused; `state` is its own code."""

    def __init__(self, message: str, *, hint: str = "", state: str = "") -> None:
        super().__init__(message, hint=hint)
        self.state = state


class ForgeFailed(ManyhandsError, code="forge_failed", http_status=409):
    """A forge refused or did not answer; `status` is HTTP's, 0 where there was no answer."""

    def __init__(self, message: str, *, hint: str = "", status: int = 0) -> None:
        super().__init__(message, hint=hint)
        self.status = status

    @property
    def unsure(self) -> bool:
        """Whether what was asked may have been done all the same."""
        return self.status == 0 or self.status >= 500


class ForgeDenied(ForgeFailed, code="forge_denied", exit_code=EXIT_NOT_TRUSTED):
    """There is no token for the forge, it is not known there, or it lacks the right."""


class GitFailed(ManyhandsError, code="git_failed", http_status=409):
    """A git command ended badly; everything needed to repeat it by hand is here."""

    def __init__(
        self, argv: Sequence[str], returncode: int, stderr: str, *, cwd: str = "", hint: str = ""
    ) -> None:
        self.argv = tuple(argv)
        self.returncode = returncode
        self.stderr = stderr
        self.cwd = cwd
        last = stderr.strip().splitlines()[-1] if stderr.strip() else f"exit {returncode}"
        super().__init__(f"git {' '.join(argv)} failed in {cwd or '.'}: {last}", hint=hint)


_NO_SPACE = "free some space; nothing that was confirmed is lost"
_CROWDED = "end some programs; agents at work go on"
_MACHINE = {
    errno.EMFILE: "allow more open files (`ulimit -n 65536`), then `manyhands down` and "
    "`manyhands up`; agents at work go on",
    errno.ENFILE: _CROWDED,
    errno.ENOMEM: _CROWDED,
    errno.ENOSPC: _NO_SPACE,
    errno.EDQUOT: _NO_SPACE,
    errno.EROFS: "mount it so that it can be written, or set MANYHANDS_HOME to another place",
}


def machine_failed(error: BaseException) -> MachineFailed | None:
    """What the machine refuses, in words; None where it is something else."""
    if not isinstance(error, OSError) or error.errno not in _MACHINE:
        return None
    name = error.filename2 or error.filename  # of a copy, where it goes to
    where = f" ({name})" if name else ""
    return MachineFailed(f"{error.strerror}{where}", hint=_MACHINE[error.errno])


def failure(code: str, message: str, *, hint: str = "") -> ManyhandsError:
    """A failure as it is on record, to be raised again: its own class where that needs no more."""
    for kind in _all_kinds(ManyhandsError):
        if kind.code == code:
            with suppress(TypeError):
                return kind(message, hint=hint)
    return NotPossible(message, hint=hint)


def _all_kinds(kind: type[ManyhandsError]) -> list[type[ManyhandsError]]:
    return [kind, *(one for below in kind.__subclasses__() for one in _all_kinds(below))]
