"""What `doctor` can tell without a hub, followed by what the hub says about itself."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator

import msgspec

from manyhands.client.calls import Client
from manyhands.config import Home, child_environment, load_settings
from manyhands.contract.hub import Finding
from manyhands.errors import HubDown, ManyhandsError
from manyhands.git.runner import load_git_version
from manyhands.process.pipeline import run_pipeline

LEAST_MEGABYTES = 500
STORE_SECONDS = 3600.0
"""A large store takes minutes to be made anew."""


def all_checks(home: Home, *, fix: bool = False) -> list[Finding]:
    if fix:
        _make_private(home)
    local: tuple[Callable[[Home], Finding], ...] = (_git, _home, _token, _config)
    return [*(check(home) for check in local), *_hub(home, fix)]


def _make_private(home: Home) -> None:
    """Missing directories are made, and what only the user may read is made so."""
    home.make()
    home.root.chmod(0o700)
    if home.token.exists():
        home.token.chmod(0o600)


def _git(home: Home) -> Finding:
    found = load_git_version()
    return Finding("git", found.ok, found.detail, found.fix)


def _home(home: Home) -> Finding:
    try:
        home.make()
    except ManyhandsError as error:
        return Finding("home", False, error.message, error.hint)
    if home.root.stat().st_mode & 0o077:
        return Finding("home", False, f"{home.root} is open to others", "manyhands doctor --fix")
    free = os.statvfs(home.root)
    megabytes = free.f_bavail * free.f_frsize // 1024**2
    enough = megabytes >= LEAST_MEGABYTES
    detail = f"{home.root}, {megabytes} MB free"
    return Finding("home", enough, detail, "" if enough else "make room on that disk")


def _token(home: Home) -> Finding:
    try:
        mode = home.token.stat().st_mode
    except FileNotFoundError:
        return Finding("token", True, "none yet: the first hub makes one")
    private = not mode & 0o077
    detail = "readable by you alone" if private else f"{home.token} is open to others"
    return Finding("token", private, detail, "" if private else "manyhands doctor --fix")


def _config(home: Home) -> Finding:
    try:
        load_settings(home)
    except ManyhandsError as error:
        return Finding("config", False, error.message, f"mend {home.config}")
    return Finding("config", True, str(home.config) if home.config.exists() else "all defaults")


def _hub(home: Home, fix: bool) -> Iterator[Finding]:
    hub = Client(home)
    try:
        status, found = hub.status(), hub.checks(fix=fix)
        if fix and any(one.check == "store" and not one.ok for one in found):
            yield from _mend_store(home)
            status, found = hub.status(), hub.checks(fix=fix)
        yield Finding("hub", True, f"{status.version} at {status.url}, process {status.pid}")
        # The config was judged already, with or without a hub.
        yield from (one for one in found if one.check != "config")
    except HubDown as error:
        yield _store_at_rest(home, fix)
        yield Finding("hub", False, error.message, "manyhands up")
    except ManyhandsError as error:
        yield Finding("hub", False, error.message, error.hint)


def _mend_store(home: Home) -> Iterator[Finding]:
    """Nobody may use it meanwhile; agents are held, and found again by the next hub."""
    from manyhands.cli.hub_process import ensure_hub, stop_hub

    stop_hub(home, everything=False)
    yield _store_at_rest(home, fix=True)
    ensure_hub(home)


def _store_at_rest(home: Home, fix: bool) -> Finding:
    """By a process of its own: the command line knows nothing of the store."""
    argv = [sys.executable, "-m", "manyhands.api.doctor", *(["--fix"] if fix else [])]
    env = child_environment({"MANYHANDS_HOME": str(home.root)})
    [ended] = run_pipeline(argv, env=env, timeout=STORE_SECONDS)
    try:
        return msgspec.json.decode(ended.stdout, type=Finding)
    except msgspec.DecodeError:
        said = ended.stderr.strip().rpartition("\n")[2] or f"exit code {ended.returncode}"
        return Finding("store", False, f"it could not be looked at: {said}", "")
