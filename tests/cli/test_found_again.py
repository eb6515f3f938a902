"""A running hub is found and let in to, whatever became of the files that lead to it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from manyhands.config import Home
from tests.cli.conftest import console_in, serving
from tests.cli.processes import is_alive
from tests.support.console import Console
from tests.support.impostor import Impostor
from tests.support.reserved import ReservedPort

# One hub serves them all.
pytestmark = pytest.mark.xdist_group("found-again")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Console]:
    with console_in(tmp_path_factory.mktemp("shared")) as console, serving(console):
        yield console


def forget(path: Path) -> None:
    path.unlink()


def empty(path: Path) -> None:
    path.write_bytes(b"")


def falsify(path: Path) -> None:
    path.write_text("somebody-elses-token\n", encoding="utf-8")


def garble(path: Path) -> None:
    path.write_bytes(b"\xff\xfe{")


def shut(path: Path) -> None:
    path.unlink()
    path.mkdir()
    path.rmdir()
    path.symlink_to("/nowhere/at/all")


WRONGS = (forget, empty, falsify, garble, shut)


@pytest.mark.parametrize("name", ["token", "hub.json"])
@pytest.mark.parametrize("wrong", WRONGS, ids=lambda wrong: wrong.__name__)
def test_a_file_that_leads_to_the_hub_is_put_back(
    shared: Console, name: str, wrong: Callable[[Path], None]
) -> None:
    pid = shared.json("status")["pid"]
    for words in (["status"], ["up", "--no-open"]):
        wrong(shared.home / name)
        done = shared.run(*words, "--json")
        assert done.code == 0, done
        assert (shared.home / name).stat().st_mode & 0o777 == 0o600
    assert shared.json("status")["pid"] == pid


def test_a_hub_whose_files_are_gone_can_be_stopped(console: Console) -> None:
    with serving(console):
        pid = console.json("status")["pid"]
        run = Home(console.home).run
        run.chmod(0)
        console.ok("up", "--no-open")
        assert run.stat().st_mode & 0o777 == 0o700
        for name in ("token", "hub.json"):
            (console.home / name).unlink()
        assert console.json("down")["pid"] == pid
        assert not is_alive(pid)
        done = console.run("status", "--json")
        assert (done.code, done.error["hint"]) == (7, "start it: manyhands up")


def test_the_token_is_not_told_to_who_took_the_hubs_port(shared: Console) -> None:
    """While the hub's record still names a living process."""
    file = shared.home / "hub.json"
    hub = json.loads(file.read_text())
    with closing(ReservedPort()) as ours, Impostor.listening(ours.number) as impostor:
        about = {**hub, "port": ours.number, "url": f"http://127.0.0.1:{ours.number}"}
        file.write_text(json.dumps(about))
        for words in (["ls"], ["log", "nobody", "--follow"]):
            done = shared.run(*words, "--json")
            assert (done.code, done.error["code"]) == (7, "hub_down")
            assert "another program listens on its port" in done.error["message"]
    assert impostor.tokens == []
    file.write_text(json.dumps(hub))
