"""Whether Claude Code would find a login: looked up in files, never asked of a service."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

LOGIN = "run `claude` once and log in with /login, or set ANTHROPIC_API_KEY in the agent's env"
KEYS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN")
CLOUDS = ("CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY")


def has_login(env: Mapping[str, str]) -> bool | None:
    """None where only a keychain or a cloud's own login could tell."""
    if any(env.get(name) for name in KEYS):
        return True
    if any(env.get(name) for name in CLOUDS):
        return None
    config = Path(env.get("CLAUDE_CONFIG_DIR") or Path(env.get("HOME", "/")) / ".claude")
    if (config / ".credentials.json").is_file() or _names_a_key(config / "settings.json"):
        return True
    return None if sys.platform == "darwin" else False


def _names_a_key(settings: Path) -> bool:
    """A key, or a helper that brings one, in the program's own settings."""
    try:
        found = json.loads(settings.read_bytes())
    except (OSError, ValueError):
        return False
    if not isinstance(found, dict):
        return False
    env = found.get("env")
    return "apiKeyHelper" in found or (isinstance(env, dict) and any(key in env for key in KEYS))
