"""What `doctor` can tell without a hub, followed by what the hub says about itself."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from manyhands.client.calls import Check, Client
from manyhands.config import Home, load_settings
from manyhands.errors import HubDown, ManyhandsError
from manyhands.git.version import load_git_version

LEAST_MEGABYTES = 500


def all_checks(home: Home, *, fix: bool = False) -> list[Check]:
    if fix:
        _make_private(home)
    local: tuple[Callable[[Home], Check], ...] = (_git, _home, _token, _config)
    return [*(check(home) for check in local), *_hub(home, fix)]


def _make_private(home: Home) -> None:
    """Missing directories are made, and what only the user may read is made so."""
    home.make()
    home.root.chmod(0o700)
    if home.token.exists():
        home.token.chmod(0o600)


def _git(home: Home) -> Check:
    found = load_git_version()
    return Check("git", found.ok, found.detail, found.fix)


def _home(home: Home) -> Check:
    try:
        home.make()
    except ManyhandsError as error:
        return Check("home", False, error.message, error.hint)
    if home.root.stat().st_mode & 0o077:
        return Check("home", False, f"{home.root} is open to others", "manyhands doctor --fix")
    free = os.statvfs(home.root)
    megabytes = free.f_bavail * free.f_frsize // 1024**2
    enough = megabytes >= LEAST_MEGABYTES
    detail = f"{home.root}, {megabytes} MB free"
    return Check("home", enough, detail, "" if enough else "make room on that disk")


def _token(home: Home) -> Check:
    try:
        mode = home.token.stat().st_mode
    except FileNotFoundError:
        return Check("token", True, "none yet: the first hub makes one")
    private = not mode & 0o077
    detail = "readable by you alone" if private else f"{home.token} is open to others"
    return Check("token", private, detail, "" if private else "manyhands doctor --fix")


def _config(home: Home) -> Check:
    try:
        load_settings(home)
    except ManyhandsError as error:
        return Check("config", False, error.message, f"mend {home.config}")
    return Check("config", True, str(home.config) if home.config.exists() else "all defaults")


def _hub(home: Home, fix: bool) -> Iterator[Check]:
    hub = Client(home)
    try:
        status = hub.status()
        yield Check("hub", True, f"{status.version} at {status.url}, process {status.pid}")
        # The config was judged already, with or without a hub.
        yield from (check for check in hub.checks(fix=fix) if check.check != "config")
    except HubDown as error:
        yield Check("hub", False, error.message, "manyhands up")
    except ManyhandsError as error:
        yield Check("hub", False, error.message, error.hint)
