"""The agent `rehearsal`: real Claude Code on the scripted model of a home, in a HOME of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from manyhands.errors import AgentFailed

if TYPE_CHECKING:
    from pathlib import Path

    from manyhands.config import Home

AGENT = "rehearsal"
AGENTS: Mapping[str, Mapping[str, str]] = {AGENT: {"kind": "claude"}}
COMMANDS: Mapping[str, str] = {"demo": "manyhands.rehearsal.demo"}
IDENTITY = {"user.name": "Rehearsal", "user.email": "rehearsal@localhost"}
HINT = "`manyhands new`, `say` and `resume` start it; from the page, use one of them first"


def directories(home: Home) -> dict[str, str]:
    own = home.root / "rehearsal" / "home"
    return {"HOME": str(own), "CLAUDE_CONFIG_DIR": str(own / ".claude")}


def environment(home: Home) -> dict[str, str]:
    from pathlib import Path

    own, url = directories(home), _require_address(home)
    Path(own["HOME"]).mkdir(mode=0o700, parents=True, exist_ok=True)
    _give_identity(Path(own["HOME"]) / ".gitconfig")
    _give_notes(Path(own["CLAUDE_CONFIG_DIR"]) / ".claude.json")
    return {
        **own,
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": AGENT,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }


def _give_identity(config: Path) -> None:
    """In a HOME of its own git does not know who commits: the user, or where git does not know that
    one either, somebody."""
    if config.exists():
        return
    from pathlib import Path

    from manyhands.git.runner import Git
    from manyhands.model.ids import fresh_id

    git, part = Git(Path("/")), config.with_name(f".gitconfig-{fresh_id()}")
    for key, otherwise in IDENTITY.items():
        known = git.run("config", "--get", key, check=False).line
        git.run("config", "--file", part, key, known or otherwise)
    part.replace(config)


def _give_notes(notes: Path) -> None:
    """What Claude Code notes of itself at its very first start. A box lets it only read this file,
    so each start would try to note it again, in a directory that all the others follow."""
    if notes.exists():
        return
    from pathlib import Path

    from manyhands.model.ids import fresh_id

    notes.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = notes.with_name(f"{notes.name}-{fresh_id()}")
    part.write_bytes(Path(__file__).with_name("first_notes.json").read_bytes())
    part.replace(notes)


def spoken(text: str) -> str:
    return text.split("<<SCRIPT", 1)[0]


def start(home: Home) -> None:
    """A server that died is started on its old port: agents hold the address."""
    if _answers(home):
        return
    from filelock import FileLock

    with FileLock(home.locks / "rehearsal.lock", mode=0o600):
        if not _answers(home):
            _start(home)


def stop(home: Home) -> None:
    """Stops the very process that was started here, and nothing that merely has its pid."""
    import msgspec

    from manyhands.process.identity import Identity
    from manyhands.process.stop import end_processes

    try:
        identity = msgspec.json.decode(_process_file(home).read_bytes(), type=Identity)
    except (OSError, msgspec.DecodeError):
        return
    end_processes([identity])


def ready_file(home: Home) -> Path:
    """Where the server says its address."""
    return home.root / "rehearsal.json"


def _process_file(home: Home) -> Path:
    return home.root / "rehearsal-process.json"


def _start(home: Home) -> None:
    import msgspec

    from manyhands.cli.background import port_is_free, start_server

    _, port, _ = _load_address(home)
    words = ["--port", str(port if port_is_free(port) else 0), "--ready-file", ready_file(home)]
    started = start_server(home, "manyhands.rehearsal", [str(word) for word in words])
    _process_file(home).write_bytes(msgspec.json.encode(started.identity))


def _load_address(home: Home) -> tuple[str, int, int]:
    """The last known address, its port and the server's pid; empty where none was started."""
    import json
    from urllib.parse import urlsplit

    try:
        found = json.loads(ready_file(home).read_bytes())
        return found["url"], urlsplit(found["url"]).port or 0, found["pid"]
    except (OSError, ValueError, KeyError, TypeError):
        return "", 0, 0


def _require_address(home: Home) -> str:
    from manyhands.process.identity import identify

    url, _, pid = _load_address(home)
    if not url or identify(pid) is None:
        raise AgentFailed("the rehearsal model is not running", hint=HINT)
    return url


def _answers(home: Home) -> bool:
    import socket

    from manyhands.client.http import converse, request_bytes

    url, port, _ = _load_address(home)
    if not url:
        return False
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=5) as link:
            reply = converse(link, request_bytes(port, "GET", "/", {}))
    except OSError:
        return False
    return b'"rehearsal"' in reply.body
