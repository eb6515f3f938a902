"""The profile for macOS, as text: read by a small parser, and by a person."""

from __future__ import annotations

import os
import re
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.box import seatbelt
from manyhands.model.box import Box, Network

BOX = Box(
    level="files",
    by="seatbelt",
    worktree="/u/hub/worktrees/otter",
    scratch="/u/hub/sessions/s1/tmp",
    home="/u/ann",
    private_home="/u/hub/sessions/s1/box/home",
    twin="/u/hub/sessions/s1/box/twin",
    link="/u/hub/sessions/s1/box/link",
    objects=("/u/ann/repo/.git/objects",),
    read=("/u/ann/.rustup", "/u/hub/sessions/s1/attachments"),
    write=("/u/ann/.claude",),
    kept=("/u/ann/.claude/deep/hooks",),
    hidden=("/u/hub",),
)
EXPECTED = """\
(version 1)
(deny default)
(allow process-exec process-fork)
(allow process-info* signal mach-priv-task-port (target same-sandbox))
(allow sysctl-read user-preference-read iokit-get-properties)
(allow ipc-posix-shm ipc-posix-sem)
(allow pseudo-tty)
(allow system-socket)
(allow file-read-metadata file-map-executable)
(allow file-read* (literal "/"))
(allow mach-lookup
  (global-name "com.apple.SecurityServer")
  (global-name "com.apple.bsd.dirhelper")
  (global-name "com.apple.coreservices.launchservicesd")
  (global-name "com.apple.distributed_notifications@Uv3")
  (global-name "com.apple.fonts")
  (global-name "com.apple.logd")
  (global-name "com.apple.lsd.mapdb")
  (global-name "com.apple.securityd.xpc")
  (global-name "com.apple.system.logger")
  (global-name "com.apple.system.notification_center")
  (global-name "com.apple.system.opendirectoryd.libinfo")
  (global-name "com.apple.system.opendirectoryd.membership")
  (global-name "com.apple.trustd.agent"))
(allow file-read*
  (subpath "/System")
  (subpath "/Library")
  (subpath "/Applications")
  (subpath "/usr")
  (subpath "/bin")
  (subpath "/sbin")
  (subpath "/opt")
  (subpath "/nix")
  (subpath "/dev")
  (subpath "/private/etc")
  (subpath "/private/var/db")
  (subpath "/private/var/select")
  (subpath "/u/ann/.rustup")
  (subpath "/u/hub/sessions/s1/attachments")
  (subpath "/u/ann/repo/.git/objects")
  (subpath "/u/hub/sessions/s1/box/bin"))
(allow file-read*
  (literal "/private/var/run/mDNSResponder")
  (literal "/private/var/run/resolv.conf"))
(deny file-read*
  (subpath "/u/hub")
  (subpath "/u/ann/.ssh")
  (subpath "/u/ann/.aws")
  (subpath "/u/ann/.gnupg")
  (subpath "/u/ann/.kube")
  (subpath "/u/ann/.docker")
  (subpath "/u/ann/.azure")
  (subpath "/u/ann/.config/gcloud")
  (subpath "/u/ann/.config/gh"))
(allow file-read*
  (subpath "/u/hub/sessions/s1/attachments")
  (subpath "/u/hub/sessions/s1/box/bin"))
(allow file-read* file-write*
  (subpath "/u/hub/worktrees/otter")
  (subpath "/u/hub/sessions/s1/tmp")
  (subpath "/u/hub/sessions/s1/box/home")
  (subpath "/u/hub/sessions/s1/box/twin")
  (subpath "/u/ann/.claude"))
(allow file-read* file-write-data file-ioctl
  (literal "/dev/null")
  (literal "/dev/zero")
  (literal "/dev/random")
  (literal "/dev/urandom")
  (literal "/dev/tty")
  (literal "/dev/ptmx")
  (regex #"^/dev/ttys[0-9]+$"))
(deny file-write*
  (subpath "/u/ann/.claude/deep/hooks")
  (subpath "/u/ann/repo/.git/objects")
  (subpath "/u/hub/worktrees/otter/.git"))
(deny file-write-unlink
  (literal "/u/ann/.claude")
  (literal "/u/ann/.claude/deep")
  (literal "/u/hub/worktrees/otter"))
(allow network*)
(deny network-outbound (remote unix-socket))
(allow network-outbound
  (remote unix-socket (subpath "/u/hub/worktrees/otter"))
  (remote unix-socket (subpath "/u/hub/sessions/s1/tmp"))
  (remote unix-socket (subpath "/u/hub/sessions/s1/box/home"))
  (remote unix-socket (subpath "/u/ann/.claude"))
  (remote unix-socket (path-literal "/private/var/run/mDNSResponder")))
(allow network-bind network-inbound
  (local unix-socket (subpath "/u/hub/worktrees/otter"))
  (local unix-socket (subpath "/u/hub/sessions/s1/tmp"))
  (local unix-socket (subpath "/u/hub/sessions/s1/box/home"))
  (local unix-socket (subpath "/u/ann/.claude")))
"""

Tree = str | list["Tree"]
WORD = re.compile(r'\s*(?:(;[^\n]*)|([()])|(#?"(?:[^"\\]|\\.)*")|([^\s()";]+))', re.DOTALL)
ESCAPE = re.compile(r"\\(x[0-9a-f]{2}|.)", re.DOTALL)


