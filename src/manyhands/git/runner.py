"""The one place that runs git: argv only, a built environment, timed, bounded and traced.

A command leads its own session, and its end is learnt from the exit itself: output goes to
files, not pipes, so that whatever a hook leaves running cannot hold us up.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import select
import signal
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from manyhands.config import child_environment
from manyhands.errors import GitFailed, ManyhandsError, machine_failed
from manyhands.git import hardening
from manyhands.git.command_log import command_log, shown
from manyhands.git.hardening import Argument, Entry, Setting
from manyhands.model import clock
from manyhands.model.repo.git import GitVersion, Trace

TIMEOUT = 300.0


@dataclass(frozen=True)
class Result:
    stdout: bytes
    stderr: bytes
    returncode: int
    seconds: float
    cut: bool = False
    """Whether output was left out because it went over the limit."""

    @property
    def line(self) -> str:
        return os.fsdecode(self.stdout.rstrip(b"\n"))

    @property
    def text(self) -> str:
        return self.stdout.decode("utf-8", "replace")

    @property
    def records(self) -> list[bytes]:
        """NUL-separated output, without the empty end."""
        return self.stdout.removesuffix(b"\0").split(b"\0") if self.stdout else []


@dataclass(frozen=True)
class Git:
    """Git in one directory. Hardened it runs nothing that the repository names; otherwise it
    does what the user's own git would, with or without hooks."""

    cwd: Path
    hardened: bool = True
    hooks: bool = False
    settings: tuple[Setting, ...] = ()
    variables: tuple[tuple[str, str], ...] = ()
    inherit: tuple[int, ...] = ()
    """Descriptors that git holds open, such as a lock that must last as long as it runs."""
    background: bool = False
    """At the lowest priority, and ended by `end_background`."""
    given: tuple[tuple[str, str], ...] | None = None
    """The environment to start from in place of our own, where code runs that is not the user's."""
    prefix: tuple[str, ...] = ()
    """Words before the command, which say where and how it runs."""

    def boxed(self, prefix: Sequence[str]) -> Git:
        """The same, run by that prefix. What the repository there says is not known here, and is
        kept in by whatever the prefix is."""
        return replace(self, prefix=tuple(prefix))

    def within(self, environment: Mapping[str, str]) -> Git:
        """The same, with nothing of our own environment."""
        return replace(self, given=tuple(environment.items()))

    def having(self, settings: Mapping[str, str] | None = None, **variables: str | Path) -> Git:
        """The same with more config and environment, in the same repository."""
        more = tuple((name, os.fspath(value)) for name, value in variables.items())
        extra = tuple((settings or {}).items())
        git = replace(self, settings=(*self.settings, *extra), variables=(*self.variables, *more))
        if "_overrides" in self.__dict__:
            git.__dict__["_overrides"] = self._overrides
        return git

    def run(
        self,
        *argv: Argument,
        stdin: bytes = b"",
        check: bool = True,
        fails_from: int = 1,
        timeout: float = TIMEOUT,
        limit: int | None = None,
    ) -> Result:
        """Run to the end; with `limit`, only until so many bytes of output have come. Exit codes
        below `fails_from` are answers."""
        command = hardening.guarded(argv) if self.hardened else list(argv)
        program = ("nice", "-n", "19", "git") if self.background else ("git",)
        program = (*self._led_by(self._words), *program)
        words, env = (*program, *command), self._environment
        call = _Call(self.cwd, words, env, self.inherit, self.background, shown_from=len(program))
        at = clock.now()
        result = call.run(stdin, timeout, limit)
        trace = Trace(at, call.shown, str(self.cwd), round(result.seconds, 4), result.returncode)
        command_log.append(trace)
        if check and result.returncode not in range(fails_from) and not result.cut:
            raise call.failure(result.returncode, result.stderr.decode("utf-8", "replace"))
        return result

    def run_hook(
        self, hook: Path, *args: str, stdin: bytes = b"", timeout: float = TIMEOUT
    ) -> Result:
        """A hook by itself, in exactly the given environment and the variables; git's own words for
        it are the caller's."""
        # The shell runs those that name no interpreter, as git does.
        shell: list[Argument] = ["/bin/sh", "-c", '"$0" "$@" 1>&2', hook, *args]
        env = {**dict(self.given or ()), **dict(self.variables)}
        led_by = self._led_by(dict(self.variables))
        call = _Call(self.cwd, [*led_by, *shell], env, self.inherit, shown_from=len(led_by) + 3)
        at = clock.now()
        result = call.run(stdin, timeout, None)
        said = ("hook", "run", hook.name, *args)
        command_log.append(
            Trace(at, said, str(self.cwd), round(result.seconds, 4), result.returncode)
        )
        return result

    def ok(self, *argv: Argument) -> bool:
        return self.run(*argv, check=False).returncode == 0

    def _led_by(self, words: Mapping[str, str]) -> tuple[str, ...]:
        """The prefix, and our own words to git behind it: it may begin with no environment."""
        if not self.prefix:
            return ()
        return (*self.prefix, "env", *(f"{name}={value}" for name, value in words.items()))

    @functools.cached_property
    def _environment(self) -> dict[str, str]:
        return {**self._begun, **self._words}

    @functools.cached_property
    def _begun(self) -> dict[str, str]:
        return child_environment() if self.given is None else dict(self.given)

    @functools.cached_property
    def _words(self) -> dict[str, str]:
        """What we say to git by its environment."""
        settings: list[Setting] = [] if self.hooks else list(hardening.NO_HOOKS)
        variables = dict(hardening.ALWAYS)
        if self.hardened:
            overrides = [] if self.prefix else self._overrides
            settings = [*hardening.READ_ONLY, *overrides]
            variables |= hardening.READING
        before = hardening.settings_in(self._begun)
        variables |= hardening.as_environment([*before, *settings, *self.settings])
        return {**variables, **dict(self.variables)}

    @functools.cached_property
    def _overrides(self) -> list[Setting]:
        return hardening.overrides(self.repository_entries)

    @property
    def repository_entries(self) -> tuple[Entry, ...]:
        """The settings of the repository's own, and of the worktree's."""
        variables = dict(self.variables)
        env = child_environment({**hardening.ALWAYS, **variables})
        call = _Call(self.cwd, ("git", "config", "--list", "-z", "--show-scope"), env)
        ask = lambda: call.run(b"", TIMEOUT, None).stdout  # noqa: E731
        return hardening.load_entries(self.cwd, variables, ask)


