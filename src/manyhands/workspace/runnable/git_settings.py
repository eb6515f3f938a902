"""What git would run by the repository's own settings: programs that keys name, and its hooks.

Only the repository's own scopes count, with what they include: what the user or the machine has set
is theirs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from manyhands.git import refs
from manyhands.git.runner import Git

HELPER = r"[\w+.-]+::.*"
NO_SWITCH = r"(?!(true|false|yes|no|on|off|0|1|)$).*"
SETTINGS: tuple[tuple[str, str, str], ...] = (
    (r"core\.hookspath", "", "git: hooks, at commit, checkout, merge or push"),
    (r"hook\..+", "", "git: hooks, at commit, checkout, merge or push"),
    (r"core\.fsmonitor", NO_SWITCH, "git: asked at every status"),
    (r"core\.(sshcommand|gitproxy|askpass)", "", "git: at fetch and push"),
    (r"credential\.(.+\.)?helper", "", "git: at fetch and push"),
    (r"remote\..+\.(uploadpack|receivepack|vcs)", "", "git: at fetch and push"),
    (r"remote\..+\.(url|pushurl)", HELPER, "git: a helper, at fetch and push"),
    (r"url\..*::.*\.(insteadof|pushinsteadof)", "", "git: a helper, at fetch and push"),
    (r"protocol\..*allow", "", "git: which helpers may be run at fetch and push"),
    (r"core\.alternaterefscommand", "", "git: at fetch and push"),
    (r"(core|sequence)\.editor", "", "git: at commit and rebase"),
    (r"core\.pager|interactive\.difffilter", "", "git: when it shows something"),
    (r"pager\..+", NO_SWITCH, "git: when it shows something"),
    (r"diff\.external|diff\..+\.(command|textconv)", "", "git: at diff, log and show"),
    (r"(diff|merge)tool\..+\.(cmd|path)", "", "git: at difftool and mergetool"),
    (r"merge\..+\.driver", "", "git: at merge, rebase and cherry-pick"),
    (r"filter\..+\.(clean|smudge|process)", "", "git: at checkout, status and add"),
    (r"gpg\.(.+\.)?program|gpg\.ssh\.defaultkeycommand", "", "git: when it signs or verifies"),
    (r"alias\..+", r"\s*!.*", "git: where the alias is called"),
    (r"submodule\..+\.update", r"\s*!.*", "git: at submodule update"),
    (r"include\.path|includeif\..+\.path", "", "git: further settings, at every command"),
    (r"trailer\..+\.(command|cmd)|tar\..+\.command", "", "git: at commit and archive"),
    (r"uploadpack\.packobjectshook|gc\.recentobjectshook", "", "git: at fetch and gc"),
    (r"init\.templatedir", "", "git: hooks of repositories that are made or cloned"),
    (r"(browser|man)\..+\.(cmd|path)|guitool\..+\.cmd|instaweb\..+", "", "git: its tools"),
    (r"sendemail\..*(cmd|smtpserver|command)|imap\.tunnel", "", "git: at send-email"),
    (r"lfs\.(customtransfer|extension|standalonetransferagent).*", "", "git-lfs: at checkout"),
)
"""Keys, and values where not every one of them is run; by whom, and when."""
_COMPILED = tuple(
    (
        re.compile(key, re.IGNORECASE | re.DOTALL),
        re.compile(value or ".*", re.IGNORECASE | re.DOTALL),
        runs,
    )
    for key, value, runs in SETTINGS
)


@dataclass(frozen=True)
class Named:
    key: str
    value: str
    runs: str


def load_settings(checkout: Path) -> list[Named]:
    """The settings by which git would run something here."""
    named = [_named(key, value or "") for key, value in Git(checkout).repository_entries]
    return [one for one in named if one is not None]


def _named(key: str, value: str) -> Named | None:
    for wanted, run, runs in _COMPILED:
        if wanted.fullmatch(key):
            return Named(key, value, runs) if run.fullmatch(value) else None
    return None


@dataclass(frozen=True)
class HookFolder:
    root: Path
    """Outside of which no link is followed."""
    folder: str
    shown: str


def hook_folders(checkout: Path, settings: list[Named]) -> Iterator[HookFolder]:
    """Where git looks for hooks; what lies in the worktree counts with the worktree's files."""
    common = refs.common_dir(checkout)
    root = common.parent if common.name == ".git" else common
    yield HookFolder(root, str((common / "hooks").relative_to(root)), ".git/hooks")
    for one in settings:
        place = Path(one.value).expanduser()
        if one.key == "core.hookspath" and place.is_absolute():
            yield HookFolder(place, "", str(place))
