"""Which Claude Code program runs, how old it is, and the flags that it is started with."""

from __future__ import annotations

import importlib.util
import shutil
from dataclasses import dataclass
from pathlib import Path

from manyhands.agents.program import find_command, load_version, plain_version
from manyhands.errors import AgentFailed
from manyhands.model.agent.conversation import Fork
from manyhands.model.events import Mode
from manyhands.model.ids import AgentSessionId
from manyhands.model.wire import AgentSpec

OLDEST = (2, 0, 0)
CLI_MODES: dict[Mode, str] = {
    "plan": "plan",
    "ask": "default",
    "edits": "acceptEdits",
    "auto": "default",
}


@dataclass(frozen=True)
class Program:
    command: tuple[str, ...]
    version: str


def find_program(spec: AgentSpec) -> Program:
    """The user's own `claude` where it is new enough, else the one that came with the SDK."""
    if spec.command:
        found = find_command(spec)
        return Program((found, *spec.command[1:]), load_version(found, spec))
    own = shutil.which("claude", path=spec.env.get("PATH", ""))
    version = load_version(own, spec) if own else ""
    if own and version_number(version) >= OLDEST:
        return Program((own,), version)
    bundled = bundled_program()
    if bundled is None:
        raise AgentFailed(
            f"the {own} on PATH is older than 2.0" if own else "Claude Code is not installed",
            hint="install it: npm install -g @anthropic-ai/claude-code",
        )
    return bundled


def bundled_program() -> Program | None:
    """Found without importing the SDK, which takes a second."""
    package = importlib.util.find_spec("claude_agent_sdk")
    for directory in (package.submodule_search_locations or ()) if package else ():
        program = Path(directory) / "_bundled" / "claude"
        if program.is_file():
            recorded = program.with_name("claude.version")
            version = recorded.read_text("utf-8") if recorded.is_file() else ""
            return Program((str(program),), plain_version(version))
    return None


def version_number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")) if version else ()


def arguments(
    spec: AgentSpec,
    mode: Mode,
    resume: AgentSessionId | None,
    fresh: AgentSessionId,
    servers: Path | None = None,
) -> list[str]:
    """Flags for a conversation over stdin and stdout that asks us about every tool call.

    Only a trusted repository's own settings, hooks and tool servers take effect.
    """
    return [
        *("--output-format", "stream-json"),
        *("--input-format", "stream-json"),
        "--verbose",
        "--include-partial-messages",
        *("--permission-prompt-tool", "stdio"),
        *("--permission-mode", CLI_MODES[mode]),
        f"--setting-sources={'user,project,local' if spec.trusted else 'user'}",
        # A user who switched hooks off did not mean the guard of this session.
        '--settings={"disableAllHooks":false}',
        # One word each: a value that begins with a dash must not become a flag.
        *_conversation(resume, fresh, spec.fork),
        *([f"--mcp-config={servers}"] if servers and spec.trusted else []),
        *([f"--model={spec.model}"] if spec.model else []),
        *([f"--effort={spec.effort}"] if spec.effort else []),
    ]


def _conversation(
    resume: AgentSessionId | None, fresh: AgentSessionId, fork: Fork | None
) -> list[str]:
    if fork is None:
        return [f"--resume={resume}" if resume else f"--session-id={fresh}"]
    point = [f"--resume-session-at={fork.mark}"] if fork.mark else []
    return [f"--resume={fork.agent_session}", "--fork-session", f"--session-id={fresh}", *point]
