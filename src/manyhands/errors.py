"""What a user can meet: one root, two levels, each with an exit code and a hint.

Errors carry fields, not only text. They are raised where a failure is understood and
caught at the top (``cli/``, ``api/``), which turns them into ``{code, message, hint}``.
"""

from __future__ import annotations

from collections.abc import Sequence
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

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class BadInput(ManyhandsError):
    """The request itself cannot be meant: wrong option, ambiguous name, corrupt config."""

    code = "bad_input"
    exit_code = EXIT_USAGE
    http_status = 400


class NotFound(ManyhandsError):
    """Nothing goes by that name."""

    code = "not_found"
    exit_code = EXIT_NOT_FOUND
    http_status = 404


class NotTrusted(ManyhandsError):
    """The repository, or the bearer of the token, may not do this."""

    code = "not_trusted"
    exit_code = EXIT_NOT_TRUSTED
    http_status = 403


class NotPossible(ManyhandsError):
    """Understood and allowed, but the present state forbids it."""

    code = "not_possible"
    http_status = 409


class HubDown(ManyhandsError):
    """No hub answers for this home."""

    code = "hub_down"
    exit_code = EXIT_HUB_DOWN
    http_status = 503


class StoreFailed(ManyhandsError):
    """The store could not be opened or written (disk full, read-only, wrong version)."""

    code = "store_failed"
    http_status = 507


class AgentFailed(ManyhandsError):
    """An agent could not be started, or does not do what was asked."""

    code = "agent_failed"
    http_status = 409


class DatabaseFailed(ManyhandsError):
    """A database server, or the program that speaks to it, refused; `state` is its own code."""

    code = "database_failed"
    http_status = 409

    def __init__(self, message: str, *, hint: str = "", state: str = "") -> None:
        super().__init__(message, hint=hint)
        self.state = state


class ForgeFailed(ManyhandsError):
    """A forge refused or did not answer; `status` is HTTP's, 0 where there was no answer."""

    code = "forge_failed"
    http_status = 409

    def __init__(self, message: str, *, hint: str = "", status: int = 0) -> None:
        super().__init__(message, hint=hint)
        self.status = status

    @property
    def unsure(self) -> bool:
        """Whether what was asked may have been done all the same."""
        return self.status == 0 or self.status >= 500


class ForgeDenied(ForgeFailed):
    """There is no token for the forge, it is not known there, or it lacks the right."""

    code = "forge_denied"
    exit_code = EXIT_NOT_TRUSTED


class GitFailed(ManyhandsError):
    """A git command ended badly; everything needed to repeat it by hand is here."""

    code = "git_failed"
    http_status = 409

    def __init__(
        self, argv: Sequence[str], returncode: int, stderr: str, *, cwd: str = "", hint: str = ""
    ) -> None:
        self.argv = tuple(argv)
        self.returncode = returncode
        self.stderr = stderr
        self.cwd = cwd
        last = stderr.strip().splitlines()[-1] if stderr.strip() else f"exit {returncode}"
        super().__init__(f"git {' '.join(argv)} failed in {cwd or '.'}: {last}", hint=hint)
