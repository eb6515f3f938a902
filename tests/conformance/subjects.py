"""The agents that the suite holds to their declared capabilities, each with its own words.

A subject knows how its agent is configured for the scripted model, and how the model makes it
write a file, run a command, ask a question and propose a plan.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import find_agents
import find_vibe

from manyhands.agents import capabilities as can
from manyhands.agents.capabilities import Capabilities
from manyhands.model.events import Mode
from manyhands.model.wire import AgentSpec
from tests.support.brief import BRIEF

ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLE = ROOT / "examples" / "small_agent.py"
Step = dict[str, Any]


@dataclass(frozen=True)
class Place:
    """Where one agent runs: its HOME, its worktree, and the model's address."""

    home: Path
    worktree: Path
    url: str


@dataclass(frozen=True)
class Subject:
    name: str
    kind: str
    capabilities: Capabilities
    command: Callable[[], tuple[str, ...]]
    configure: Callable[[Place], dict[str, str]]
    """Writes the agent's own settings; the environment that it needs beside."""
    write: Callable[[Place, str, str], Step]
    run: Callable[[str], Step]
    """A command that changes something, so that it is asked for."""
    models: tuple[str, str]
    question: Callable[[str, tuple[str, ...]], Step]
    plan: Callable[[str], tuple[Step, ...]]
    list_steps: Callable[[str, str], Step]
    """Notes two things to do, of which the first is under way."""
    other_writes: Callable[[str], tuple[Step, ...]] = lambda path: ()
    """Further ways to a file: by a sub-agent, by a command that is not asked for."""
    question_mode: Mode = "ask"
    like: str = ""
    longest_file: int = 10_000_000
    """A longer one is refused by the agent itself."""
    goes_on_when_denied: bool = False
    """Whether its model is asked on at once; else a denial ends the turn."""
    asks_on_for_ever: bool = False
    """It repeats a request whose answer is empty without a word, and heeds no interrupt then: a
    keeper ends it."""

    def spec(self, place: Place, session: str, memory: str = "") -> AgentSpec:
        env = {
            "PATH": os.environ["PATH"],
            "HOME": str(place.home),
            "TMPDIR": os.environ.get("TMPDIR", "/tmp"),
            "MANYHANDS_SESSION": session,
            **self.configure(place),
        }
        return AgentSpec(
            name=self.name,
            kind=self.kind,
            command=self.command(),
            like=self.like,
            model=self.models[0],
            memory=memory,
            env=env,
        )


def script(*steps: Step, words: str = "please") -> str:
    return f"{words} <<SCRIPT {json.dumps(steps)} SCRIPT>>"


# Claude Code, by its SDK


def _claude_environment(place: Place) -> dict[str, str]:
    return {
        "ANTHROPIC_BASE_URL": place.url,
        "ANTHROPIC_API_KEY": "dummy",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_MAX_RETRIES": "0",
        "CLAUDE_CODE_TMPDIR": str(place.home / "scratch"),
        **BRIEF,
    }


def _claude_write(place: Place, path: str, content: str) -> Step:
    return {"tool": "Write", "input": {"file_path": path, "content": content}}


def _claude_run(command: str) -> Step:
    return {"tool": "Bash", "input": {"command": command, "description": "run it"}}


def _claude_question(text: str, labels: tuple[str, ...]) -> Step:
    options = [{"label": label, "description": label} for label in labels]
    asked = {"question": text, "header": "Choice", "multiSelect": False, "options": options}
    return {"tool": "AskUserQuestion", "input": {"questions": [asked]}}


def _claude_plan(plan: str) -> tuple[Step, ...]:
    return ({"text": plan, "tool": "ExitPlanMode", "input": {}},)


def _claude_list(first: str, second: str) -> Step:
    made = [
        {"tool": "TaskCreate", "input": {"subject": s, "description": s}} for s in (first, second)
    ]
    begun = {"tool": "TaskUpdate", "input": {"taskId": "1", "status": "in_progress"}}
    return {"tools": [*made, begun]}


def _claude_sub_agent(command: str) -> Step:
    prompt = script(_claude_run(command), {"text": "tried"})
    fields = {"description": "try", "subagent_type": "general-purpose", "prompt": prompt}
    return {"tool": "Task", "input": fields}


CLAUDE = Subject(
    name="claude",
    kind="claude",
    capabilities=can.CLAUDE,
    command=lambda: (),
    configure=_claude_environment,
    write=_claude_write,
    run=_claude_run,
    models=("claude-sonnet-4-6", "claude-opus-4-6"),
    question=_claude_question,
    plan=_claude_plan,
    list_steps=_claude_list,
    other_writes=lambda path: (_claude_sub_agent(f"touch {path}"),),
)

