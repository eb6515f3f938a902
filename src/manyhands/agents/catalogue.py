"""The agents that can be named: what is known of each, and how one is made.

`claude` and the known ones are the user's own; a provider may bring more along; every other name
comes from the user's config.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

import msgspec

from manyhands.agents import detection
from manyhands.agents.acp.memory import Memory
from manyhands.agents.environment import without_push
from manyhands.agents.known import KNOWN, capabilities_of
from manyhands.agents.permission.permits import Permits
from manyhands.agents.protocol import Agent, Assignment, Host, Workplace
from manyhands.agents.references import resolved_environment
from manyhands.config import AgentConfig, Home, Settings, child_environment
from manyhands.errors import AgentFailed, BadInput, ManyhandsError
from manyhands.model.agent.views import AgentView
from manyhands.model.events import Mode
from manyhands.model.wire import AgentSpec
from manyhands.providers import Provider, provider_of, providers

BUILT_IN: dict[str, AgentConfig] = {
    "claude": AgentConfig(kind="claude"),
    **{n: msgspec.convert(c, AgentConfig) for p in providers() for n, c in p.AGENTS.items()},
    **{name: AgentConfig(kind="acp", like=name) for name in KNOWN},
}
DRIVEN = ("claude", "acp", "terminal")


def agent_config(name: str, settings: Settings) -> AgentConfig:
    """What a name stands for; the user's config may redefine `claude` too."""
    known = {**BUILT_IN, **settings.agents}
    if name not in known:
        raise BadInput(f"no agent is called {name!r}", hint=f"known: {', '.join(sorted(known))}")
    return known[name]


def agent_spec(
    name: str,
    settings: Settings,
    home: Home,
    *,
    session: str,
    worktree: str,
    repo: str,
    model: str = "",
    variables: Mapping[str, str] | None = None,
) -> AgentSpec:
    """Everything needed to start the agent for a session, its whole environment included."""
    config, passed = agent_config(name, settings), settings.environment.passed
    whole = {
        **(variables or {}),
        **_variables(name, config, home),
        "CLAUDE_CODE_TMPDIR": str(home.sessions / session / "tmp"),
        "MANYHANDS_SESSION": session,
        "MANYHANDS_WORKTREE": worktree,
        "MANYHANDS_REPO": repo,
    }
    return AgentSpec(
        name=name,
        kind=config.kind,
        command=config.command,
        like=config.like,
        model=model or config.model,
        memory=str(memory_of(name, home)),
        env=without_push(
            child_environment(whole, passed=passed),
            passed=passed,
            home=home,
            session=session,
            worktree=worktree,
        ),
    )


def agent_directories(name: str, settings: Settings, home: Home) -> dict[str, str]:
    """The environment in which the agent keeps its own files, whether or not it could start."""
    config = agent_config(name, settings)
    provider = _provider(name, config)
    own = provider.directories(home) if provider else config.env
    return child_environment(own, passed=settings.environment.passed)


def require_usable(name: str, settings: Settings, home: Home) -> None:
    """Raises, in one sentence, where a session with this agent could not work."""
    view = _view(name, agent_config(name, settings), settings, home, with_version=False)
    if view.kind not in DRIVEN:
        raise AgentFailed(
            f"agent {name} is of kind {view.kind}, which this version cannot drive",
            hint=f"use an agent of kind {' or '.join(DRIVEN)}",
        )
    if not view.installed:
        raise AgentFailed(f"agent {name} is not installed", hint=view.hint)
    if view.logged_in is False:
        problem = "has no model running" if provider_of(name) else "is not logged in"
        raise AgentFailed(f"agent {name} {problem}", hint=view.hint)


def require_mode(name: str, settings: Settings, mode: Mode) -> None:
    """Raises where the agent could not be held to the mode."""
    offered = capabilities_of(agent_config(name, settings)).modes
    if mode not in offered:
        raise BadInput(
            f"agent {name} cannot be held to mode {mode}", hint=f"offered: {', '.join(offered)}"
        )


def require_read_only(name: str, settings: Settings) -> None:
    """Raises where the agent could not be kept from writing."""
    if "plan" not in capabilities_of(agent_config(name, settings)).modes:
        raise BadInput(
            f"agent {name} cannot be kept from writing, so it answers no side question",
            hint="let it write, or ask another agent",
        )


def memory_of(name: str, home: Home) -> Path:
    """Where what is learnt of an agent is kept."""
    return home.root / "agents" / name


def known_agents(settings: Settings, home: Home) -> list[AgentView]:
    """All that can be named, in the order in which a person would look; asks each its version."""
    known = {**BUILT_IN, **settings.agents}
    return [_view(name, config, settings, home) for name, config in known.items()]


def make_agent(
    spec: AgentSpec,
    host: Host,
    tasks: asyncio.TaskGroup,
    workplace: Workplace,
    *,
    mode: Mode,
    permits: Permits | None = None,
) -> Agent:
    """An agent that is not started yet; its own tasks run in `tasks`."""
    # The libraries take a second to import: only who runs an agent pays for them.
    given = Assignment(spec, host, tasks, workplace, permits or Permits(), mode)
    match spec.kind:
        case "claude":
            from manyhands.agents.claude.agent import ClaudeAgent

            return ClaudeAgent(given)
        case "acp":
            from manyhands.agents.acp.agent import AcpAgent

            return AcpAgent(given)
        case "terminal":
            from manyhands.agents.terminal.agent import TerminalAgent

            return TerminalAgent(given)
    raise AgentFailed(f"agents of kind {spec.kind} cannot be driven by this version")


def _variables(name: str, config: AgentConfig, home: Home) -> dict[str, str]:
    provider = _provider(name, config)
    return provider.environment(home) if provider else resolved_environment(config, name)


def _provider(name: str, config: AgentConfig) -> Provider | None:
    """Whose agent it is, unless the user's config redefines it."""
    return provider_of(name) if config is BUILT_IN.get(name) else None


def _view(
    name: str, config: AgentConfig, settings: Settings, home: Home, *, with_version: bool = True
) -> AgentView:
    try:
        env = child_environment(_variables(name, config, home), passed=settings.environment.passed)
        spec = AgentSpec(
            name=name, kind=config.kind, command=config.command, like=config.like, env=env
        )
        found = detection.detect(spec, with_version=with_version)
    except ManyhandsError as error:
        hint = error.hint if config.kind == "acp" else f"{error.message}; {error.hint}"
        provided = provider_of(name) is not None
        logged_in = False if provided else None
        found = detection.Detected(installed=provided, logged_in=logged_in, hint=hint)
    return AgentView(
        name=name,
        kind=config.kind,
        installed=found.installed,
        version=found.version,
        logged_in=found.logged_in,
        models=found.models or Memory(str(memory_of(name, home))).models(),
        modes=capabilities_of(config).modes,
        hint=found.hint,
    )
