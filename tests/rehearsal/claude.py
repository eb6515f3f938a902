"""Real Claude Code in a built environment, and what it was seen doing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.support.brief import BRIEF

Seen = dict[str, Any]
DRIVER = Path(__file__).with_name("driver.py")


def script(*steps: dict[str, Any]) -> str:
    return f"<<SCRIPT {json.dumps(steps)} SCRIPT>>"


class Run:
    """Everything that one run of the driver reported, in order."""

    def __init__(self, seen: list[Seen]) -> None:
        self.seen = seen

    def of(self, kind: str) -> list[Seen]:
        return [item for item in self.seen if item["kind"] == kind]

    @property
    def results(self) -> list[Seen]:
        return self.of("result")

    @property
    def texts(self) -> list[str]:
        return [block["text"] for block in self._blocks("AssistantMessage") if "text" in block]

    @property
    def calls(self) -> list[str]:
        return [block["name"] for block in self._blocks("AssistantMessage") if "name" in block]

    @property
    def outputs(self) -> list[str]:
        """Tool results, as text."""
        blocks = self._blocks("UserMessage")
        return [str(block["content"]) for block in blocks if "tool_use_id" in block]

    @property
    def failures(self) -> list[str]:
        return [str(b["content"]) for b in self._blocks("UserMessage") if b.get("is_error")]

    @property
    def session(self) -> str:
        started = [s for s in self.of("SystemMessage") if s["message"]["subtype"] == "init"]
        return str(started[0]["message"]["data"]["session_id"])

    def _blocks(self, kind: str) -> list[dict[str, Any]]:
        contents = [item["message"]["content"] for item in self.of(kind)]
        return [block for content in contents if isinstance(content, list) for block in content]


class Claude:
    def __init__(self, url: str, home: Path, cwd: Path) -> None:
        self.cwd = cwd
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "CLAUDE_CODE_TMPDIR": str(home),
            "LANG": "C.UTF-8",
            "IS_SANDBOX": "1",
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "dummy",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_MAX_RETRIES": "1",
            **BRIEF,
        }

    def run(self, *prompts: str, **order: Any) -> Run:
        """Let the prompts be answered to the end, one after the other."""
        with self._start({"prompts": prompts, **order}) as process:
            assert process.stdout is not None
            seen = [json.loads(line) for line in process.stdout]
        assert process.returncode == 0
        return Run(seen)

    def run_until(self, found: Callable[[Seen], bool], *prompts: str, **order: Any) -> Run:
        """Kill agent and driver without warning as soon as something was seen."""
        seen: list[Seen] = []
        with self._start({"prompts": prompts, **order}) as process:
            assert process.stdout is not None
            for line in process.stdout:
                seen.append(json.loads(line))
                if found(seen[-1]):
                    break
            os.killpg(process.pid, signal.SIGKILL)
        return Run(seen)

    def _start(self, order: dict[str, Any]) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, str(DRIVER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=self.environment,
            text=True,
            start_new_session=True,
        )
        assert process.stdin is not None
        process.stdin.write(json.dumps({"cwd": str(self.cwd), **order}))
        process.stdin.close()
        return process
