"""Find and explain what is odd: what the log says against what git and the machine say."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from manyhands.errors import ManyhandsError
from manyhands.hub.doctor_machine import look_at_disk, look_at_ports, look_for_processes
from manyhands.hub.doctor_places import look_at_repo, look_for_orphans
from manyhands.hub.finding import Finding, Oddity, odd
from manyhands.hub.hub import Hub
from manyhands.hub.leaks import Leak, find_leaks
from manyhands.model.session import Session


async def doctor(hub: Hub, *, fix: bool = False) -> list[Finding]:
    """All findings; with `fix`, what is ours alone is mended first and said to be."""
    found = await _look(hub)
    if not fix:
        return [_finding(item) for item in found]
    mended = await asyncio.to_thread(lambda: [_mend(i) for i in found if isinstance(i, Oddity)])
    kept = [item for item in await _look(hub) if not isinstance(item, Oddity)]
    return [*map(_finding, kept), *mended]


def _finding(item: Finding | Oddity) -> Finding:
    return item.finding if isinstance(item, Oddity) else item


def _mend(item: Oddity) -> Finding:
    try:
        item.mend()
    except (ManyhandsError, OSError) as error:
        return odd(item.finding.check, f"{item.finding.detail}; not mended: {error}", "")
    return Finding(item.finding.check, True, f"mended: {item.finding.detail}")


async def _look(hub: Hub) -> list[Finding | Oddity]:
    every = [s for s in hub.state.all_sessions().values() if not s.gone]
    living = [s for s in every if not s.archived]
    findings: list[Finding | Oddity] = [*_config(hub), *_keepers(living)]
    findings += await asyncio.to_thread(_look_around, hub, every, living)
    return [*findings, *await _databases(hub)]


def _look_around(hub: Hub, every: list[Session], living: list[Session]) -> list[Finding | Oddity]:
    found: list[Finding | Oddity] = []
    for path, repo in sorted(hub.state.repos.items()):
        found += look_at_repo(repo, [s for s in living if s.repo == path])
    found += look_for_orphans(hub.home, every, hub.state.repos.values())
    found += look_for_processes(hub.home, living)
    found += look_at_ports(living)
    return [*found, look_at_disk(hub.home)]


def _config(hub: Hub) -> Iterator[Finding]:
    try:
        hub.settings  # noqa: B018 - reading it is the check
    except ManyhandsError as error:
        yield Finding("config", False, error.message, "mend the line that is named")
    else:
        yield Finding("config", True, f"{hub.home.config} is valid or absent")


async def _databases(hub: Hub) -> list[Finding]:
    findings = []
    for found in await find_leaks(hub):
        if isinstance(found, Leak):
            detail = f"{found.name} at {found.source.place} belongs to no session"
            fix = f"if nobody needs it: `manyhands db drop {found.name}`"
            findings.append(Finding("database", False, detail, fix))
        else:
            detail = f"{found.place} could not be asked for leaked databases: {found.reason}"
            findings.append(Finding("database", False, detail, "start it, or mend [database]"))
    return findings


def _keepers(sessions: list[Session]) -> Iterator[Finding]:
    for s in sessions:
        if s.keeper == "unreachable":
            fix = f"its log is in the home's logs; `manyhands stop {s.slug}` once it answers"
            yield Finding("keeper", False, f"{s.slug}: {s.reason}", fix)
        if s.error:
            fix = s.hint or f"`manyhands resume {s.slug}`"
            yield Finding("session", False, f"{s.slug} failed: {s.error}", fix)
