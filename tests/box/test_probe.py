"""The means that a machine has, tried for real; what cannot be made here is in tables."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from manyhands.box import hindrances, landlock, probe
from manyhands.box.hindrances import Hindrance, distribution, hindrance_of, judged
from manyhands.model.box import Means

ASK = """
import msgspec, os, sys
from manyhands.box.probe import try_means
sys.stdout.buffer.write(msgspec.json.encode(try_means(os.environ["PATH"])))
"""


def ask(*before: str, path: str | None = None) -> Means:
    """What is found in a process of its own, in the surroundings that `before` makes."""
    env = {**os.environ, "PATH": path or os.environ["PATH"]}
    command = [*before, sys.executable, "-c", ASK]
    done = subprocess.run(command, env=env, capture_output=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return Means(**json.loads(done.stdout))


def in_namespaces(*commands: str) -> Sequence[str]:
    """As root of a user namespace, after these commands."""
    script = " && ".join((*commands, 'exec "$@"'))
    return ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, "sh"]


def is_one_sentence(text: str) -> bool:
    without_code = re.sub("`[^`]*`", "", text)
    return bool(text) and "\n" not in text and ". " not in without_code and text[-1] != "."


def test_with_bubblewrap_there_is_a_full_box() -> None:
    means = ask()
    assert (means.level, means.by) == ("full", "bubblewrap")
    assert Path(means.program).is_absolute()
    assert (means.reason, means.fix) == ("", "")


def test_without_bubblewrap_there_is_landlock(tmp_path: Path) -> None:
    means = ask(path=str(tmp_path))
    assert (means.level, means.by) == ("files", "landlock")
    assert means.reason.startswith("bubblewrap is not installed")
    assert all(what in means.reason for what in landlock.STAYS_OPEN)
    assert means.fix.startswith("install bubblewrap")
    assert is_one_sentence(means.reason)


def test_where_user_namespaces_are_used_up_there_is_landlock() -> None:
    means = ask(*in_namespaces("echo 0 > /proc/sys/user/max_user_namespaces"))
    assert (means.level, means.by) == ("files", "landlock")
    assert means.reason.startswith(hindrances.REASONS["count"])
    assert "user.max_user_namespaces" in means.fix


def test_in_a_box_that_allows_no_further_one_there_is_landlock() -> None:
    box = ["bwrap", "--unshare-user", "--disable-userns", "--bind", "/", "/", "--dev", "/dev"]
    means = ask(*box, "--proc", "/proc", "--")
    assert (means.level, means.by) == ("files", "landlock")


def test_where_no_proc_can_be_mounted_that_is_said() -> None:
    means = ask(*in_namespaces("mount -t tmpfs none /proc/irq"))
    assert (means.level, means.by) == ("files", "landlock")
    assert means.reason.startswith(hindrances.REASONS["proc"])
    assert "systempaths=unconfined" in means.fix


def test_where_nothing_can_be_mounted_that_is_said() -> None:
    means = ask(sys.executable, "-IS", landlock.__file__, "--write", "/", "--")
    assert (means.level, means.by) == ("files", "landlock")
    assert means.reason.startswith(hindrances.REASONS["forbidden"])


def test_a_bubblewrap_that_hangs_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bwrap"
    program.write_text("#!/bin/sh\nexec /bin/sleep 1000\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setattr(probe, "LONGEST", 0.2)
    assert probe._try_bubblewrap(str(program)) == "late"


def test_it_is_tried_once_and_again_when_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bwrap"
    monkeypatch.setenv("PATH", str(tmp_path))
    assert probe.find_means(fresh=True).by == "landlock"
    program.write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")
    program.chmod(0o755)
    assert probe.find_means().by == "landlock"
    assert probe.find_means(fresh=True).by == "bubblewrap"
    assert probe.find_means().by == "bubblewrap"


NO_PERMISSIONS = "bwrap: No permissions to create new namespace, likely because the kernel does not"


@pytest.mark.parametrize(
    ("said", "sysctls", "expected"),
    [
        ("bwrap: Unknown option --disable-userns", {}, "old"),
        (NO_PERMISSIONS, {hindrances.CLONE: "0"}, "clone"),
        (NO_PERMISSIONS, {hindrances.COUNT: "0"}, "count"),
        (NO_PERMISSIONS, {hindrances.CLONE: "1"}, "forbidden"),
        ("bwrap: setting up uid map: Permission denied", {hindrances.APPARMOR: "1"}, "apparmor"),
        (
            "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted",
            {hindrances.APPARMOR: "1"},
            "apparmor",
        ),
        ("bwrap: Creating new namespace failed: … exceeded (ENOSPC)", {}, "count"),
        ("bwrap: Can't mount proc on /newroot/proc: Operation not permitted", {}, "proc"),
        ("bwrap: Can't find source path /x: No such file or directory", {}, ""),
        ("", {}, ""),
    ],
)
def test_what_bubblewrap_says_has_a_name(
    said: str, sysctls: dict[str, str], expected: Hindrance
) -> None:
    assert hindrance_of(said, sysctls) == expected


@pytest.mark.parametrize("version", [0, 1, 2, 7])
@pytest.mark.parametrize("hindrance", hindrances.REASONS)
def test_every_hindrance_is_told_in_a_sentence_with_a_way_out(
    hindrance: Hindrance, version: int
) -> None:
    means = judged(hindrance, version, program="/usr/bin/bwrap", system=("debian",))
    assert is_one_sentence(means.reason)
    assert is_one_sentence(means.fix)
    assert means.level == ("files" if version >= landlock.LEAST else "none")


@pytest.mark.parametrize(
    ("system", "command"),
    [
        ("ID=debian", "apt"),
        ("ID=linuxmint\nID_LIKE=ubuntu", "apt"),
        ('ID="rocky"\nID_LIKE="rhel centos fedora"', "dnf"),
        ("ID=manjaro\nID_LIKE=arch", "pacman"),
        ('ID="opensuse-tumbleweed"\nID_LIKE="opensuse suse"', "zypper"),
        ("NAME=Alpine\nID=alpine", "apk"),
        ("ID=other", ""),
    ],
)
def test_what_to_install_is_said_in_the_words_of_the_distribution(
    system: str, command: str
) -> None:
    fix = hindrances.fix_of("missing", "", distribution(system))
    assert fix == "install bubblewrap" if not command else f" {command} " in fix


def test_the_profile_of_apparmor_is_given_with_its_place() -> None:
    fix = hindrances.fix_of("apparmor", "/usr/bin/bwrap", ())
    command = fix.partition("`")[2].rstrip("`").partition(" | ")[0]
    profile = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
    assert "profile bwrap /usr/bin/bwrap flags=(unconfined) {\n  userns,\n}" in profile.stdout
    assert hindrances.APPARMOR_FILE in fix
