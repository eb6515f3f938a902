"""Setup and teardown of a worktree: the repository's commands, run where it lies.

An install that another worktree makes, or has made, of the very same is taken over from there; the
commands of the repository's own are run in each.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import Literal

import msgspec

from manyhands.config import Home
from manyhands.model.box import BoxTerms
from manyhands.model.surroundings import Surroundings
from manyhands.process.identity import SETUP_MARK, marked_processes
from manyhands.process.stop import end_processes
from manyhands.station.boxing import session_surroundings
from manyhands.station.creation.installs import Installs, WantedInstall, want
from manyhands.station.threads import in_thread
from manyhands.station.worktree import Worktree
from manyhands.workspace.commands import Ran, Say, run_commands
from manyhands.workspace.databases.names import database_variables
from manyhands.workspace.install_key import after_taking
from manyhands.workspace.repo_config import TeardownTable, load_repo_config
from manyhands.workspace.setup_plan import SetupCommand, left_to_do, load_plan, set_installed


class Intent(msgspec.Struct, frozen=True, kw_only=True):
    """What the repository wants set up in a worktree, and what of it is left to do."""

    start: Literal["after", "early"]
    timeout: float | None
    origin: str
    commands: tuple[str, ...]
    missing: tuple[str, ...]
    left: tuple[SetupCommand, ...]


@in_thread
def load_intent(at: Worktree, env: Mapping[str, str]) -> Intent:
    config = load_repo_config(at.root)
    plan = load_plan(at.root, config, path=env.get("PATH"))
    return Intent(
        start=config.setup.start,
        timeout=config.setup.timeout,
        origin=plan.origin,
        commands=tuple(c.text for c in plan.commands),
        missing=plan.missing,
        left=left_to_do(at.root, plan) if plan.commands else (),
    )


async def run_setup(
    installs: Installs,
    at: Worktree,
    intent: Intent,
    done: Collection[str],
    *,
    env: Mapping[str, str],
    terms: BoxTerms,
    seconds: float,
    say: Say,
) -> Ran:
    """Run what is left, without what was `done` before, and remember every install that
    succeeded."""
    home = installs.home
    # Beside an agent nobody could tell what the install made, and what the agent.
    gives = intent.start == "after"
    # What a hub that died had begun goes on without it, and would meet what we start now.
    await asyncio.to_thread(_end_left_over, at)
    marked = {**env, SETUP_MARK: at.session}
    wanted = [command for command in intent.left if command.text not in done]
    # Whatever the repository runs itself may change what an install after it makes.
    alike = list(takewhile(lambda command: command.installer, wanted))
    async with session_surroundings(home, at, marked, terms) as within:
        running = _Running(at.root, within, seconds, say)
        for command in alike:
            if not command.product:
                await running.run(command.text)
                continue
            own = await asyncio.to_thread(database_variables, home, at.session)
            one = await want(at.root, at.repository, command, within, gives=gives, own=own)
            await _provide(installs, one, running)
        await running.run(*(command.text for command in wanted[len(alike) :]))
    finished = {*running.ran.done, *done}
    await asyncio.to_thread(_remember, at, [c for c in intent.left if c.text in finished])
    return running.ran


def _end_left_over(at: Worktree) -> None:
    end_processes(marked_processes(f"{SETUP_MARK}={at.session}"))


@dataclass
class _Running:
    """Commands one after the other, until one fails: together they have the `seconds`, in which the
    time that one waits for another worktree does not count."""

    root: Path
    within: Surroundings
    seconds: float
    say: Say
    ran: Ran = field(default_factory=lambda: Ran(returncode=0))

    def take(self, text: str) -> None:
        """This one need not be run: what it makes is there."""
        done, taken = (*self.ran.done, text), (*self.ran.taken, text)
        self.ran = msgspec.structs.replace(self.ran, done=done, taken=taken)

    async def run(self, *texts: str) -> Ran:
        """Nothing, once one has failed."""
        before = self.ran
        if before.failed or not texts:
            return before
        left = self.seconds - before.seconds
        ran = await run_commands(
            texts, cwd=self.root, within=self.within, seconds=left, say=self.say
        )
        self.ran = msgspec.structs.replace(
            ran,
            done=(*before.done, *ran.done),
            taken=before.taken,
            seconds=before.seconds + ran.seconds,
        )
        return self.ran


async def _provide(installs: Installs, wanted: WantedInstall, running: _Running) -> None:
    if running.ran.failed:
        return
    text = wanted.command.text

    async def tell(words: str) -> None:
        await running.say(text, words)
        await running.say(text, "")

    made = await installs.provide(
        wanted,
        make=lambda: running.run(text),
        is_made=lambda ran: not ran.failed,
        tell=tell,
        seconds=running.seconds,
    )
    if made is None:
        then = await asyncio.to_thread(after_taking, wanted.root, wanted.command)
        if then and (await running.run(then)).failed:
            return
        running.take(text)


def _remember(at: Worktree, done: Iterable[SetupCommand]) -> None:
    for command in done:
        set_installed(at.root, command)


@in_thread
def load_teardown(at: Worktree) -> TeardownTable:
    return load_repo_config(at.root).teardown


async def run_teardown(
    home: Home,
    at: Worktree,
    commands: tuple[str, ...],
    *,
    env: Mapping[str, str],
    terms: BoxTerms,
    seconds: float,
) -> tuple[Ran, str]:
    """What came of it, and what it said."""
    said: list[str] = []

    async def say(command: str, text: str) -> None:
        said.append(text)

    async with session_surroundings(home, at, env, terms) as within:
        ran = await run_commands(commands, cwd=at.root, within=within, seconds=seconds, say=say)
    return ran, "".join(said)
