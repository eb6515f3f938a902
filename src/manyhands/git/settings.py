"""A repository's config by whose it is, and settings written out for a git of our own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from manyhands.git.runner import Git

Entry = tuple[str, str | None]
"""A setting; without a value it is one that is merely named."""

ALONE = {
    "GIT_CONFIG_NOSYSTEM": "1",
    # Nobody is there to be asked for a password: whoever needs one fails at once.
    "GIT_ASKPASS": "true",
    "SSH_ASKPASS_REQUIRE": "never",
}
"""For git in the user's name that takes its settings from a file of ours."""


@dataclass(frozen=True)
class GitSettings:
    """A repository's whole config, in order, by whose it is."""

    of_user: list[Entry]
    """As they hold in this repository; the system's among them."""
    of_repository: list[Entry]


def load_settings(repo: Path) -> GitSettings:
    # Hardened it would be asked for twice; a listing runs nothing.
    listing = Git(repo, hardened=False).run("config", "--list", "-z", "--show-scope").stdout
    fields = listing.decode("utf-8", "surrogateescape").split("\0")
    found = GitSettings([], [])
    for scope, entry in zip(fields[0::2], fields[1::2], strict=False):
        key, is_valued, value = entry.partition("\n")
        kept = {"local": found.of_repository, "worktree": found.of_repository}
        kept |= {"system": found.of_user, "global": found.of_user}
        if scope in kept:
            kept[scope].append((key, value if is_valued else None))
    return found


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
