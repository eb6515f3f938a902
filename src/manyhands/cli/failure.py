"""How a command ends badly: one sentence, a hint, the right exit code; a bug leaves a report."""

from __future__ import annotations

import os
import platform
import shlex
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

import click

from manyhands import __version__, config
from manyhands.cli.output import ReaderGone, tell, write_json
from manyhands.errors import EXIT_BUG, EXIT_INTERRUPTED, BadInput, ManyhandsError, machine_failed
from manyhands.model.clock import now
from manyhands.model.ids import fresh_id


def report(error: Exception, argv: Sequence[str]) -> int:
    if isinstance(error, ReaderGone):
        return 0
    error = machine_failed(error) or error
    if isinstance(error, click.Abort):
        return EXIT_INTERRUPTED
    if isinstance(error, ManyhandsError):
        return _told(error.code, error.message, error.hint, error.exit_code, argv)
    if isinstance(error, click.ClickException):
        hint = _usage_hint(error)
        return _told(BadInput.code, error.format_message(), hint, error.exit_code, argv)
    path = _write_report(error, argv)
    message = f"this is a bug in Manyhands ({type(error).__name__}): the details are in {path}"
    return _told("bug", message, "please send us that file", EXIT_BUG, argv)


def wants_json(argv: Sequence[str]) -> bool:
    """Read from the words themselves: a usage error comes before options are known."""
    words = list(argv)
    own = words[: words.index("--")] if "--" in words else words
    return "--json" in own


def _told(code: str, message: str, hint: str, exit_code: int, argv: Sequence[str]) -> int:
    if wants_json(argv):
        write_json({"code": code, "message": message, "hint": hint}, sys.stderr)
    else:
        tell(f"manyhands: {message}")
        if hint:
            tell(f"  {hint}")
    return exit_code


def _usage_hint(error: click.ClickException) -> str:
    context = error.ctx if isinstance(error, click.UsageError) else None
    return f"see: {context.command_path} --help" if context else "see: manyhands --help"


def _write_report(error: Exception, argv: Sequence[str]) -> Path | str:
    stamp = now().replace(":", "").replace(".", "")
    text = "\n".join(
        [
            f"manyhands {__version__}, Python {platform.python_version()}, {platform.platform()}",
            f"at {now()}: manyhands {shlex.join(argv)[:2000]}",
            "",
            *traceback.format_exception(error),
        ]
    )
    try:
        logs = config.home().logs
        logs.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = logs / f"crash-{stamp}-{fresh_id(4)}.txt"
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError:
        tell(text)
        return "the lines above"
    return path
