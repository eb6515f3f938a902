"""The agents that we know by name: how each is started, found, installed and logged in."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePath

from manyhands.agents import capabilities as can
from manyhands.agents.capabilities import Capabilities
from manyhands.config import AgentConfig
from manyhands.model.events import Mode


@dataclass(frozen=True, kw_only=True)
class Quirks:
    """Where an agent differs from the protocol or from the others."""

    modes: Mapping[Mode, Mapping[str, str]] = field(default_factory=dict)
    """What each of our modes is in the agent's own config options, by their ids."""
    env: Mapping[str, str] = field(default_factory=dict)
    approvals: Mapping[Mode, str] = field(default_factory=dict)
    """The option id that approves a plan, by the mode to go on in."""
    unsigned_text: bool = False
    """Text without a message id is the program's own: a warning, or the error of a turn."""
    outlives_cancel: bool = False
    """A command that runs survives the cancelling of its turn until the session is closed."""
    list_tool: str = ""
    """The tool by whose calls alone it tells what it has to do."""
    starts_alone: bool = False
    """Of two that start at once one may fail over what they keep in common."""
    usage_per_turn: bool = False
    """It counts tokens by the turn, where the protocol has them grow over the whole session."""


@dataclass(frozen=True, kw_only=True)
class KnownAgent:
    """Files are relative to HOME, or as `detection.place` reads them."""

    command: tuple[str, ...]
    install: str
    login: str
    keys: tuple[str, ...] = ()
    """Variables of which one is enough to be logged in."""
    credentials: tuple[str, ...] = ()
    """Files that are there after a login."""
    settings: tuple[str, ...] = ()
    """Files that may name a provider of the user's own, which needs no login."""
    own: tuple[str, ...] = ()
    """Where it keeps what it knows, which it writes to."""
    runs: tuple[str, ...] = ()
    """Of these, what makes it run something, for the user too: an agent that could write that would
    be out of its box with the user's next start of the program."""
    shown: tuple[str, ...] = ()
    """What it only reads."""
    capabilities: Capabilities = can.UNKNOWN
    quirks: Quirks = Quirks()


def _below(folder: str, *names: str) -> tuple[str, ...]:
    return tuple(f"{folder}/{name}" for name in names)


