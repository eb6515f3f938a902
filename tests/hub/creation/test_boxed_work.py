"""Everyday work in a box: an install from a registry, and a server that is reached from outside."""

from __future__ import annotations

import http.client
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.support.driver import RunningHub, bash, eventually, script, write

WHEEL = "greeting-1.0-py3-none-any.whl"
METADATA = "Metadata-Version: 2.1\nName: greeting\nVersion: 1.0\n"
KIND = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningHub]:
    with RunningHub(tmp_path_factory.mktemp("boxed"), box="full", linger=1.0) as running:
        running.start_model()
        yield running


@contextmanager
def registry(root: Path) -> Iterator[int]:
    """What pip asks of one, on the loopback."""
    place = root / "simple" / "greeting"
    place.mkdir(parents=True)
    with zipfile.ZipFile(place / WHEEL, "w") as wheel:
        wheel.writestr("greeting.py", "WORD = 'hello'\n")
        wheel.writestr("greeting-1.0.dist-info/METADATA", METADATA)
        wheel.writestr("greeting-1.0.dist-info/WHEEL", KIND)
        wheel.writestr("greeting-1.0.dist-info/RECORD", "")
    (place / "index.html").write_text(f'<a href="{WHEEL}">{WHEEL}</a>')
    handler = partial(SimpleHTTPRequestHandler, directory=str(root))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


def test_what_a_registry_offers_is_installed_in_the_box(hub: RunningHub, tmp_path: Path) -> None:
    hub.change_repo()
    with registry(tmp_path) as port:
        install = (
            f"v/bin/pip install --no-input --index-url http://127.0.0.1:{port}/simple greeting"
        )
        commands = ["python3 -m venv v", install, "v/bin/python -c 'import greeting' && touch ok"]
        lines = ", ".join(f'"{command}"' for command in commands)
        (hub.repo / ".manyhands.toml").write_text(f"[setup]\nrun = [{lines}]\n")
        (hub.repo / ".gitignore").write_text("v/\nok\n")
        hub.git("add", "-A", cwd=hub.repo)
        hub.git("commit", "-qm", "Config", cwd=hub.repo)
        hub.post("/api/repos/trust", {"path": str(hub.repo)})
        session = hub.new(script(bash("v/bin/python -m greeting && echo there > seen")))
        [done] = hub.wait_idle(session["id"])
    assert (Path(done["worktree"]) / "ok").exists()
    assert (Path(done["worktree"]) / "seen").read_text() == "there\n"


@pytest.mark.parametrize("network", ["open", "listed"])
def test_a_server_in_the_box_is_reached_from_outside(hub: RunningHub, network: str) -> None:
    hub.change_repo()
    serve = "nohup python3 -m http.server $PORT --bind 127.0.0.1 >/dev/null 2>&1 &\n"
    steps = [write("page.txt", "it runs\n"), write("serve.sh", serve), bash("sh serve.sh")]
    session = hub.new(script(*steps, {"text": "done"}), network=network)
    [done] = hub.wait_idle(session["id"])
    port = done["ports"]["web"]
    assert eventually(lambda: fetched(port)) == b"it runs\n"
    hub.act(session["id"], "archive")
    with pytest.raises(OSError):  # noqa: PT011 - refused, or cut off
        ask(port)


def fetched(port: int) -> bytes:
    try:
        return ask(port)
    except (OSError, http.client.HTTPException):
        return b""


def ask(port: int) -> bytes:
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        line.request("GET", "/page.txt")
        return line.getresponse().read()
    finally:
        line.close()
