"""The twin's config: the repository's own as it holds for the worktree, and nothing secret.

Of the user's own it has what decides how files and commits look: without it every line ending
would seem changed, and nobody could commit. What signs, asks for a password or leads elsewhere is
left out: keys and credentials are not to be had where the twin is used.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from manyhands.config import variable
from manyhands.errors import NotPossible
from manyhands.git.settings import Entry, load_settings
from manyhands.git.twin.mirror import remote_mirror

_LEFT_OUT = re.compile(
    r"include(if)?\..*|credential\..*|extensions\..*|gpg\..*|maintenance\..*|lfs\.storage"
    r"|core\.(worktree|bare|sshcommand|askpass|gitproxy|fsmonitor|splitindex|hookspath"
    r"|repositoryformatversion|excludesfile|attributesfile|alternaterefscommand)"
    r"|(commit|tag|push)\.gpgsign|user\.signingkey|remote\..*\.(uploadpack|receivepack|vcs)",
    re.DOTALL,
)
_SECRET = re.compile(
    r"pass(w|p|$)|token|secret|extraheader|cookie|credential|ssl(key|cert)|(api|private)_?key"
)
_OF_USER = re.compile(
    r"(user|author|committer)\.(name|email|useconfigonly)|init\.defaultbranch|filter\.lfs\..*"
    r"|core\.(autocrlf|eol|safecrlf|filemode|symlinks|ignorecase|precomposeunicode|quotepath"
    r"|longpaths|whitespace|commentchar|trustctime|checkstat)"
    r"|pull\.(rebase|ff)|merge\.(ff|conflictstyle)|rebase\.(autosquash|updaterefs)"
)
_EXTENSIONS = ("extensions.objectformat", "extensions.partialclone")
_USER_INFO = re.compile(r"\b((?:https?|ftps?)://)[^/@\s]*@", re.IGNORECASE)
_FILES = {"core.excludesfile": "ignore", "core.attributesfile": "attributes"}


@dataclass(frozen=True)
class TwinConfig:
    entries: list[Entry]
    hooks: Path | None
    """Where the config says that hooks are; None where it says nothing."""
    files: dict[str, Path]
    """What the user keeps out of all repositories, and has said of all files, by setting."""


def load_config(worktree: Path, mirror: Path | None) -> TwinConfig:
    found = load_settings(worktree)
    own = found.of_repository
    tables = [v for k, v in own if k == "extensions.refstorage" and (v or "files") != "files"]
    if tables:
        raise NotPossible(
            f"{worktree} keeps its refs in a {tables[-1]}, of which no private git directory "
            "can be made",
            hint="`git refs migrate --ref-format=files` in the repository, or no box",
        )
    everything = dict([*found.of_user, *own])
    entries = [entry for entry in found.of_user if _OF_USER.fullmatch(entry[0])]
    entries += [entry for entry in own if not _LEFT_OUT.fullmatch(entry[0])]
    entries = [_clean(entry) for entry in entries if not _SECRET.search(_name(entry))]
    entries += _format([entry for entry in own if entry[0] in _EXTENSIONS])
    if (worktree / ".gitmodules").is_file() and "submodule.active" not in everything:
        entries.append(("submodule.active", "."))
    entries = list(_with_mirrors(entries, mirror)) if mirror else entries
    hooks = everything.get("core.hookspath")
    return TwinConfig(entries, _path(hooks) if hooks else None, dict(_global_files(everything)))


def _name(entry: Entry) -> str:
    return entry[0].rpartition(".")[2]


def _clean(entry: Entry) -> Entry:
    """Addresses without who asks, or the password."""
    key, value = entry
    plain = _USER_INFO.sub(r"\1", key)
    return plain, None if value is None else _USER_INFO.sub(r"\1", value)


def _format(extensions: list[Entry]) -> Iterator[Entry]:
    yield "core.repositoryformatversion", "1" if extensions else "0"
    yield from extensions
    yield "core.bare", "false"
    yield "core.logallrefupdates", "true"
    # No key is there to sign with.
    yield "commit.gpgsign", "false"
    yield "tag.gpgsign", "false"


def _with_mirrors(entries: Iterable[Entry], mirror: Path) -> Iterator[Entry]:
    """Fetching asks the mirror, pushing still goes where it went.

    A rewriting holds for every address that begins so: the end is made unmistakable.
    """
    listed = list(entries)
    promised = {k.removesuffix(".promisor") for k, v in listed if k.endswith(".promisor")}
    pushed = {k.removesuffix(".pushurl") for k, _ in listed if k.endswith(".pushurl")}
    for key, value in listed:
        section = key.removesuffix(".url")
        is_url = key.startswith("remote.") and key.endswith(".url") and section not in promised
        place = remote_mirror(mirror, section.removeprefix("remote."))
        if not is_url or not value or not place.is_dir():
            yield key, value
            continue
        whole = value if value.endswith((".git", "/")) else f"{value}/"
        yield key, whole
        yield f"url.{place}.insteadof", whole
        if section not in pushed:
            yield f"url.{value}.pushinsteadof", whole


def _global_files(everything: dict[str, str | None]) -> Iterator[tuple[str, Path]]:
    home = variable("XDG_CONFIG_HOME")
    usual = (Path(home) if home else Path("~/.config").expanduser()) / "git"
    for key, name in _FILES.items():
        said = everything.get(key)
        yield key, _path(said) if said else usual / name


def _path(said: str) -> Path:
    try:
        return Path(said).expanduser()
    except RuntimeError:  # of a user whom nobody knows
        return Path(said)