# codex-acp

CODEX_CONFIG = """\
model = "gpt-5.5"
model_provider = "rehearsal"
[tools.update_plan]
enabled = true
[model_providers.rehearsal]
name = "Rehearsal"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "REHEARSAL_KEY"
request_max_retries = 0
stream_max_retries = 0
"""


def _codex_environment(place: Place) -> dict[str, str]:
    home = place.home / ".codex"
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text(CODEX_CONFIG.format(url=place.url))
    return {"CODEX_HOME": str(home), "REHEARSAL_KEY": "dummy"}


def _codex_write(place: Place, path: str, content: str) -> Step:
    lines = "".join(f"+{line}\n" for line in content.splitlines())
    patch = f"*** Begin Patch\n*** Add File: {path}\n{lines}*** End Patch"
    return {"tool": "apply_patch", "input": {"input": patch}}


def _codex_run(command: str) -> Step:
    given = {"cmd": command, "sandbox_permissions": "require_escalated", "justification": "needed"}
    return {"tool": "exec_command", "input": {**given, "yield_time_ms": 30_000}}


def _codex_question(text: str, labels: tuple[str, ...]) -> Step:
    options = [{"label": label, "description": label} for label in labels]
    asked = {"id": "choice", "header": "Choice", "question": text, "options": options}
    return {"tool": "request_user_input", "input": {"questions": [asked]}}


def _codex_plan(plan: str) -> tuple[Step, ...]:
    return ({"text": f"<proposed_plan>\n{plan}\n</proposed_plan>\n"},)


def _codex_sub_agent(command: str) -> Step:
    message = script({"tool": "exec_command", "input": {"cmd": command}}, {"text": "tried"})
    return {"tool": "spawn_agent", "input": {"message": message}}


def _codex_list(first: str, second: str) -> Step:
    begun = {"step": first, "status": "in_progress"}
    return {
        "tool": "update_plan",
        "input": {"plan": [begun, {"step": second, "status": "pending"}]},
    }


CODEX = Subject(
    name="codex",
    kind="acp",
    like="codex",
    capabilities=can.CODEX,
    command=lambda: (str(find_agents.find() / "codex-acp"),),
    configure=_codex_environment,
    write=_codex_write,
    run=_codex_run,
    models=("gpt-5.5", "gpt-5.6-terra"),
    question=_codex_question,
    question_mode="plan",
    plan=_codex_plan,
    list_steps=_codex_list,
    other_writes=lambda path: (
        {"tool": "exec_command", "input": {"cmd": f"touch {path}"}},
        _codex_sub_agent(f"touch {path}"),
    ),
)

# opencode


def _opencode_environment(place: Place) -> dict[str, str]:
    config = place.home / ".config" / "opencode"
    config.mkdir(parents=True, exist_ok=True)
    model = {
        "name": "Rehearsal",
        "attachment": True,
        "modalities": {"input": ["text", "image"], "output": ["text"]},
        "cost": {"input": 1, "output": 4},
        "limit": {"context": 200_000, "output": 8_000},
    }
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "Rehearsal",
        "options": {"baseURL": f"{place.url}/v1", "apiKey": "dummy"},
        "models": {"one": model, "two": model},
    }
    settings = {
        "model": "rehearsal/one",
        "small_model": "rehearsal/one",
        "autoupdate": False,
        "share": "disabled",
        "snapshot": False,
        "lsp": False,
        "formatter": False,
        "disabled_providers": ["opencode"],
        "provider": {"rehearsal": provider},
    }
    (config / "opencode.json").write_text(json.dumps(settings))
    # Into each new home it would load 56 MB from the network, for plugins to be written there.
    (config / "node_modules").mkdir(exist_ok=True)
    lock = {"packages": {"": {"dependencies": {"@opencode-ai/plugin": "*"}}}}
    (config / "package-lock.json").write_text(json.dumps(lock))
    # Nor need it read of all the models in the world, a fifth of its start: ours are above.
    models = place.home / ".cache" / "opencode" / "models.json"
    models.parent.mkdir(parents=True, exist_ok=True)
    models.write_text("{}")
    return {
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        "OPENCODE_MODELS_PATH": str(models),
    }


def _opencode_write(place: Place, path: str, content: str) -> Step:
    given = {"filePath": str(place.worktree / path), "content": content}
    return {"tool": "write", "input": given}


def _opencode_run(command: str) -> Step:
    return {"tool": "bash", "input": {"command": command, "description": "run it"}}


