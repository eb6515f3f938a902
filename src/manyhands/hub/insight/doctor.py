"""Find and explain what is odd: what the log says against what git and the machine say."""

from __future__ import annotations

from collections.abc import Iterator

from manyhands.contract.box import box_words
from manyhands.contract.hub import Finding
from manyhands.errors import MachineFailed, ManyhandsError, machine_failed
from manyhands.hub.core import Boxes, Hub, agent_environment, box_terms, worktree_of
from manyhands.hub.core.boxes import is_wanting
from manyhands.hub.creation.db import find_leaks
from manyhands.hub.fleet.places import is_moving
from manyhands.hub.forge.tokens import check_tokens
from manyhands.hub.repos.bases import check_bases
from manyhands.hub.repos.pins import check_remotes
from manyhands.hub.repos.shared import SharedKeeping
from manyhands.model.session.session import Session
from manyhands.station import machine
from manyhands.station.box import load_odd_places
from manyhands.station.boxing import check_twin, has_twin
from manyhands.station.creation.database import Leak
from manyhands.station.doctor import Living, Oddity, Records, find_oddities, mend
from manyhands.store.backup import backups

FEWEST_FREE = 100


async def doctor(hub: Hub, *, fix: bool = False) -> list[Finding]:
    """All findings; with `fix`, what is ours alone is mended first and said to be."""
    try:
        found = await _survey(hub)
    except (MachineFailed, OSError) as error:
        known = error if isinstance(error, MachineFailed) else machine_failed(error)
        if known is None:
            raise
        return [*_open_files(), Finding("machine", False, known.message, known.hint)]
    if not fix:
        return [item.finding if isinstance(item, Oddity) else item for item in found]
    await hub.store.keep_copy()
    mended = await mend([item for item in found if isinstance(item, Oddity)])
    kept = [item for item in await _survey(hub) if not isinstance(item, Oddity)]
    return [*kept, *mended]


async def _survey(hub: Hub) -> list[Finding | Oddity]:
    records = _records(hub)
    around = await find_oddities(hub.home, records)
    # What was begun while it was looked around is no orphan: it is on record by now.
    begun = _records(hub).worktrees - records.worktrees
    around = [item for item in around if not _is_about(item, begun)]
    own = [*_config(hub), *await _store(hub), *_open_files(), *_faults(hub)]
    own += [*await _shared(hub), *_keepers(_living_sessions(hub)), *await check_remotes(hub)]
    own += [*check_bases(hub), *await check_tokens(hub), *await _boxes(hub)]
    return [*own, *around, *await _twins(hub), *await _databases(hub)]


def _is_about(item: Finding | Oddity, paths: set[str]) -> bool:
    detail = item.finding.detail if isinstance(item, Oddity) else item.detail
    return any(detail.startswith(f"{path} ") for path in paths)


def _living_sessions(hub: Hub) -> list[Session]:
    return [s for s in hub.state.all_sessions().values() if not s.life.gone and not s.life.archived]


def _records(hub: Hub) -> Records:
    every = [s for s in hub.state.all_sessions().values() if not s.life.gone]
    spares = {p: tuple(s.worktree for s in repo.spares) for p, repo in hub.state.repos.items()}
    return Records(
        living=[_living(s) for s in _living_sessions(hub)],
        spares=spares,
        worktrees={s.workspace.worktree for s in every}.union(*spares.values()),
        in_trash={s.id for s in every if s.life.trash or s.life.step in ("archive", "restore")},
    )


def _living(s: Session) -> Living:
    heard = {listening.port for listening in s.workspace.listening}
    unheard = {name: port for name, port in s.workspace.ports.items() if port not in heard}
    return Living(
        id=s.id,
        slug=s.slug,
        repo=s.repo,
        worktree=s.workspace.worktree,
        branch=s.workspace.branch,
        ready=s.life.ready,
        at_rest=not is_moving(s) and not s.main.in_turn,
        unheard={} if s.main.in_turn else unheard,
        way_back=_way_back(s),
        in_place=s.workspace.in_place,
    )


def _way_back(s: Session) -> str:
    last = s.history.checkpoints[-1].id if s.history.checkpoints else ""
    files = f"checkpoint {last}" if last else f"its branch {s.workspace.branch}"
    return f"`manyhands restore {s.slug}` brings it back; files that are gone come from {files}"


def _config(hub: Hub) -> Iterator[Finding]:
    try:
        hub.settings  # noqa: B018 - reading it is the check
    except ManyhandsError as error:
        yield Finding("config", False, error.message, "mend the line that is named")
    else:
        yield Finding("config", True, f"{hub.home.config} is valid or absent")


