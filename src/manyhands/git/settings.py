"""A repository's config by whose it is, and settings written out for a git of our own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from manyhands.git.hardening import Entry, listed
from manyhands.git.runner import Git

__all__ = ["ALONE", "Entry", "GitSettings", "load_settings", "write_settings"]

ALONE = {
    "GIT_CONFIG_NOSYSTEM": "1",
    # Nobody is there to be asked for a password: whoever needs one fails at once.
    "GIT_ASKPASS": "true",
    "SSH_ASKPASS_REQUIRE": "never",
}
"""For git in the user's name that takes its settings from a file of ours."""
USER_SCOPES = ("system", "global")


@dataclass(frozen=True)
class GitSettings:
    """A repository's whole config, in order, by whose it is."""

    of_user: list[Entry]
    """As they hold in this repository; the system's among them."""
    of_repository: list[Entry]


def load_settings(repo: Path) -> GitSettings:
    # Hardened it would be asked for twice; a listing runs nothing.
    listing = Git(repo, hardened=False).run("config", "--list", "-z", "--show-scope").stdout
    return GitSettings(list(listed(listing, USER_SCOPES)), list(listed(listing)))


def write_settings(file: Path, settings: Iterable[Entry]) -> None:
    file.write_text("".join(map(_line, settings)), "utf-8", errors="surrogateescape")


def _line(entry: Entry) -> str:
    key, value = entry
    section, _, rest = key.partition(".")
    sub, _, name = rest.rpartition(".")
    head = f'[{section} "{_escaped(sub)}"]' if sub else f"[{section}]"
    if value is None:
        return f"{head}\n\t{name}\n"
    quoted = _escaped(value).replace("\n", "\\n").replace("\t", "\\t")
    return f'{head}\n\t{name} = "{quoted}"\n'


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
