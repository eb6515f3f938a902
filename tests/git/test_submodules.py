"""Many submodules: with no network they are told of together, and a bad one hurts no other."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from manyhands.git.runner import Git
from manyhands.git.submodules import complete
from tests.git.conftest import Place
from tests.support.samples import commit_all, git, write

MANY = 93


def add_submodules(repo: Path, urls: dict[str, str], commit: str) -> None:
    lines = [f'[submodule "{p}"]\n\tpath = {p}\n\turl = {u}\n' for p, u in urls.items()]
    write(repo, {".gitmodules": "".join(lines)})
    for path in urls:
        git(repo, "update-index", "--add", "--cacheinfo", f"160000,{commit},{path}")
    git(repo, "add", ".gitmodules")
    git(repo, "commit", "-q", "-m", "Submodules")


@contextmanager
def dead_remote() -> Iterator[tuple[str, list[str]]]:
    """A host that takes connections and says nothing; each call is noted."""
    calls: list[str] = []

    class Hangup(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            calls.append(str(self.client_address))

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Hangup) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}", calls
        server.shutdown()


def test_without_a_network_many_submodules_are_told_of_together(place: Place) -> None:
    with dead_remote() as (url, calls):
        urls = {f"parts/{n:02}": f"{url}/{n}.git" for n in range(MANY)}
        add_submodules(place.worktree, urls, place.base)
        (note,) = complete(place.worktree, Git(place.worktree, hardened=False))
    assert len(calls) <= 4  # git itself tries a clone twice
    assert note.startswith(f"the {MANY} submodules parts/00, parts/01")
    assert "and 88 more could not be initialised: fatal: unable to access" in note
    assert "`git submodule update --init` tries again" in note


def test_one_that_cannot_be_had_keeps_no_other_from_coming(place: Place, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    git(source, "init", "-q")
    write(source, {"part.txt": "part\n"})
    commit = commit_all(source)
    urls = {f"parts/{n}": str(source) for n in range(6)}
    urls |= {"parts/0": str(tmp_path / "nowhere"), "parts/3": str(tmp_path / "nothing")}
    add_submodules(place.worktree, urls, commit)
    mine = Git(place.worktree, hardened=False).having({"protocol.file.allow": "always"})
    notes = complete(place.worktree, mine)
    there = {path for path in urls if (place.worktree / path / "part.txt").exists()}
    assert there == urls.keys() - {"parts/0", "parts/3"}
    assert [note.split(" could")[0] for note in notes] == [
        "the submodule parts/0",
        "the submodule parts/3",
    ]