async def _shared(hub: Hub) -> list[Finding]:
    """What could not be kept last time, and cannot be now."""
    keeping = hub.part(SharedKeeping)
    for repo in list(keeping.problems):
        await keeping.keep_now(repo)
    to_do = "mend what it says; `manyhands doctor` looks again"
    return [
        Finding("shared", False, f"{repo}: branches, tags and stash are not kept: {why}", to_do)
        for repo, why in sorted(keeping.problems.items())
    ]


async def _store(hub: Hub) -> list[Finding]:
    if hub.store.trouble is None:
        await hub.store.check(thoroughly=True)
    if (trouble := hub.store.trouble) is not None:
        return [Finding("store", False, trouble.message, trouble.hint)]
    kept = backups(hub.home.backups)
    newest = f"the last backup is {kept[0]}" if kept else "no backup yet: one is made every day"
    return [Finding("store", True, f"{hub.home.store} is whole; {newest}")]


async def _boxes(hub: Hub) -> list[Finding]:
    """What the machine can do, tried anew; and the sessions that have less than they ask for."""
    boxes = hub.part(Boxes)
    means, whole = await boxes.look(), boxes.machine_detail()
    # Where nothing can be done about it, it is as it is.
    found = [Finding("box", not (is_wanting(whole) and means.fix), box_words(whole), whole.fix)]
    for s in _living_sessions(hub):
        box = boxes.detail(s)
        asked = (box.wanted, box.wanted_network)
        if is_wanting(box) and asked != (whole.wanted, whole.wanted_network):
            detail = f"{s.slug} asks for {asked[0]}, network {asked[1]}; it has {box_words(box)}"
            take = f"--box {box.level} --network {box.network}"
            fix = box.fix or f"`manyhands set {s.slug} {take}` takes what there is"
            found.append(Finding("box", False, detail, fix))
    for place in await load_odd_places(hub.last_settings.environment.passed):
        detail = f"PATH names {place}, which is in no box: what is installed there is not found"
        fix = f'read = ["{place}"] under [box] in {hub.home.config} adds it'
        found.append(Finding("box", False, detail, fix))
    return found


async def _twins(hub: Hub) -> list[Finding | Oddity]:
    found = []
    for s in _living_sessions(hub):
        at = worktree_of(hub, s)
        if await has_twin(at):
            env, terms = await agent_environment(hub, s), await box_terms(hub, s)
            found.append(await check_twin(hub.home, at, env, terms))
    return [item for item in found if item]


def _open_files() -> Iterator[Finding]:
    """Where they run out, nothing can be started or answered."""
    if (found := machine.open_files()) is None:
        return
    used, most = found
    roomy = most - used >= FEWEST_FREE
    way = f"allow more (`ulimit -n {machine.ENOUGH}`), then `manyhands down` and `manyhands up`"
    yield Finding("files", roomy, f"the hub has {used} of {most} files open", "" if roomy else way)


def _faults(hub: Hub) -> Iterator[Finding]:
    """Of work that nobody waits for; it is tried again by itself where that can help."""
    fix = f"{hub.home.logs / 'hub.log'} tells more; `manyhands down` and `manyhands up` begin anew"
    for fault in hub.faults.known:
        times = f"{fault.count} times since {fault.first_at}, " if fault.count > 1 else ""
        detail = f"{fault.where}: {fault.what} ({times}last at {fault.last_at})"
        yield Finding("fault", False, detail, fix)


async def _databases(hub: Hub) -> list[Finding]:
    findings = []
    for found in await find_leaks(hub):
        if isinstance(found, Leak):
            detail = f"{found.name} at {found.place} belongs to no session"
            fix = f"if nobody needs it: `manyhands db drop {found.name}`"
            findings.append(Finding("database", False, detail, fix))
        else:
            detail = f"{found.place} could not be asked for leaked databases: {found.reason}"
            findings.append(Finding("database", False, detail, "start it, or mend [database]"))
    return findings


def _keepers(sessions: list[Session]) -> Iterator[Finding]:
    for s in sessions:
        if s.keeper.state == "unreachable":
            fix = f"its log is in the home's logs; `manyhands stop {s.slug}` once it answers"
            yield Finding("keeper", False, f"{s.slug}: {s.place.reason}", fix)
        if s.life.error:
            fix = s.life.hint or f"`manyhands resume {s.slug}`"
            yield Finding("session", False, f"{s.slug} failed: {s.life.error}", fix)