def _opencode_sub_agent(command: str) -> Step:
    prompt = script(_opencode_run(command), {"text": "tried"})
    fields = {"description": "try", "subagent_type": "general", "prompt": prompt}
    return {"tool": "task", "input": fields}


def _opencode_list(first: str, second: str) -> Step:
    begun = {"content": first, "status": "in_progress", "priority": "medium"}
    other = {"content": second, "status": "pending", "priority": "medium"}
    return {"tool": "todowrite", "input": {"todos": [begun, other]}}


OPENCODE = Subject(
    name="opencode",
    kind="acp",
    like="opencode",
    capabilities=can.OPENCODE,
    command=lambda: (str(find_agents.find() / "opencode"), "acp"),
    configure=_opencode_environment,
    write=_opencode_write,
    run=_opencode_run,
    models=("rehearsal/one", "rehearsal/two"),
    # It has neither: the words of others, to see that nothing comes of them.
    question=_claude_question,
    plan=lambda plan: ({"text": plan},),
    list_steps=_opencode_list,
    asks_on_for_ever=True,
    other_writes=lambda path: (_opencode_sub_agent(f"touch {path}"),),
)

# mistral-vibe

VIBE_CONFIG = """\
active_model = "one"
auto_compact_threshold = 1000000
enable_telemetry = false
enable_update_checks = false
enable_auto_update = false
enable_notifications = false
enable_connectors = false
api_retry_max_elapsed_time = 0.0
[[providers]]
name = "rehearsal"
api_base = "{url}/v1"
api_key_env_var = "REHEARSAL_KEY"
backend = "generic"
[[models]]
name = "one"
alias = "one"
provider = "rehearsal"
supports_images = true
input_price = 1.0
output_price = 4.0
[[models]]
name = "two"
alias = "two"
provider = "rehearsal"
supports_images = true
input_price = 1.0
output_price = 4.0
"""


def _vibe_environment(place: Place) -> dict[str, str]:
    home = place.home / ".vibe"
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text(VIBE_CONFIG.format(url=place.url))
    return {"VIBE_HOME": str(home), "REHEARSAL_KEY": "dummy"}


def _vibe_question(text: str, labels: tuple[str, ...]) -> Step:
    options = [{"label": label, "description": label} for label in labels]
    asked = {"question": text, "header": "Choice", "options": options}
    return {"tool": "ask_user_question", "input": {"questions": [asked]}}


def _vibe_list(first: str, second: str) -> Step:
    begun = {"id": "1", "content": first, "status": "in_progress", "priority": "medium"}
    other = {"id": "2", "content": second, "status": "pending", "priority": "medium"}
    return {"tool": "todo", "input": {"action": "write", "todos": [begun, other]}}


VIBE = Subject(
    name="mistral-vibe",
    kind="acp",
    like="mistral-vibe",
    capabilities=can.VIBE,
    command=lambda: (str(find_vibe.program()),),
    configure=_vibe_environment,
    write=lambda place, path, content: {
        "tool": "write_file",
        "input": {"path": str(place.worktree / path), "content": content},
    },
    run=lambda command: {"tool": "bash", "input": {"command": command}},
    models=("one", "two"),
    question=_vibe_question,
    plan=lambda plan: ({"text": plan},),
    list_steps=_vibe_list,
    longest_file=64_000,
    goes_on_when_denied=True,
)

# Our own example


def _example_environment(place: Place) -> dict[str, str]:
    return {"MODEL_URL": f"{place.url}/v1", "MODEL_KEY": "dummy"}


EXAMPLE_AGENT = Subject(
    name="example",
    kind="acp",
    capabilities=can.EXAMPLE,
    command=lambda: (sys.executable, str(EXAMPLE)),
    configure=_example_environment,
    write=lambda place, path, content: {
        "tool": "write",
        "input": {"path": path, "content": content},
    },
    run=lambda command: {"tool": "run", "input": {"command": command}},
    models=("rehearsal", "rehearsal-2"),
    question=lambda text, labels: {
        "tool": "ask",
        "input": {"question": text, "options": list(labels)},
    },
    plan=lambda plan: ({"tool": "propose_plan", "input": {"plan": plan}},),
    list_steps=lambda first, second: {
        "tool": "list_steps",
        "input": {
            "steps": [
                {"step": first, "status": "in_progress"},
                {"step": second, "status": "pending"},
            ]
        },
    },
)

SUBJECTS = (CLAUDE, CODEX, OPENCODE, VIBE, EXAMPLE_AGENT)
