"""Find and explain what is odd: what the log says against what git and the machine say."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import msgspec

from manyhands.errors import ManyhandsError
from manyhands.git.worktrees import list_worktrees
from manyhands.hub.hub import Hub
from manyhands.model.session import Session


class Finding(msgspec.Struct, frozen=True):
    check: str
    ok: bool
    detail: str
    fix: str = ""


async def doctor(hub: Hub) -> list[Finding]:
    sessions = [s for s in hub.state.all_sessions().values() if not s.archived]
    findings = [*_config(hub), *_keepers(sessions)]
    for repo in sorted(hub.state.repos):
        mine = [s for s in sessions if s.repo == repo]
        findings += await asyncio.to_thread(lambda: list(_worktrees(repo, mine)))  # noqa: B023
    return findings


def _config(hub: Hub) -> Iterator[Finding]:
    try:
        hub.settings  # noqa: B018 - reading it is the check
    except ManyhandsError as error:
        yield Finding("config", False, error.message, "mend the line that is named")
    else:
        yield Finding("config", True, f"{hub.home.config} is valid or absent")


def _keepers(sessions: list[Session]) -> Iterator[Finding]:
    for s in sessions:
        if s.keeper == "unreachable":
            fix = f"its log is in the home's logs; `manyhands stop {s.slug}` once it answers"
            yield Finding("keeper", False, f"{s.slug}: {s.reason}", fix)
        if s.error:
            fix = s.hint or f"`manyhands resume {s.slug}`"
            yield Finding("session", False, f"{s.slug} failed: {s.error}", fix)


def _worktrees(repo: str, sessions: list[Session]) -> Iterator[Finding]:
    try:
        known = {str(w.path.resolve()): w for w in list_worktrees(Path(repo))}
    except (ManyhandsError, OSError) as error:
        yield Finding("repo", False, f"{repo}: {error}", "put the repository back at its path")
        return
    odd = False
    for s in sessions:
        if not s.ready:
            continue
        path = Path(s.worktree)
        if not path.is_dir():
            odd = True
            fix = f"`manyhands archive {s.slug}`; its branch {s.branch} is still there"
            yield Finding("worktree", False, f"{s.slug}: {path} is missing", fix)
        elif str(path.resolve()) not in known:
            odd = True
            fix = f"`git -C {repo} worktree repair {path}`"
            yield Finding("worktree", False, f"{s.slug}: git no longer knows {path}", fix)
    if not odd:
        yield Finding("worktrees", True, f"{repo}: {len(sessions)} sessions as recorded")
