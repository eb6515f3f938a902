"""An agent of the Agent Client Protocol that plays the scripts of the rehearsal model by itself.

It is for tests that are about what the hub makes of an agent's work, not about the agent: it is up
in a moment, where Claude Code takes seconds. It really writes and runs what its script says, asks
before it does, and keeps its dialogue, so that the next process of it goes on where one died.
A message is a script as `steps.script` makes it; without one, the last script goes on.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ACTOR = "actor"
Json = dict[str, Any]
KINDS = {"Write": "edit", "Edit": "edit", "Bash": "execute", "Read": "read"}
ALLOW, REJECT = "allow_once", "reject_once"
OPTIONS = [{"optionId": kind, "name": kind, "kind": kind} for kind in (ALLOW, REJECT)]
PLAIN_ANSWER = "The actor here: the message holds no script, so there is nothing to play."
RAN_OUT = "The script has run out: all {count} steps have been played."
_MARK = re.compile(r"<<SCRIPT\s*(?=\[)")
_END = re.compile(r"\s*SCRIPT>>")
_WORD = re.compile(r"\s*\S+\s*?(?=\s|$)|\s+$")


def actor_table() -> str:
    """The part of config.toml that makes this agent known."""
    command = json.dumps([sys.executable, "-IS", str(Path(__file__).resolve())])
    return f'[agents.{ACTOR}]\nkind = "acp"\ncommand = {command}\n'


class Cancelled(Exception):
    """The turn was stopped."""


class Refused(Exception):
    """What a model's service says in place of an answer."""


class Denied(Exception):
    """A person, or the policy, does not allow a call."""


def scripts_in(text: str) -> Iterator[tuple[int, int, list[Json]]]:
    """Where each begins and ends; the JSON says so itself, so one may hold another."""
    position = 0
    while mark := _MARK.search(text, position):
        steps, end = json.JSONDecoder(strict=False).raw_decode(text, mark.end())
        close = _END.match(text, end)
        if close is None:
            raise ValueError(f"no 'SCRIPT>>' after the list that ends at character {end}")
        position = close.end()
        yield mark.start(), position, steps


def without_scripts(text: str) -> str:
    for start, end, _ in reversed(list(scripts_in(text))):
        text = text[:start] + text[end:]
    return text