RUN_BY_CLAUDE = (
    *("settings.json", "settings.local.json", "hooks", "commands", "agents", "plugins", "skills"),
)
PLAN_OR_BUILD: Mapping[Mode, Mapping[str, str]] = {
    "plan": {"mode": "plan"},
    "ask": {"mode": "build"},
    "edits": {"mode": "build"},
    "auto": {"mode": "build"},
}
KNOWN: dict[str, KnownAgent] = {
    "codex": KnownAgent(
        command=("codex-acp",),
        install="npm install -g @agentclientprotocol/codex-acp",
        login="run `codex login`, or set OPENAI_API_KEY in the agent's env",
        keys=("OPENAI_API_KEY", "CODEX_API_KEY"),
        credentials=("~CODEX_HOME:.codex/auth.json",),
        settings=("~CODEX_HOME:.codex/config.toml",),
        own=("~CODEX_HOME:.codex",),
        runs=_below("~CODEX_HOME:.codex", "config.toml", "hooks.json", "rules", "plugins"),
        capabilities=can.CODEX,
        quirks=Quirks(
            # Its read-only sandbox is what makes it ask: commands that write fail or are asked for.
            # "agent" lets another model approve in the person's place, so `auto` is not that.
            modes={
                "plan": {"mode": "read-only", "collaboration_mode": "plan"},
                "ask": {"mode": "read-only", "collaboration_mode": "default"},
                "edits": {"mode": "read-only", "collaboration_mode": "default"},
                "auto": {"mode": "workspace-write", "collaboration_mode": "default"},
            },
            unsigned_text=True,
            outlives_cancel=True,
            starts_alone=True,
            usage_per_turn=True,
        ),
    ),
    "opencode": KnownAgent(
        command=("opencode", "acp"),
        install="npm install -g opencode-ai",
        login="run `opencode auth login`",
        keys=("OPENCODE_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY"),
        credentials=("~XDG_DATA_HOME:.local/share/opencode/auth.json",),
        settings=(
            "~XDG_CONFIG_HOME:.config/opencode/opencode.json",
            "~XDG_CONFIG_HOME:.config/opencode/opencode.jsonc",
        ),
        own=(
            "~XDG_DATA_HOME:.local/share/opencode",
            "~XDG_STATE_HOME:.local/state/opencode",
            "~XDG_CACHE_HOME:.cache/opencode",
        ),
        shown=_below(
            "~XDG_CONFIG_HOME:.config/opencode",
            *("opencode.json", "opencode.jsonc", "config.json", "AGENTS.md", "plugin", "plugins"),
            *("agent", "agents", "command", "commands", "tool", "tools", "skill", "skills"),
            *("node_modules", "package.json", "package-lock.json", "bun.lock"),
        ),
        capabilities=can.OPENCODE,
        quirks=Quirks(
            modes=PLAN_OR_BUILD,
            # By itself it asks for nothing. A sub-agent's question never reaches the client and
            # would wait for ever, so it gets no sub-agents.
            env={
                "OPENCODE_PERMISSION": json.dumps(
                    {
                        "*": "ask",
                        "read": "allow",
                        "glob": "allow",
                        "grep": "allow",
                        "list": "allow",
                        "skill": "allow",
                        "todowrite": "allow",
                        "task": "deny",
                    }
                ),
                "OPENCODE_DISABLE_AUTOUPDATE": "1",
            },
            list_tool="todowrite",
            usage_per_turn=True,
        ),
    ),
    "gemini": KnownAgent(
        command=("gemini", "--experimental-acp"),
        install="npm install -g @google/gemini-cli",
        login="run `gemini` once and log in, or set GEMINI_API_KEY in the agent's env",
        keys=("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL"),
        credentials=(".gemini/oauth_creds.json",),
        own=(".gemini",),
        runs=_below(".gemini", "settings.json", "extensions", "commands", "hooks"),
        capabilities=can.GEMINI,
    ),
    "mistral-vibe": KnownAgent(
        command=("vibe-acp",),
        install="uv tool install mistral-vibe (it needs Python 3.12 or later)",
        login="run `vibe --setup`, or set MISTRAL_API_KEY in the agent's env",
        keys=("MISTRAL_API_KEY",),
        credentials=("~VIBE_HOME:.vibe/.env",),
        settings=("~VIBE_HOME:.vibe/config.toml",),
        own=("~VIBE_HOME:.vibe",),
        runs=_below("~VIBE_HOME:.vibe", "config.toml", "tools"),
        capabilities=can.VIBE,
        # By itself it accepts every edit.
        quirks=Quirks(
            modes={"ask": {"mode": "ask"}, "edits": {"mode": "ask"}, "auto": {"mode": "ask"}}
        ),
    ),
    "qwen": KnownAgent(
        command=("qwen", "--acp"),
        install="npm install -g @qwen-code/qwen-code",
        login="run `qwen` once and log in",
        keys=("OPENAI_API_KEY", "DASHSCOPE_API_KEY"),
        credentials=(".qwen/oauth_creds.json",),
        settings=(".qwen/settings.json",),
        own=(".qwen",),
        runs=_below(".qwen", "settings.json", "extensions", "commands"),
    ),
    "goose": KnownAgent(
        command=("goose", "acp"),
        install="see the goose documentation, or `brew install block-goose-cli`",
        login="run `goose configure`",
        keys=("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY"),
        settings=("~XDG_CONFIG_HOME:.config/goose/config.yaml",),
        own=("~XDG_CONFIG_HOME:.config/goose", "~XDG_DATA_HOME:.local/share/goose"),
        runs=("~XDG_CONFIG_HOME:.config/goose/config.yaml",),
    ),
    "claude-acp": KnownAgent(
        command=("claude-agent-acp",),
        install="npm install -g @agentclientprotocol/claude-agent-acp (it needs Node 22)",
        login="run `claude` once and log in with /login",
        keys=("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"),
        credentials=("~CLAUDE_CONFIG_DIR:.claude/.credentials.json",),
        own=("~CLAUDE_CONFIG_DIR:.claude",),
        runs=_below("~CLAUDE_CONFIG_DIR:.claude", *RUN_BY_CLAUDE),
        capabilities=can.CLAUDE_ACP,
        # The first option that always allows a plan would clear its context: chosen by id, never by
        # kind.
        quirks=Quirks(approvals={"ask": "default", "edits": "acceptEdits", "auto": "acceptEdits"}),
    ),
}
EXAMPLE = KnownAgent(
    command=("small_agent.py",),
    install="it is examples/small_agent.py of this project",
    login="set MODEL_KEY in the agent's env",
    keys=("MODEL_KEY",),
    capabilities=can.EXAMPLE,
    quirks=Quirks(modes=PLAN_OR_BUILD),
)


def known_agent(like: str, command: tuple[str, ...]) -> KnownAgent | None:
    """Whom an agent is like: said in its config, or by the name of its program."""
    if like:
        return KNOWN.get(like)
    words = {PurePath(word).name for word in command}
    everybody = (*KNOWN.values(), EXAMPLE)
    return next((agent for agent in everybody if agent.command[0] in words), None)


def capabilities_of(config: AgentConfig) -> Capabilities:
    if config.kind == "claude":
        return can.CLAUDE
    if config.kind == "terminal":
        return can.TERMINAL
    known = known_agent(config.like, config.command)
    return known.capabilities if known else can.UNKNOWN
