"""An agent of the Agent Client Protocol that tells exactly what it is told to tell.

Its message is a script, `<<TELL [...] TELL>>`, of steps: `{"update": …}` is a session update as it
goes over the wire, `{"write": path}` writes a file, `{"until": path}` waits for one, `{"error": …}`
ends the turn by a refusal, `{"ask": …}` asks for a call and says what came of it, `{"flood": […]}`
tells updates over and over until a file is there. So odd orders of real agents can be tried one by
one. Told nothing of the kind, it runs the shell script that the environment names, if it does.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Step = Mapping[str, Any]
_SCRIPT = re.compile(r"<<TELL (.*) TELL>>", re.DOTALL)


def tell(*steps: Step) -> str:
    """The message that makes it do these steps."""
    return f"Please. <<TELL {json.dumps(steps)} TELL>>"


def call(id: str, **fields: Any) -> dict[str, Any]:
    return {"update": {"sessionUpdate": "tool_call", "toolCallId": id, **fields}}


def piece(id: str, **fields: Any) -> dict[str, Any]:
    return {"update": {"sessionUpdate": "tool_call_update", "toolCallId": id, **fields}}


def said(text: str) -> dict[str, Any]:
    content = {"type": "text", "text": text}
    return {"update": {"sessionUpdate": "agent_message_chunk", "content": content}}


def flood(until: Path, *steps: Step) -> dict[str, Any]:
    """These, over and over, as fast as they are taken; `#` is the number of the round."""
    return {"flood": steps, "there": str(until)}


def configured(name: str, script: str = "") -> str:
    """The table of a config that makes this agent known; the script gets its message as input."""
    command = json.dumps([sys.executable, str(Path(__file__).resolve())])
    env = f"env = {{ TOLD_SCRIPT = {json.dumps(script)} }}\n" if script else ""
    return f'[agents.{name}]\nkind = "acp"\ncommand = {command}\n{env}'


def _send(**message: Any) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def _prompt(id: object, session: str, text: str) -> None:
    found = _SCRIPT.search(text)
    if found is None and (script := os.environ.get("TOLD_SCRIPT")):
        subprocess.run(["/bin/sh", "-c", script], cwd=os.getcwd(), input=text.encode(), check=True)  # noqa: PTH109
    for step in json.loads(found[1]) if found else ():
        if "update" in step:
            params = {"sessionId": session, "update": step["update"]}
            _send(method="session/update", params=params)
        elif "ask" in step:
            _ask(session, step["ask"])
        elif "flood" in step:
            _flood(session, step["flood"], Path(step["there"]))
        elif "write" in step:
            Path(step["write"]).write_text("written\n")
        elif "until" in step:
            while not Path(step["until"]).exists():
                time.sleep(0.02)
        else:
            _send(id=id, error=step["error"])
            return
    _send(id=id, result={"stopReason": "end_turn"})


def _flood(session: str, steps: list[Step], there: Path) -> None:
    lines = [json.dumps({"sessionId": session, **step}) for step in steps]
    os.nice(19)  # whoever has something to do goes first
    head, rounds = '{"jsonrpc":"2.0","method":"session/update","params":', 0
    while not there.exists():
        for _ in range(100):
            rounds += 1
            told = (f"{head}{line.replace('#', str(rounds))}}}\n" for line in lines)
            sys.stdout.write("".join(told))
    sys.stdout.flush()


def _ask(session: str, call: Mapping[str, Any]) -> None:
    options = [{"optionId": k, "name": k, "kind": k} for k in ("allow_once", "reject_once")]
    params = {"sessionId": session, "toolCall": call, "options": options}
    _send(id="asked", method="session/request_permission", params=params)
    answer = json.loads(sys.stdin.readline())
    told = said(f"It was {answer['result']['outcome'].get('optionId')}.")
    _send(method="session/update", params={"sessionId": session, **told})


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        id, params = message.get("id"), message.get("params") or {}
        match message.get("method"):
            case "initialize":
                can = {"loadSession": True}
                _send(id=id, result={"protocolVersion": 1, "agentCapabilities": can})
            case "session/new" | "session/load":
                _send(id=id, result={"sessionId": params.get("sessionId", "told")})
            case "session/prompt":
                text = "".join(block.get("text", "") for block in params["prompt"])
                _prompt(id, params["sessionId"], text)


if __name__ == "__main__":
    main()
