"""The agents that we know by name: how each is started, found, installed and logged in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath

from manyhands.agents import capabilities as can
from manyhands.agents.acp import quirks
from manyhands.agents.acp.quirks import Quirks
from manyhands.agents.capabilities import Capabilities
from manyhands.config import AgentConfig


@dataclass(frozen=True, kw_only=True)
class KnownAgent:
    """Files are relative to HOME, or as `detection.place` reads them."""

    title: str
    command: tuple[str, ...]
    install: str
    login: str
    keys: tuple[str, ...] = ()
    """Variables of which one is enough to be logged in."""
    credentials: tuple[str, ...] = ()
    """Files that are there after a login."""
    settings: tuple[str, ...] = ()
    """Files that may name a provider of the user's own, which needs no login."""
    capabilities: Capabilities = can.UNKNOWN
    quirks: Quirks = quirks.NONE


KNOWN: dict[str, KnownAgent] = {
    "codex": KnownAgent(
        title="Codex",
        command=("codex-acp",),
        install="npm install -g @agentclientprotocol/codex-acp",
        login="run `codex login`, or set OPENAI_API_KEY in the agent's env",
        keys=("OPENAI_API_KEY", "CODEX_API_KEY"),
        credentials=("~CODEX_HOME:.codex/auth.json",),
        settings=("~CODEX_HOME:.codex/config.toml",),
        capabilities=can.CODEX,
        quirks=quirks.CODEX,
    ),
    "opencode": KnownAgent(
        title="opencode",
        command=("opencode", "acp"),
        install="npm install -g opencode-ai",
        login="run `opencode auth login`",
        keys=("OPENCODE_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY"),
        credentials=("~XDG_DATA_HOME:.local/share/opencode/auth.json",),
        settings=(
            "~XDG_CONFIG_HOME:.config/opencode/opencode.json",
            "~XDG_CONFIG_HOME:.config/opencode/opencode.jsonc",
        ),
        capabilities=can.OPENCODE,
        quirks=quirks.OPENCODE,
    ),
    "gemini": KnownAgent(
        title="Gemini CLI",
        command=("gemini", "--experimental-acp"),
        install="npm install -g @google/gemini-cli",
        login="run `gemini` once and log in, or set GEMINI_API_KEY in the agent's env",
        keys=("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL"),
        credentials=(".gemini/oauth_creds.json",),
        capabilities=can.GEMINI,
    ),
    "mistral-vibe": KnownAgent(
        title="Mistral Vibe",
        command=("vibe-acp",),
        install="uv tool install mistral-vibe (it needs Python 3.12 or later)",
        login="run `vibe --setup`, or set MISTRAL_API_KEY in the agent's env",
        keys=("MISTRAL_API_KEY",),
        credentials=("~VIBE_HOME:.vibe/.env",),
        settings=("~VIBE_HOME:.vibe/config.toml",),
        capabilities=can.VIBE,
        quirks=quirks.VIBE,
    ),
    "qwen": KnownAgent(
        title="Qwen Code",
        command=("qwen", "--acp"),
        install="npm install -g @qwen-code/qwen-code",
        login="run `qwen` once and log in",
        keys=("OPENAI_API_KEY", "DASHSCOPE_API_KEY"),
        credentials=(".qwen/oauth_creds.json",),
        settings=(".qwen/settings.json",),
    ),
    "goose": KnownAgent(
        title="goose",
        command=("goose", "acp"),
        install="see the goose documentation, or `brew install block-goose-cli`",
        login="run `goose configure`",
        keys=("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY"),
        settings=("~XDG_CONFIG_HOME:.config/goose/config.yaml",),
    ),
    "claude-acp": KnownAgent(
        title="Claude Code over ACP",
        command=("claude-agent-acp",),
        install="npm install -g @agentclientprotocol/claude-agent-acp (it needs Node 22)",
        login="run `claude` once and log in with /login",
        keys=("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"),
        credentials=("~CLAUDE_CONFIG_DIR:.claude/.credentials.json",),
        capabilities=can.CLAUDE_ACP,
        quirks=quirks.CLAUDE_ACP,
    ),
}
EXAMPLE = KnownAgent(
    title="the example agent",
    command=("small_agent.py",),
    install="it is examples/small_agent.py of this project",
    login="set MODEL_KEY in the agent's env",
    keys=("MODEL_KEY",),
    capabilities=can.EXAMPLE,
    quirks=quirks.EXAMPLE,
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