@dataclass(frozen=True)
class _Call:
    cwd: Path
    command: Sequence[Argument]
    env: Mapping[str, str]
    inherit: tuple[int, ...] = ()
    background: bool = False
    shown_from: int = 1

    def run(self, stdin: bytes, timeout: float, limit: int | None) -> Result:
        started = clock.monotonic()
        with contextlib.ExitStack() as files:
            out, err = (files.enter_context(_scratch()) for _ in range(2))
            given: IO[bytes] | int = subprocess.DEVNULL
            if stdin:
                given = files.enter_context(_scratch())
                given.write(stdin)
                given.seek(0)
            child = self._spawn(given, out if limit is None else subprocess.PIPE, err)
            if self.background:
                _in_background.add(child)
                files.callback(_in_background.discard, child)
            cut, late = self._await(child, timeout, out, limit)
            out.seek(0)
            err.seek(0)
            seconds = clock.monotonic() - started
            result = Result(out.read(), err.read(), child.returncode, seconds, cut)
        if late:
            said = (result.stderr + result.stdout).decode("utf-8", "replace")
            raise self.failure(
                child.returncode, f"{said}\nno end after {timeout:g} seconds".strip()
            )
        return result

    def _spawn(self, given: IO[bytes] | int, out: IO[bytes] | int, err: IO[bytes]) -> _Child:
        try:
            return subprocess.Popen(
                [os.fspath(part) for part in self.command],
                cwd=self.cwd,
                env=self.env,
                stdin=given,
                stdout=out,
                stderr=err,
                start_new_session=True,
                pass_fds=self.inherit,
            )
        except OSError as error:
            raise machine_failed(error) or self.failure(127, str(error)) from error

    def _await(
        self, child: _Child, timeout: float, out: IO[bytes], limit: int | None
    ) -> tuple[bool, bool]:
        """Whether the output was cut, and whether the child had to be ended."""
        ending = _open_ending(child) if limit is None else None
        if ending is not None:
            return False, _is_late(child, ending, timeout)
        late = threading.Event()

        def end() -> None:
            late.set()
            _kill_group(child)

        timer = threading.Timer(timeout, end)
        timer.start()
        try:
            cut = limit is not None and _take(child, out, limit)
            child.wait()
        except BaseException:
            _kill_group(child)
            child.wait()
            raise
        finally:
            timer.cancel()
        return cut, late.is_set()

    @property
    def shown(self) -> tuple[str, ...]:
        return shown(self.command[self.shown_from :])

    def failure(self, returncode: int, stderr: str) -> GitFailed:
        return GitFailed(self.shown, returncode, stderr, cwd=str(self.cwd))


_Child = subprocess.Popen[bytes]
_in_background: set[_Child] = set()


def _scratch() -> IO[bytes]:
    """A file without a name; all of it is read into memory in any case."""
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("git", os.MFD_CLOEXEC), "w+b")
    return tempfile.TemporaryFile()


def _open_ending(child: _Child) -> int | None:
    """A descriptor that tells of its end; None where the system, as Linux before 5.3, has none."""
    with contextlib.suppress(OSError):
        if hasattr(os, "pidfd_open"):
            return os.pidfd_open(child.pid)
    return None


def _is_late(child: _Child, ending: int, timeout: float) -> bool:
    """Waits for the end; whether it had to be brought about. A thread that watches the time would
    cost more than most commands."""
    late = True
    try:
        waiting = select.poll()
        waiting.register(ending, select.POLLIN)
        late = not waiting.poll(timeout * 1000)
    finally:
        os.close(ending)
        if late:
            _kill_group(child)
        child.wait()
    return late


def end_background() -> None:
    """End what runs in the background; whoever waits for it sees it fail."""
    for child in tuple(_in_background):
        _kill_group(child)


def _take(child: _Child, out: IO[bytes], limit: int) -> bool:
    """Copy at most `limit` bytes of the child's output; true if there was more."""
    assert child.stdout is not None
    with child.stdout:
        taken = child.stdout.read(limit + 1)
        out.write(taken[:limit])
        if len(taken) > limit:
            _kill_group(child)
    return len(taken) > limit


def _kill_group(child: _Child) -> None:
    # Not yet waited for, the leader keeps its group's number from being given away.
    if child.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)


OLDEST = (2, 38)
FIX = "install git 2.38 or newer: older ones cannot forecast merges"


def load_git_version() -> GitVersion:
    """Which git this machine has, and whether it can do what we ask of it."""
    try:
        said = Git(Path("/"), hardened=False).run("version").line
    except ManyhandsError as error:
        return GitVersion(False, error.message, FIX)
    numbers = re.search(r"(\d+)\.(\d+)", said)
    new_enough = numbers is not None and (int(numbers[1]), int(numbers[2])) >= OLDEST
    return GitVersion(new_enough, said, "" if new_enough else FIX)
