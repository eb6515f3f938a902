"""A real OpenSSH server of the tests' own: its keys, its port on the loopback, nobody's home."""

from __future__ import annotations

import getpass
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import find_sshd
import pytest

from tests.support.postgres import die_with_the_tests
from tests.support.reserved import ReservedPort

SECONDS = 60.0
READY = b"Server listening on"
APART = Path("/run/sshd")
"""Where a server that root starts keeps its children; the system makes it when it boots."""
SERVER = """\
ListenAddress 127.0.0.1:{port}
HostKey {place}/host
AuthorizedKeysFile {place}/user.pub
PidFile none
UsePAM no
StrictModes no
PasswordAuthentication no
PermitRootLogin yes
SetEnv HOME={place} GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
"""
CLIENT = """\
Host *
  IdentityFile {place}/user
  IdentitiesOnly yes
  IdentityAgent none
  BatchMode yes
  StrictHostKeyChecking yes
  UserKnownHostsFile {place}/known
  GlobalKnownHostsFile none
"""


class Sshd:
    """Whoever has `command` for its ssh gets in, and sees whatever this user sees."""

    def __init__(self, program: str) -> None:
        self._program = program
        self.place = Path(tempfile.mkdtemp(prefix="mh-ssh-", dir="/tmp"))
        self._port = ReservedPort()
        self._process: subprocess.Popen[bytes] | None = None
        self._drain: threading.Thread | None = None
        for name in ("host", "user"):
            words = ["-q", "-t", "ed25519", "-N", "", "-C", name, "-f", str(self.place / name)]
            subprocess.run(["ssh-keygen", *words], check=True, timeout=SECONDS)
        self._write("server", SERVER)
        self._write("client", CLIENT)
        host = (self.place / "host.pub").read_text()
        (self.place / "known").write_text(f"[127.0.0.1]:{self._port.number} {host}")

    def _write(self, name: str, form: str) -> None:
        text = form.format(place=self.place, port=self._port.number)
        (self.place / name).write_text(text)

    @property
    def command(self) -> str:
        """For `core.sshCommand` of a user's own config: ssh looks for its own files by the
        machine's list of users and not by HOME."""
        return f"ssh -F {self.place / 'client'}"

    def address(self, path: Path) -> str:
        return f"ssh://{getpass.getuser()}@127.0.0.1:{self._port.number}{path}"

    def start(self) -> None:
        if os.geteuid() == 0:
            APART.mkdir(mode=0o755, exist_ok=True)
        self._process = subprocess.Popen(
            [self._program, "-D", "-e", "-f", str(self.place / "server")],
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            preexec_fn=die_with_the_tests,  # noqa: PLW1509 - one system call
        )
        assert self._process.stderr is not None
        said = []
        for line in self._process.stderr:
            said.append(line)
            if READY in line:
                self._drain = threading.Thread(target=self._process.stderr.read, daemon=True)
                self._drain.start()
                return
        raise AssertionError(f"the server did not start: {b''.join(said).decode()}")

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(SECONDS)
            if self._drain is not None:
                self._drain.join(SECONDS)
            assert self._process.stderr is not None
            self._process.stderr.close()
        self._port.close()
        shutil.rmtree(self.place, ignore_errors=True)


@pytest.fixture(scope="session")
def sshd() -> Iterator[Sshd]:
    """A machine without a server fails the test and says so."""
    found = os.environ.get("MANYHANDS_SSHD") or find_sshd.SERVER.installed()
    if found is None:
        pytest.fail("no OpenSSH server is installed; `make test` brings one", pytrace=False)
    server = Sshd(found)
    try:
        server.start()
        yield server
    finally:
        server.close()