class Dialogue:
    """What was said so far, and how much of the script is played: on disk before it is done."""

    def __init__(self, id: str) -> None:
        self.id = id
        self.cwd = ""
        self.steps: list[Json] | None = None
        self.played = 0
        self.heard: list[str] = []
        self.tokens = [0, 0]

    @property
    def path(self) -> Path:
        return Path(os.environ["HOME"], ".actor", f"{self.id}.json")

    def save(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        fresh = self.path.with_suffix(".fresh")
        fresh.write_text(json.dumps(vars(self)))
        fresh.replace(self.path)

    def load(self) -> None:
        vars(self).update(json.loads(self.path.read_text()))

    def hear(self, text: str) -> None:
        found = [steps for _, _, steps in scripts_in(text)]
        if found:
            self.steps, self.played = found[-1], 0
        self.heard.append(without_scripts(text))
        self.save()

    def next_step(self) -> Json:
        """It counts as played from here on: whoever dies in it does not begin it again."""
        if self.steps is None:
            return {"text": PLAIN_ANSWER}
        if self.played >= len(self.steps):
            return {"text": RAN_OUT.format(count=len(self.steps))}
        step = self.steps[self.played]
        self.played += 1
        self.save()
        return self._filled(step)

    def _filled(self, step: Json) -> Json:
        """With what the patterns of its `subst` find last in all that was heard."""
        text = json.dumps({key: value for key, value in step.items() if key != "subst"})
        for name, pattern in step.get("subst", {}).items():
            found = [match[1] for said in self.heard for match in re.finditer(pattern, said)]
            if not found:
                raise Refused(f"nothing that was said matches {pattern!r}")
            text = text.replace(name, json.dumps(found[-1])[1:-1])
        filled: Json = json.loads(text)
        return filled

    def count(self, step: Json) -> None:
        used = step.get("usage", {})
        self.tokens[0] += used.get("in", 1 + sum(map(len, self.heard)) // 4)
        self.tokens[1] += used.get("out", 1 + len(json.dumps(step)) // 4)


def kept_in(cwd: str) -> Iterator[Json]:
    """The dialogues that were led in a directory, as a client is told of them."""
    for path in Dialogue("").path.parent.glob("*.json"):
        dialogue = Dialogue(path.stem)
        dialogue.load()
        if dialogue.cwd == cwd:
            title = dialogue.heard[0] if dialogue.heard else ""
            yield {"sessionId": dialogue.id, "cwd": cwd, "title": title}


class Line:
    """The wire to whoever drives us; turns ask, and the reader brings the answers."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asked = 0
        self._waiting: dict[int, tuple[threading.Event, list[Json]]] = {}

    def send(self, **message: Any) -> None:
        with self._lock:
            print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)

    def ask(self, method: str, params: Json) -> Json:
        """The answer, whenever it comes."""
        self._asked += 1
        arrived, answers = self._waiting[self._asked] = threading.Event(), []
        self.send(id=self._asked, method=method, params=params)
        arrived.wait()
        return answers[0]

    def answer(self, message: Json) -> None:
        arrived, answers = self._waiting.pop(message["id"])
        answers.append(message.get("result") or {})
        arrived.set()


class Turn:
    """One prompt, from its text to its stop reason; played in a thread of its own."""

    def __init__(self, line: Line, dialogue: Dialogue, cwd: str) -> None:
        self._line = line
        self._dialogue = dialogue
        self._cwd = Path(cwd)
        # The end of the process may come while the reader stops the turn: one thread, twice.
        self._lock = threading.RLock()
        self._stopped = threading.Event()
        self._command: subprocess.Popen[bytes] | None = None

    def stop(self) -> None:
        with self._lock:
            self._stopped.set()
            if self._command is not None and self._command.poll() is None:
                os.killpg(self._command.pid, signal.SIGKILL)

    def run(self, id: object, text: str) -> None:
        try:
            self._dialogue.hear(text)
            self._play()
        except Cancelled:
            self._line.send(id=id, result={"stopReason": "cancelled"})
        except (Refused, ValueError) as problem:
            self._line.send(id=id, error={"code": -32603, "message": str(problem)})
        else:
            self._dialogue.save()
            given, made = self._dialogue.tokens
            usage = {"inputTokens": given, "outputTokens": made, "totalTokens": given + made}
            self._line.send(id=id, result={"stopReason": "end_turn", "usage": usage})

    def _play(self) -> None:
        """Steps, until one calls for nothing more."""
        while True:
            step = self._dialogue.next_step()
            self._pause(step.get("delay", 0))
            if step.get("status", 200) >= 400:
                raise Refused(f"API Error: {step['status']} {step.get('error', '')}")
            self._dialogue.count(step)
            for key, kind in (("thinking", "agent_thought_chunk"), ("text", "agent_message_chunk")):
                self._say(kind, step.get(key, ""), step.get("chunk_delay", 0))
            calls = [step] if "tool" in step else []
            calls += step.get("tools", [])
            for call in calls:
                self._call(call["tool"], call.get("input", {}))
            if not calls:
                return

    def _pause(self, seconds: float) -> None:
        if self._stopped.wait(seconds):
            raise Cancelled

    def _tell(self, kind: str, /, **fields: Any) -> None:
        update = {"sessionUpdate": kind, **fields}
        params = {"sessionId": self._dialogue.id, "update": update}
        self._line.send(method="session/update", params=params)

    def _say(self, kind: str, text: str, delay: float) -> None:
        message = os.urandom(8).hex()
        for piece in _WORD.findall(text) if delay else [text] if text else []:
            self._tell(kind, messageId=message, content={"type": "text", "text": piece})
            self._pause(delay)

    def _call(self, tool: str, input: Json) -> None:
        """Announced, asked for where it changes something, done, and told of."""
        self._pause(0)
        if tool == "AskUserQuestion":
            self._dialogue.heard.append(self._question(input["questions"]))
            return
        if tool not in KINDS:
            raise Refused(f"the actor has no tool {tool}")
        call = {"toolCallId": f"call-{os.urandom(8).hex()}", "title": tool, "rawInput": input}
        call |= {"kind": KINDS[tool], "status": "pending"}
        self._tell("tool_call", **call)
        status, output = "completed", ""
        try:
            if tool != "Read":
                self._require_leave(call)
            output = self._do(tool, input)
        except (Denied, OSError, ValueError) as problem:
            status, output = "failed", str(problem)
        self._dialogue.heard.append(output)
        content = [{"type": "content", "content": {"type": "text", "text": output}}]
        self._tell(
            "tool_call_update", toolCallId=call["toolCallId"], status=status, content=content
        )

    def _require_leave(self, call: Json) -> None:
        params = {"sessionId": self._dialogue.id, "toolCall": call, "options": OPTIONS}
        outcome = self._line.ask("session/request_permission", params).get("outcome", {})
        if outcome.get("outcome") != "selected":
            raise Cancelled
        if outcome["optionId"] != ALLOW:
            raise Denied("It was not allowed.")

    def _question(self, questions: list[Json]) -> str:
        """A form's answers, as the model is told them."""
        fields = {f"q{n}": _field(question) for n, question in enumerate(questions, 1)}
        schema = {"type": "object", "properties": fields, "required": list(fields)}
        params = {"sessionId": self._dialogue.id, "mode": "form", "message": "Questions"}
        answer = self._line.ask("elicitation/create", {**params, "requestedSchema": schema})
        if answer.get("action") != "accept":
            raise Cancelled
        given = answer["content"]
        said = (f'"{q["question"]}"="{given.get(f"q{n}")}"' for n, q in enumerate(questions, 1))
        return ", ".join(said)

    def _do(self, tool: str, input: Json) -> str:
        if tool == "Bash":
            return self._run(input["command"])
        file = self._cwd / str(input["file_path"])
        match tool:
            case "Write":
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(input["content"].encode())
                return f"{file} is written."
            case "Edit":
                return self._edit(file, input["old_string"], input["new_string"])
        return file.read_text()

    def _edit(self, file: Path, old: str, new: str) -> str:
        text = file.read_bytes().decode()
        if text.count(old) != 1:
            raise ValueError(f"{file} has {text.count(old)} times what is to be replaced.")
        file.write_bytes(text.replace(old, new).encode())
        return f"{file} is changed."

    def _run(self, command: str) -> str:
        """Into a file: what stays in the background may hold its output open for ever."""
        said = self._dialogue.path.with_suffix(".out")
        with said.open("wb") as out:
            with self._lock:
                if self._stopped.is_set():
                    raise Cancelled
                self._command = subprocess.Popen(
                    ["bash", "-c", command],
                    cwd=self._cwd,
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
            code = self._command.wait()
        self._pause(0)
        output = said.read_text(errors="replace")
        if code:
            raise ValueError(f"Exit code {code}\n{output}")
        return output


def _field(question: Json) -> Json:
    choices = [
        {"const": o["label"], "title": o["label"], "description": o.get("description", "")}
        for o in question["options"]
    ]
    about = {"title": question["question"], "description": question.get("header", "")}
    if question.get("multiSelect"):
        return {"type": "array", "items": {"anyOf": choices}, **about}
    return {"type": "string", "oneOf": choices, **about}


class Actor:
    """One process, with one dialogue at a time."""

    def __init__(self) -> None:
        self._line = Line()
        self._turn: Turn | None = None
        self._cwd = ""
        self._dialogue = Dialogue("")

    def take(self, message: Json) -> None:
        id, params = message.get("id"), message.get("params") or {}
        match message.get("method"):
            case None:
                self._line.answer(message)
            case "initialize":
                can = {"loadSession": False, "sessionCapabilities": {"resume": {}, "list": {}}}
                self._line.send(id=id, result={"protocolVersion": 1, "agentCapabilities": can})
            case "session/new":
                self._open(id, Dialogue(os.urandom(8).hex()), params["cwd"])
            case "session/list":
                self._line.send(id=id, result={"sessions": list(kept_in(params["cwd"]))})
            case "session/resume":
                self._resume(id, Dialogue(params["sessionId"]), params["cwd"])
            case "session/prompt":
                text = "".join(block.get("text", "") for block in params["prompt"])
                self._turn = Turn(self._line, self._dialogue, self._cwd)
                threading.Thread(target=self._turn.run, args=(id, text), daemon=True).start()
            case "session/cancel":
                self.stop()

    def _resume(self, id: object, dialogue: Dialogue, cwd: str) -> None:
        try:
            dialogue.load()
        except OSError:
            self._line.send(id=id, error={"code": -32002, "message": "there is no such dialogue"})
        else:
            self._open(id, dialogue, cwd)

    def _open(self, id: object, dialogue: Dialogue, cwd: str) -> None:
        self._dialogue, self._cwd = dialogue, cwd
        dialogue.cwd = cwd
        dialogue.save()
        self._line.send(id=id, result={"sessionId": dialogue.id})

    def stop(self) -> None:
        if self._turn is not None:
            self._turn.stop()

    def end(self, *_: object) -> None:
        """Its command, which is in a group of its own, ends with it."""
        self.stop()
        os._exit(0)


def main() -> None:
    actor = Actor()
    signal.signal(signal.SIGTERM, actor.end)
    for line in sys.stdin:
        actor.take(json.loads(line))
    actor.end()


if __name__ == "__main__":
    main()