def parsed(text: str) -> list[Tree]:
    """Lists, words, and strings with their quotes; fails where anything is left over."""
    stack: list[list[Tree]] = [[]]
    place, end = 0, len(text.rstrip())
    while place < end:
        found = WORD.match(text, place)
        assert found, f"not to be read: {text[place : place + 40]!r}"
        place = found.end()
        _, bracket, string, word = found.groups()
        if bracket == "(":
            stack.append([])
        elif bracket == ")":
            closed = stack.pop()
            assert stack, "a bracket too many"
            stack[-1].append(closed)
        elif string or word:
            stack[-1].append(string or word)
    assert len(stack) == 1, "a bracket too few"
    return stack[0]


def meant(string: str) -> str:
    def one(found: re.Match[str]) -> str:
        code = found[1]
        return chr(int(code[1:], 16)) if len(code) == 3 else code

    return ESCAPE.sub(one, string[1:-1])


def rules(text: str, operation: str) -> list[tuple[str, list[str]]]:
    """Each rule about the operation: allow or deny, and its filters as text."""
    found = []
    for rule in parsed(text):
        assert isinstance(rule, list)
        words = [word for word in rule if isinstance(word, str)]
        if operation in words[1:]:
            filters = [" ".join(map(str, flat(part))) for part in rule if isinstance(part, list)]
            found.append((words[0], filters))
    return found


def flat(tree: Tree) -> list[str]:
    return [tree] if isinstance(tree, str) else [word for part in tree for word in flat(part)]


def with_network(network: Network, **ports: tuple[int, ...]) -> str:
    return seatbelt.profile(msgspec.structs.replace(BOX, network=network, **ports))


def test_the_whole_profile() -> None:
    assert seatbelt.profile(BOX) == EXPECTED


def test_a_command_is_run_by_it() -> None:
    command = seatbelt.confined(BOX, ["make", "-k"], cwd=Path(BOX.worktree))
    assert command == ["/usr/bin/sandbox-exec", "-p", EXPECTED, "make", "-k"]


def test_nothing_is_allowed_without_being_named() -> None:
    for box in (BOX, Box(level="files", by="seatbelt")):
        text = seatbelt.profile(box)
        assert parsed(text)[:2] == [["version", "1"], ["deny", "default"]]
        for operation in ("file-read*", "file-write*", "mach-lookup"):
            assert all(filters for _, filters in rules(text, operation))


def test_without_a_network_there_is_no_way_out() -> None:
    text = with_network("none")
    assert not rules(text, "network*")
    for operation in ("network-outbound", "network-bind", "network-inbound"):
        for _, filters in rules(text, operation):
            assert all("unix-socket" in each for each in filters)
    assert 'mDNSResponder"))' not in text.partition("network-outbound")[2]


def test_listed_hosts_are_reached_by_the_proxys_port_alone() -> None:
    text = with_network("listed", inward=(3128,), outward=(4100,))
    out = [each for _, filters in rules(text, "network-outbound") for each in filters]
    assert out[:2] == ['remote ip "localhost:3128"', 'remote ip "localhost:4100"']
    assert all("unix-socket" in each for each in out[2:])
    assert rules(text, "network-bind")[0] == ("allow", ['local ip "localhost:4100"'])


def test_what_is_hidden_is_denied_after_what_is_readable_and_before_what_is_own() -> None:
    order = [verdict for verdict, _ in rules(seatbelt.profile(BOX), "file-read*")]
    assert order == ["allow", "allow", "allow", "deny", "allow", "allow", "allow"]


def test_a_path_is_named_as_it_really_is(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    link.symlink_to(real)
    box = msgspec.structs.replace(BOX, worktree=str(link))
    text = seatbelt.profile(box)
    assert f'(subpath "{os.path.realpath(real)}")' in text
    assert str(link) not in text


@given(st.text())
def test_no_text_ends_its_string(text: str) -> None:
    [string] = parsed(seatbelt.quoted(text))
    assert isinstance(string, str)
    assert meant(string) == text


NAMES = st.text(st.characters(codec="utf-8", exclude_characters="/\0"), min_size=1).filter(
    lambda name: name not in (".", "..")
)


@given(NAMES)
@pytest.mark.parametrize("field", ["worktree", "scratch", "private_home", "twin"])
def test_no_path_changes_the_rules(field: str, name: str) -> None:
    """Whatever a directory is called, all but its own strings stay as they are."""
    plain = msgspec.structs.replace(BOX, **{field: "/u/plain/name"})
    odd = msgspec.structs.replace(BOX, **{field: f"/u/plain/{name}"})
    expected, found = flat(parsed(seatbelt.profile(plain))), flat(parsed(seatbelt.profile(odd)))
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert one == other or meant(one) == meant(other).replace(
            "/u/plain/name", f"/u/plain/{name}"
        )


@given(st.lists(NAMES, max_size=5))
def test_any_list_of_paths_is_well_formed(names: list[str]) -> None:
    paths = tuple(f"/u/{name}" for name in names)
    box = msgspec.structs.replace(BOX, read=paths, write=paths, kept=paths, hidden=paths)
    text = seatbelt.profile(box)
    denied = {meant(each.split(" ", 1)[1]) for _, f in rules(text, "file-write*")[1:] for each in f}
    assert denied >= {os.path.realpath(path) for path in paths}
