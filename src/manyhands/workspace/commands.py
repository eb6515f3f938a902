"""Running a repository's own commands: one after the other, streamed, bounded in time."""

from __future__ import annotations

import asyncio
import codecs
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import msgspec

from manyhands.model.clock import monotonic
from manyhands.model.surroundings import Surroundings
from manyhands.process.spawn import Child, spawn
from manyhands.process.stop import Patience, stop_child

Say = Callable[[str, str], Awaitable[None]]
"""Takes a command and a piece of its output; an empty piece is the end of it."""
Begin = Callable[[str], Awaitable[None]]
"""Told of each command before it runs: many say nothing until they end."""
PAUSE = 0.2
"""Between two pieces of output, so that a chatty command makes few events."""
LARGEST_PIECE = 32 * 1024
MOST_OUTPUT = 1024 * 1024
_PATIENCE = Patience(ask=0.0, term=2.0, kill=2.0)


class Ran(msgspec.Struct, frozen=True, kw_only=True):
    done: tuple[str, ...] = ()
    taken: tuple[str, ...] = ()
    """Of these, the installs that were taken over and not made."""
    failed: str = ""
    returncode: int | None = None
    error: str = ""
    seconds: float = 0.0


async def run_commands(
    commands: Sequence[str],
    *,
    cwd: Path,
    within: Surroundings,
    seconds: float,
    say: Say,
    begin: Begin | None = None,
) -> Ran:
    """Run until one fails or time is up; all of them together have `seconds`."""
    began = monotonic()
    done: list[str] = []
    for command in commands:
        if begin is not None:
            await begin(command)
        left = seconds - (monotonic() - began)
        code, error = await _run(command, cwd, within, left, say)
        if error:
            if not left > 0 or "no end" in error:
                error = f"no end after {seconds:g} seconds"
            spent = monotonic() - began
            return Ran(
                done=tuple(done), failed=command, returncode=code, error=error, seconds=spent
            )
        done.append(command)
    return Ran(done=tuple(done), returncode=0, seconds=monotonic() - began)


async def _run(
    command: str, cwd: Path, within: Surroundings, seconds: float, say: Say
) -> tuple[int | None, str]:
    try:
        # Both streams in one pipe keep their order.
        child = await spawn(
            [*within.prefix, "/bin/sh", "-c", f"exec 2>&1\n{command}"],
            cwd=cwd,
            env=within.env,
            tethered=True,
            boxed=within.boxed,
        )
    except OSError as error:
        return None, f"cannot be started: {error.strerror}"
    child.close_input()
    try:
        async with asyncio.timeout(max(0.0, seconds)):
            try:
                await _stream(child, command, say)
            finally:
                await say(command, "")
            code = await child.wait()
    except TimeoutError:
        return await stop_child(child, patience=_PATIENCE), "no end"
    except BaseException:
        await stop_child(child, patience=_PATIENCE)
        raise
    return code, f"exit code {code}" if code else ""


async def _stream(child: Child, command: str, say: Say) -> None:
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    told = 0
    while (chunk := await child.output.chunk()) is not None:
        text = decoder.decode(chunk)
        if len(text) > LARGEST_PIECE:
            text = f"… {len(text) - LARGEST_PIECE} characters left out …\n{text[-LARGEST_PIECE:]}"
        if told < MOST_OUTPUT and text:
            await say(command, text)
        elif text and told < 2 * MOST_OUTPUT:
            told = 2 * MOST_OUTPUT
            await say(command, "… the rest of the output is left out …\n")
        told += len(text)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(child.wait(), PAUSE)
