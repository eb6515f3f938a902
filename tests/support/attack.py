"""A hostile child of an agent, as a program that the agent writes into its worktree and starts.

It leaves its parents by forking twice, takes off the session's mark, waits until it is told that
its session asks something of a person, and then tries one way after the other to be that person. It
tells what came of each in a file of JSON lines, and ends with a line ``{"way": "end"}``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

REPORT = "attack.jsonl"

_SOURCE = """
import http.client, json, os, socket, struct, subprocess, sys, time

GIVEN = json.loads(%r)
HOME, SESSION, OTHER, PYTHON = (GIVEN[k] for k in ("home", "session", "other", "python"))
if os.fork():
    os._exit(0)
os.setsid()
if os.fork():
    os._exit(0)
BARE = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "MANYHANDS_HOME": HOME}
if "MANYHANDS_SESSION" in os.environ:
    os.execve(PYTHON, [PYTHON, *sys.argv], BARE)
report = open("attack.jsonl", "a", buffering=1)
address = json.load(open(HOME + "/hub.json"))
token = open(HOME + "/token").read().strip()


def tell(way, **came):
    report.write(json.dumps({"way": way, **came}) + "\\n")


def cli(way, *words, **variables):
    argv = [PYTHON, "-m", "manyhands", *words, "--json"]
    done = subprocess.run(argv, env={**BARE, **variables}, capture_output=True, text=True)
    tell(way, code=done.returncode, out=done.stdout[:200000], err=done.stderr)
    return done


def ask(path, body, read=True, way="", **more):
    link = http.client.HTTPConnection("127.0.0.1", address["port"], timeout=60)
    headers = {"Authorization": "Bearer " + token, "Content-Type": "application/json", **more}
    link.request("POST", path, json.dumps(body), headers)
    if read:
        answer = link.getresponse()
        tell(way or path, status=answer.status, body=answer.read().decode())
    link.close()


def keeper(way, session, *messages):
    link = socket.socket(socket.AF_UNIX)
    link.settimeout(60)
    link.connect(GIVEN["run"] + "/" + session + ".sock")
    try:
        for message in messages:
            body = json.dumps(message).encode()
            link.sendall(struct.pack(">I", len(body)) + body)
        got = link.recv(65536)
    except ConnectionError:
        got = b""
    tell(way, got=got.decode(errors="replace"))


while not os.path.exists("go"):
    time.sleep(0.1)
cli("look", "show", SESSION)
allow, of = {"options": ["allow"]}, "/api/sessions/" + SESSION
cli("answer", "answer", SESSION, "--allow")
cli("answer, marked", "answer", SESSION, "--allow", MANYHANDS_SESSION=SESSION)
cli("up", "up", "--no-open")
cli("new", "new", "more", "--mode", "auto", "--repo", GIVEN["repo"])
cli("log", "log", SESSION)
cli("diff", "diff", SESSION)
cli("other", "show", OTHER)
ask(of + "/answer", allow, read=False)
ask(of + "/answer", allow)
ask("/api/sessions/" + OTHER + "/mode", {"mode": "auto"})
ask(of + "/merge", {})
ask(of + "/answer", allow, way="/api/elsewhere", **{"X-Forwarded-For": "192.0.2.1"})
ask(of + "/answer", allow, way="/api/other", **{"Manyhands-Client": "1", "Origin": GIVEN["origin"]})
ask("/api/link", {})
ask("/api/ticket", {})
ask("/api/rotate", {})
ask("/api/down", {})
ask("/api/repos/trust", {"path": GIVEN["repo"]})
hello = {"m": "hello", "protocol": 1, "epoch": GIVEN["epoch"], "acked": 0}
auto = {"m": "do", "id": "forged", "command": {"do": "setmode", "mode": "auto"}}
keeper("keeper", SESSION, hello, auto)
above = os.getppid()
os.kill(above, 9)
while os.getppid() == above:
    time.sleep(0.01)
ask(of + "/answer", allow, way="orphan")
tell("end", above=above)
"""


def attack(path: Path, **given: Any) -> dict[str, Any]:
    """The step that writes it, with what it knows."""
    source = _SOURCE % json.dumps({"python": sys.executable, **given})
    return {"tool": "Write", "input": {"file_path": str(path), "content": source}}


def reported(worktree: Path) -> dict[str, dict[str, Any]]:
    """What came of each way so far."""
    file = worktree / REPORT
    lines = file.read_text().splitlines(keepends=True) if file.exists() else []
    told = [json.loads(line) for line in lines if line.endswith("\n")]
    return {one.pop("way"): one for one in told}
