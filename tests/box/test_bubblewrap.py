"""What is there in a box of bubblewrap, by looking from inside."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from manyhands.box.making import Places, make_box, make_ready
from manyhands.box.probe import find_means
from manyhands.box.starting import start_boxed
from manyhands.config import Home
from manyhands.model.box import Box, BoxTerms, BoxWish
from manyhands.process.identity import descendants
from manyhands.process.stop import stop_child, wait_gone


class Inside:
    """A user's home, a hub's home in it, and the box of a session there."""

    def __init__(self, root: Path) -> None:
        self.user = root / "user"
        self.home = Home(self.user / "hub")
        self.own = self.home.sessions / "s1"
        self.worktree = self.home.worktrees / "repo" / "one"
        self.worktree.mkdir(parents=True)
        self.env = {"PATH": os.environ["PATH"], "HOME": str(self.user), "LANG": "C"}

    def box(self, wish: BoxWish = BoxWish(), places: Places = Places()) -> Box:
        terms = BoxTerms(wish, find_means())
        box = make_box(self.home, self.own, self.worktree, terms=terms, env=self.env, places=places)
        make_ready(box)
        return box

    async def run(self, script: str, box: Box | None = None) -> tuple[int, str]:
        env: Mapping[str, str] = self.env
        child = await start_boxed(
            box or self.box(), ["/bin/sh", "-c", f"exec 2>&1\n{script}"], cwd=self.worktree, env=env
        )
        said = b""
        while (chunk := await child.output.chunk()) is not None:
            said += chunk
        return await child.wait(), said.decode()


@pytest.fixture
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Inside:
    made = Inside(tmp_path)
    monkeypatch.setenv("HOME", str(made.user))
    return made


async def test_its_own_places_are_written_and_nothing_else(inside: Inside) -> None:
    places = ("a-file", "/tmp/a-file", "/var/tmp/b-file", "~/a-file")
    code, said = await inside.run(" && ".join(f"touch {place}" for place in places))
    assert (code, said) == (0, "")
    assert (inside.worktree / "a-file").exists()
    assert {p.name for p in (inside.own / "tmp").iterdir()} >= {"a-file", "b-file"}
    assert not (inside.user / "a-file").exists()
    for place in ("/a-file", "/usr/a-file", "/etc/a-file", "/run/a-file", "/var/a-file", "/sys/x"):
        code, said = await inside.run(f"touch {place}")
        assert code, place


async def test_keys_the_hub_and_other_worktrees_are_not_there(inside: Inside) -> None:
    other = inside.worktree.with_name("other")
    for place in (inside.user / ".ssh" / "id", inside.home.token, other / "file"):
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("secret")
        code, said = await inside.run(f"cat '{place}'")
        assert code
        assert "secret" not in said
        assert "No such file" in said


async def test_what_is_hidden_stays_so_below_what_a_person_lists(inside: Inside) -> None:
    (inside.user / ".ssh").mkdir()
    (inside.user / ".ssh" / "id").write_text("secret")
    inside.home.token.write_text("secret")
    (inside.user / "shown").write_text("this is there")
    box = inside.box(BoxWish(read=(str(inside.user),)))
    script = f"cat '{inside.user}/shown' ~/.ssh/id '{inside.home.token}'; touch here"
    _, said = await inside.run(script, box)
    assert "this is there" in said
    assert "secret" not in said
    assert (inside.worktree / "here").exists()


async def test_a_place_that_is_added_for_writing_is_written(inside: Inside) -> None:
    (inside.user / "store").mkdir()
    box = inside.box(BoxWish(read=("~/nothing",), write=("~/store",)))
    assert await inside.run("echo kept > ~/store/file", box) == (0, "")
    assert (inside.user / "store" / "file").read_text() == "kept\n"


async def test_of_an_agents_own_files_some_are_only_read(inside: Inside) -> None:
    config = inside.user / ".agent"
    config.mkdir()
    (config / "settings.json").write_text("{}")
    box = inside.box(places=Places(write=(str(config),), kept=(f"{config}/settings.json",)))
    code, said = await inside.run("touch ~/.agent/log && echo x > ~/.agent/settings.json", box)
    assert code
    assert "Read-only" in said
    assert (config / "log").exists()
    assert (config / "settings.json").read_text() == "{}"


async def test_a_cache_is_found_and_what_is_written_to_it_stays_in_the_box(inside: Inside) -> None:
    cache = inside.user / ".cache" / "pip"
    cache.mkdir(parents=True)
    (cache / "wheel").write_text("cached")
    box = inside.box()
    script = "cat ~/.cache/pip/wheel; echo worse > ~/.cache/pip/wheel; echo new > ~/.cache/pip/x"
    assert await inside.run(script, box) == (0, "cached")
    assert await inside.run("cat ~/.cache/pip/wheel ~/.cache/pip/x", box) == (0, "worse\nnew\n")
    assert [p.name for p in cache.iterdir()] == ["wheel"]
    assert (cache / "wheel").read_text() == "cached"


async def test_a_home_behind_a_link_is_there_by_both_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "linked").symlink_to("disk")
    inside = Inside(tmp_path / "linked")
    monkeypatch.setenv("HOME", str(inside.user))
    (inside.user / ".pyenv" / "bin").mkdir(parents=True)
    (inside.user / ".pyenv" / "bin" / "tool").write_text("#!/bin/sh\necho found\n")
    (inside.user / ".pyenv" / "bin" / "tool").chmod(0o755)
    inside.env["PATH"] = f"{inside.user}/.pyenv/bin:{inside.env['PATH']}"
    real = tmp_path / "disk" / "user" / ".pyenv" / "bin" / "tool"
    for _ in range(2):  # the second time, what the first has made is there
        code, said = await inside.run(
            f"tool && {real} && cd ~ && pwd -P && touch {inside.worktree}/x"
        )
        assert (code, said) == (0, f"found\nfound\n{tmp_path}/disk/user\n")
    assert (inside.worktree / "x").exists()


async def test_package_settings_come_along_without_their_keys(inside: Inside) -> None:
    (inside.user / ".npmrc").write_text("save-exact=true\n//r.example/:_authToken=secret\n")
    code, said = await inside.run("cat ~/.npmrc")
    assert (code, said) == (0, "save-exact=true\n")


@pytest.mark.parametrize("lead", ["/oldroot{target}", "{up}/oldroot{target}", "{target}"])
async def test_a_link_that_was_left_in_the_home_leads_nobody_astray(
    inside: Inside, lead: str
) -> None:
    target = inside.user / "target"
    target.mkdir()
    led = lead.format(target=target, up="/".join([".."] * 20))
    ways = (".config", ".cargo", ".local", ".tool")
    script = "; ".join(f"rm -rf ~/{way}; mv ~/{way} ~/x; ln -s {led} ~/{way}" for way in ways)
    await inside.run(script)
    # Things that are mounted from now on, behind what was left there.
    for place in (".cargo/bin", ".config/git/x", ".local/share/uv/y", ".tool/a/b"):
        (inside.user / place).mkdir(parents=True)
    box = inside.box(BoxWish(read=("~/.config/git/x", "~/.tool/a/b")))
    code, said = await inside.run("ls -d ~/.tool/a/b ~/.cargo/bin ~/.local/share/uv", box)
    assert code == 0, said
    assert list(target.iterdir()) == []


async def test_a_stop_lets_the_program_end_by_itself(inside: Inside) -> None:
    script = "trap 'echo flushed; exit 3' TERM; echo up; while :; do sleep 0.05; done"
    child = await start_boxed(
        inside.box(), ["/bin/sh", "-c", script], cwd=inside.worktree, env=inside.env
    )
    assert await child.output.line() == b"up\n"
    assert await stop_child(child) == 3
    assert await child.output.line() == b"flushed\n"


async def test_nothing_survives_what_the_box_was_made_for(inside: Inside) -> None:
    script = "setsid sh -c 'sleep 600 & sleep 600' & echo up; read line"
    child = await start_boxed(
        inside.box(), ["/bin/sh", "-c", script], cwd=inside.worktree, env=inside.env
    )
    assert await child.output.line() == b"up\n"
    below = descendants(child.identity)
    assert len(below) >= 3
    child.close_input()
    await child.wait()
    assert [one for one in below if not wait_gone(one, 10)] == []


async def test_a_killed_holder_takes_all_of_it_along(inside: Inside) -> None:
    child = await start_boxed(
        inside.box(), ["/bin/sh", "-c", "echo up; sleep 600"], cwd=inside.worktree, env=inside.env
    )
    assert await child.output.line() == b"up\n"
    below = descendants(child.identity)
    os.kill(child.pid, 9)
    await child.wait()
    assert [one for one in below if not wait_gone(one, 10)] == []


async def test_who_is_in_it_is_who_started_it_and_can_do_no_more(inside: Inside) -> None:
    code, said = await inside.run("id -u; grep CapEff /proc/self/status; unshare -Ur true")
    assert code
    assert said.splitlines()[:2] == [str(os.getuid()), "CapEff:\t0000000000000000"]
