"""Landlock, really: the box is for use, what is outside stays, and what is open is known."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from manyhands.box import landlock, outline
from manyhands.box.toolchains import SYSTEM
from tests.box.boxes import ENVIRONMENT, PYTHON, Furnished, furnish

DENIED = {"PermissionError", "OSError"}
TRYING = """
import os, socket, sys
from pathlib import Path
try:
    {deed}
except OSError as error:
    sys.exit(type(error).__name__)
"""


@pytest.fixture
def furnished(tmp_path: Path) -> Furnished:
    return furnish(tmp_path)


def attempt(furnished: Furnished, deed: str, *arguments: str | Path) -> str:
    """The name of the error that the deed meets in the box; empty where it is done."""
    done = furnished.python(TRYING.format(deed=deed), *arguments)
    assert done.returncode in (0, 1), done.stderr
    return done.stderr.strip()


INSIDE = {
    "read": "open(p)",
    "list": "os.listdir(Path(p).parent)",
    "write": "open(p, 'w').write('x')",
    "append": "open(p, 'a').write('x')",
    "truncate": "os.truncate(p, 1)",
    "make": "open(p + '.new', 'w')",
    "make a directory": "os.mkdir(p + '.new')",
    "make a link": "os.symlink('/', p + '.new')",
    "make a socket": "socket.socket(socket.AF_UNIX).bind(p + '.s')",
    "make a pipe": "os.mkfifo(p + '.new')",
    "rename": "os.rename(p, p + '.new')",
    "remove": "os.remove(p)",
}


@pytest.mark.parametrize("deed", INSIDE.values(), ids=INSIDE)
def test_in_the_worktree_everything_can_be_done(furnished: Furnished, deed: str) -> None:
    file = Path(furnished.box.worktree, "file")
    assert attempt(furnished, f"p = sys.argv[1]; {deed}", file) == ""


@pytest.mark.parametrize("deed", INSIDE.values(), ids=INSIDE)
def test_outside_nothing_can_be_done(furnished: Furnished, deed: str) -> None:
    file = furnished.outside / "kept"
    assert attempt(furnished, f"p = sys.argv[1]; {deed}", file) == "PermissionError"
    assert file.read_text() == "kept"
    assert list(furnished.outside.iterdir()) == [file]


def test_scratch_twin_home_and_what_is_listed_are_writable(furnished: Furnished) -> None:
    box = furnished.box
    for place in (box.scratch, box.twin, box.private_home, *box.write, "/dev/shm"):
        made = Path(place, f"made-{os.getpid()}")
        assert attempt(furnished, "open(sys.argv[1], 'w').write('x')", made) == ""
        assert made.read_text() == "x"
        made.unlink()
    assert attempt(furnished, "open('/dev/null', 'w').write('x')") == ""


def test_a_toolchain_is_run_and_not_changed(furnished: Furnished) -> None:
    toolchain = furnished.box.read[0]
    assert furnished.run([f"{toolchain}/hello"]).stdout == "hello\n"
    assert attempt(furnished, "open(sys.argv[1], 'a')", f"{toolchain}/hello") == "PermissionError"


def test_a_program_outside_is_not_run(furnished: Furnished) -> None:
    program = furnished.outside / "program"
    program.write_bytes(b"#!/bin/sh\necho ran\n")
    program.chmod(0o755)
    done = furnished.run([str(program)])
    assert (done.returncode, done.stdout) == (landlock.FAILED, "")
    assert "cannot run" in done.stderr


@pytest.mark.parametrize("place", ["home/.ssh/id", "home/.ssh", "home", "worktrees", "hub/s1"])
def test_the_home_and_other_worktrees_are_not_there_to_read(
    furnished: Furnished, tmp_path: Path, place: str
) -> None:
    deed = "p = sys.argv[1]; os.listdir(p) if Path(p).is_dir() else open(p)"
    assert attempt(furnished, deed, tmp_path / place) == "PermissionError"


def test_a_link_out_of_the_worktree_leads_nowhere(furnished: Furnished) -> None:
    link = Path(furnished.box.worktree, "out")
    link.symlink_to(furnished.home / ".ssh" / "id")
    assert attempt(furnished, "open(sys.argv[1])", link) == "PermissionError"


def test_nothing_is_carried_over_the_border(furnished: Furnished) -> None:
    inside, outside = Path(furnished.box.worktree, "file"), furnished.outside / "kept"
    for one, other in ((inside, furnished.outside / "new"), (outside, inside.parent / "new")):
        for deed in ("os.rename", "os.link"):
            met = attempt(furnished, f"{deed}(sys.argv[1], sys.argv[2])", one, other)
            assert met in DENIED
    assert outside.read_text() == "kept"


def test_files_move_between_directories_of_the_box(furnished: Furnished) -> None:
    inside = Path(furnished.box.worktree, "file")
    assert (
        attempt(
            furnished,
            "os.rename(sys.argv[1], sys.argv[2])",
            inside,
            furnished.box.scratch + "/file",
        )
        == ""
    )


@pytest.fixture
def neighbour() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["sleep", "1000"]) as process:
        yield process
        process.kill()


def test_others_get_no_signal(furnished: Furnished, neighbour: subprocess.Popen[bytes]) -> None:
    assert (
        attempt(furnished, "os.kill(int(sys.argv[1]), 15)", str(neighbour.pid)) == "PermissionError"
    )
    assert neighbour.poll() is None


@pytest.mark.parametrize("file", ["environ", "mem", "maps", "cwd", "fd/0", "exe"])
def test_others_are_not_looked_into(
    furnished: Furnished, neighbour: subprocess.Popen[bytes], file: str
) -> None:
    path = f"/proc/{neighbour.pid}/{file}"
    deed = "p = sys.argv[1]; os.listdir(p) if Path(p).is_dir() else open(p)"
    assert attempt(furnished, deed, path) == "PermissionError"


def test_no_device_is_made(furnished: Furnished) -> None:
    deed = "os.mknod('disk', 0o60600, os.makedev(8, 0))"
    assert attempt(furnished, deed) == "PermissionError"


def test_root_keeps_no_power_over_the_machine(furnished: Furnished) -> None:
    status = furnished.run(["cat", "/proc/self/status"]).stdout
    held = int(status.partition("CapEff:")[2].split()[0], 16)
    assert not held & ~sum(1 << number for number in landlock.KEPT_OF_ROOT)


def test_its_own_children_get_signals(furnished: Furnished) -> None:
    done = furnished.run(["sh", "-c", "sleep 1000 & kill $!; wait $!; echo $?"])
    assert done.stdout == "143\n"


def test_an_abstract_socket_outside_is_not_reached(furnished: Furnished) -> None:
    name = f"\0manyhands-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(name)
        server.listen()
        deed = "socket.socket(socket.AF_UNIX).connect('\\0' + sys.argv[1])"
        assert attempt(furnished, deed, name[1:]) == "PermissionError"


CONNECT = "socket.create_connection(('127.0.0.1', int(sys.argv[1]))).close()"


def test_without_a_network_only_what_is_carried_in_is_reached(furnished: Furnished) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        for network, inward, met in (
            ("open", (), ""),
            ("none", (), "PermissionError"),
            ("listed", (), "PermissionError"),
            ("none", (port,), ""),
        ):
            box = msgspec.structs.replace(furnished.box, network=network, inward=inward)
            assert (
                attempt(Furnished(box, furnished.outside, furnished.home), CONNECT, str(port))
                == met
            )


def test_without_a_network_only_its_own_ports_are_listened_on(furnished: Furnished) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    listen = "socket.create_server(('127.0.0.1', int(sys.argv[1]))).close()"
    for outward, met in (((port,), ""), ((), "PermissionError")):
        box = msgspec.structs.replace(furnished.box, network="none", outward=outward)
        assert attempt(Furnished(box, furnished.outside, furnished.home), listen, str(port)) == met


def test_privileges_are_given_up(furnished: Furnished) -> None:
    assert "NoNewPrivs:\t1" in furnished.run(["cat", "/proc/self/status"]).stdout


@pytest.mark.parametrize(("script", "code"), [("exit 7", 7), ("kill -TERM $$", -signal.SIGTERM)])
def test_exit_codes_and_signals_are_the_programs_own(
    furnished: Furnished, script: str, code: int
) -> None:
    assert furnished.run(["sh", "-c", script]).returncode == code


def test_the_program_is_the_process_that_was_started(furnished: Furnished) -> None:
    command = landlock.confined(furnished.box, ["sh", "-c", "echo $$"], cwd=furnished.outside)
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=ENVIRONMENT) as child:
        assert child.stdout is not None
        assert int(child.stdout.read()) == child.pid


def test_what_cannot_be_confined_is_not_run(tmp_path: Path) -> None:
    # The kernel takes sixteen of them one in the other, and no more.
    nested = ["sh", "-c", "echo ran"]
    for _ in range(17):
        nested = [sys.executable, "-IS", landlock.__file__, "--write", "/", "--", *nested]
    done = subprocess.run(nested, capture_output=True, text=True, check=False, env=ENVIRONMENT)
    assert (done.returncode, done.stdout) == (landlock.FAILED, "")
    assert "nothing was run" in done.stderr


# What stays open is said, and true.


def test_a_socket_by_its_path_stays_open(furnished: Furnished) -> None:
    assert "Unix sockets that are known by their path" in landlock.STAYS_OPEN
    path = furnished.outside / "s"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()
        assert attempt(furnished, "socket.socket(socket.AF_UNIX).connect(sys.argv[1])", path) == ""


def test_udp_stays_open_without_a_network(furnished: Furnished) -> None:
    assert "UDP and what else is not TCP" in landlock.STAYS_OPEN
    box = msgspec.structs.replace(furnished.box, network="none")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        deed = "socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', int(sys.argv[1])))"
        port = str(server.getsockname()[1])
        assert attempt(Furnished(box, furnished.outside, furnished.home), deed, port) == ""
        assert server.recv(1) == b"x"


def test_permissions_and_times_stay_open(furnished: Furnished) -> None:
    assert any("permissions" in what for what in landlock.STAYS_OPEN)
    file = furnished.outside / "kept"
    assert (
        attempt(furnished, "os.chmod(sys.argv[1], 0o600); os.utime(sys.argv[1], (1, 1))", file)
        == ""
    )
    assert (file.stat().st_mode & 0o777, file.stat().st_mtime) == (0o600, 1)


def test_names_and_sizes_stay_open(furnished: Furnished) -> None:
    assert any("sizes" in what for what in landlock.STAYS_OPEN)
    done = furnished.python(
        "import os, sys; print(os.stat(sys.argv[1]).st_size)", furnished.home / ".ssh" / "id"
    )
    assert done.stdout == "6\n"


def test_shared_memory_stays_open(furnished: Furnished) -> None:
    assert any("/dev/shm" in what for what in landlock.STAYS_OPEN)
    shared = Path(f"/dev/shm/manyhands-{os.getpid()}")
    shared.write_bytes(b"x")
    try:
        assert attempt(furnished, "open(sys.argv[1], 'w')", shared) == ""
    finally:
        shared.unlink()


def test_what_is_kept_inside_of_what_is_written_stays_open(furnished: Furnished) -> None:
    assert any("read-only inside" in what for what in landlock.STAYS_OPEN)
    kept = furnished.home / ".agent" / "hooks"
    kept.touch()
    box = msgspec.structs.replace(furnished.box, kept=(str(kept),))
    changed = Furnished(box, furnished.outside, furnished.home)
    assert attempt(changed, "open(sys.argv[1], 'w')", kept) == ""


def test_an_older_kernel_leaves_more_open() -> None:
    assert landlock.stays_open(7) == landlock.STAYS_OPEN
    assert len(landlock.stays_open(2)) == len(landlock.STAYS_OPEN) + 4
    assert "TCP" in landlock.stays_open(3)
    assert "TCP" not in landlock.stays_open(4)


# The private home


def test_the_home_leads_back_to_what_is_shared(furnished: Furnished) -> None:
    outline.link_home(furnished.box)
    outline.link_home(furnished.box)
    assert furnished.run(["sh", "-c", "$HOME/.tool/hello"]).stdout == "hello\n"
    assert (
        furnished.run(["sh", "-c", "echo x > $HOME/.agent/settings; echo y > $HOME/.other"]).stderr
        == ""
    )
    assert (furnished.home / ".agent" / "settings").read_text() == "x\n"
    assert not (furnished.home / ".other").exists()
    assert furnished.run(["sh", "-c", "cat $HOME/.ssh/id"]).returncode == 1


def test_git_reads_the_users_settings_with_all_that_they_include(furnished: Furnished) -> None:
    home = furnished.home
    settings = "[include]\n\tpath = ~/.gitconfig-work\n[include]\n path = {home}/more\n"
    (home / ".gitconfig").write_text(settings.format(home=home), encoding="utf-8")
    (home / ".gitconfig-work").write_text("[user]\n name = At Work\n", encoding="utf-8")
    (home / "more").write_text("[user]\n email = more@example.invalid\n", encoding="utf-8")
    box = msgspec.structs.replace(furnished.box, read=(f"{home}/.gitconfig",))
    outline.link_home(box)
    done = Furnished(box, furnished.outside, home).run(["git", "var", "GIT_AUTHOR_IDENT"])
    assert done.stdout.startswith("At Work <more@example.invalid>"), done.stderr


def test_the_environment_leads_into_the_box(furnished: Furnished) -> None:
    box = furnished.box
    given = {
        "HOME": box.home,
        "XDG_CONFIG_HOME": f"{box.home}/settings",
        "XDG_DATA_HOME": "/elsewhere",
        "DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/bus",
        "MAVEN_OPTS": "-Xmx1g",
        "LANG": "C",
    }
    env = outline.environment(box, given)
    assert env["HOME"] == box.private_home
    assert env["TMPDIR"] == env["CLAUDE_CODE_TMPDIR"] == box.scratch
    assert env["XDG_CONFIG_HOME"] == f"{box.private_home}/settings"
    assert env["XDG_DATA_HOME"] == "/elsewhere"
    assert "XDG_CACHE_HOME" not in env
    assert env["DBUS_SESSION_BUS_ADDRESS"] == "disabled:"
    assert "DISPLAY" not in env
    assert env["MAVEN_OPTS"] == f"-Xmx1g -Duser.home={box.private_home}"
    assert env["LANG"] == "C"
    assert outline.environment(box, env) == env


def test_links_take_the_place_of_what_another_box_left_and_go_again(furnished: Furnished) -> None:
    private = Path(furnished.box.private_home)
    (private / ".tool").mkdir()
    (private / ".agent").mkdir()
    (private / ".agent" / "own").touch()
    outline.link_home(furnished.box)
    assert (private / ".tool").is_symlink()
    assert (private / ".agent" / "own").exists()
    assert not (private / ".agent").is_symlink()
    outline.unlink_home(furnished.box)
    assert sorted(path.name for path in private.iterdir()) == [".agent"]


def test_a_link_of_the_agents_does_not_lead_us_out(furnished: Furnished) -> None:
    deep = furnished.home / ".config" / "tool"
    deep.mkdir(parents=True)
    box = msgspec.structs.replace(furnished.box, read=(str(deep),))
    Path(box.private_home, ".config").symlink_to(furnished.outside)
    (furnished.outside / "tool").mkdir()
    outline.link_home(box)
    outline.unlink_home(box)
    assert (furnished.outside / "tool").is_dir()
    assert not (furnished.outside / "tool").is_symlink()


def test_what_is_hidden_below_what_may_be_read_is_left_out(furnished: Furnished) -> None:
    (furnished.home / "plain").write_text("plain", encoding="utf-8")
    (furnished.home / "link").symlink_to(furnished.home / ".ssh")
    box = msgspec.structs.replace(furnished.box, read=(furnished.box.home, *PYTHON))
    whole = Furnished(box, furnished.outside, furnished.home)
    assert attempt(whole, "open(sys.argv[1])", furnished.home / "plain") == ""
    assert attempt(whole, "open(sys.argv[1])", furnished.home / ".ssh" / "id") == "PermissionError"
    assert attempt(whole, "open('/etc/shadow')") == "PermissionError"


def test_a_home_below_what_all_may_read_is_left_out(
    furnished: Furnished, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("manyhands.box.outline.SYSTEM", (*SYSTEM, str(tmp_path)))
    assert attempt(furnished, "open(sys.argv[1])", furnished.outside / "kept") == ""
    assert attempt(furnished, "os.listdir(sys.argv[1])", furnished.home) == "PermissionError"


def test_it_holds_for_an_ordinary_user(tmp_path_factory: pytest.TempPathFactory) -> None:
    # Neither the test's Python nor its directories need be readable to that user.
    become = ["setpriv", "--reuid", "1000", "--regid", "1000", "--clear-groups"]
    prefix = become if os.getuid() == 0 else []
    script = Path(landlock.__file__).read_text("utf-8")
    deed = "cat /etc/passwd > /dev/null && touch $0.$$ && rm $0.$$ && ! touch /var/tmp/x.$$"
    words = [
        *("--read", "/usr", "--read", "/etc", "--read", "/bin", "--read", "/lib"),
        "--read",
        "/lib64",
    ]
    words += ["--write", "/dev/shm", "--write", "/dev/null", "--", "sh", "-c", deed, "/dev/shm/mh"]
    done = subprocess.run(
        [*prefix, system_python(), "-IS", "-", *words],
        input=script,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Permission denied" in done.stderr


def system_python() -> str:
    """One that every user may run."""
    return sys.executable if os.getuid() else shutil.which("python3", path="/usr/bin") or "missing"
