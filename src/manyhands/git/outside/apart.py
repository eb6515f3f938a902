"""Git in the user's name: in a directory of ours, over a repository's objects.

Whoever works in a repository can write its config, which names programs, proxies and other
addresses. So git that holds the user's credentials or keys runs here instead. It has the user's own
settings, those that hold for this repository (`includeIf`) among them, and none of the
repository's; remotes are where they are said to be, and no hook runs.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from manyhands.git import refs
from manyhands.git.runner import Git
from manyhands.git.settings import ALONE, Entry, load_settings, write_settings

_DATA = re.compile(
    r"extensions\.(objectformat|partialclone)|remote\..+\.(promisor|partialclonefilter)"
)
"""What is needed of the repository's config to read its objects; none of it names a program."""
_PASSED_BY = re.compile(r"include(if)?\.|core\.bare$|remote\..+\.(push)?url$")
"""Included files are there line by line, and where remotes lead is not a setting's to say."""
_REFS = ("refs/heads", "refs/remotes", "refs/tags")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*::?|[^/]*:")


@contextlib.contextmanager
def apart(
    repo: Path, remotes: Mapping[str, tuple[str, ...]] | None = None, *, branch: str = ""
) -> Iterator[Git]:
    """`remotes` by name, each with its addresses; of `branch` what it was before is known too."""
    common = refs.common_dir(repo)
    with tempfile.TemporaryDirectory(prefix="manyhands-") as made:
        place = Path(made)
        named = {
            name: [_whole(repo, url) for url in urls] for name, urls in (remotes or {}).items()
        }
        _lay_out(place, [*_settings_apart(repo), *_remote_settings(named)])
        _bring_refs(place, repo, branch, named)
        yield Git(place, hardened=False).having(
            None,
            GIT_DIR=place,
            GIT_OBJECT_DIRECTORY=common / "objects",
            # What holds of them stands in the directory's own config.
            GIT_CONFIG_GLOBAL=os.devnull,
            GIT_LITERAL_PATHSPECS="0",
            **ALONE,
        )


def _settings_apart(repo: Path) -> Iterator[Entry]:
    """The user's own, and what the repository says of how its objects are kept."""
    found = load_settings(repo)
    yield from (entry for entry in found.of_user if not _PASSED_BY.match(entry[0]))
    data = [entry for entry in found.of_repository if _DATA.fullmatch(entry[0])]
    yield from data
    is_extended = any(key.startswith("extensions.") for key, _ in data)
    yield "core.repositoryformatversion", "1" if is_extended else "0"
    yield "core.bare", "true"


def _remote_settings(remotes: Mapping[str, list[str]]) -> Iterator[Entry]:
    for name, urls in remotes.items():
        yield f"remote.{name}.url", urls[0]
        yield f"remote.{name}.fetch", f"+refs/heads/*:refs/remotes/{name}/*"
        for url in urls:
            yield f"remote.{name}.pushurl", url
            # They are resolved already: of all rewritings the longest match wins.
            yield f"url.{url}.insteadof", url


def _whole(repo: Path, url: str) -> str:
    """A path may be relative to the checkout."""
    return url if _URL.match(url) or url.startswith("~") else str(repo / url)


def _lay_out(place: Path, settings: Iterable[Entry]) -> None:
    for directory in ("objects", "refs"):
        (place / directory).mkdir()
    (place / "HEAD").write_text("ref: refs/heads/none\n")
    write_settings(place / "config", settings)


def _bring_refs(place: Path, repo: Path, branch: str, remotes: Iterable[str]) -> None:
    """What there is already need not be sent or fetched, and is checked against."""
    common = refs.common_dir(repo)
    form = "--format=%(objectname) %(refname)"
    listed = Git(repo).run("for-each-ref", form, *_REFS).stdout
    (place / "packed-refs").write_bytes(listed)
    with contextlib.suppress(FileNotFoundError):
        shutil.copyfile(common / "shallow", place / "shallow")
    for name in (branch, *(f"{remote}/{branch}" for remote in remotes)) if branch else ():
        kind = "heads" if name == branch else "remotes"
        log = Path("logs", "refs", kind, name)
        (place / log).parent.mkdir(parents=True, exist_ok=True)
        # Without one git takes it that nothing was ever there.
        (place / log).touch()
        with contextlib.suppress(FileNotFoundError):
            shutil.copyfile(common / log, place / log)
