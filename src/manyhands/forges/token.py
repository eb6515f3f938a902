"""The token for a forge, by reference: an environment variable, the keyring, or `gh`."""

from __future__ import annotations

import importlib

from manyhands.config import GitHubConfig, child_environment, variable
from manyhands.errors import ForgeDenied
from manyhands.process.pipeline import load_output

GH_SECONDS = 20.0
HINT = '`gh auth login`, or [github] token = "env:NAME" in your config.toml'


def require_token(settings: GitHubConfig, host: str) -> str:
    """Blocks while `gh` or the keyring is asked; the token is in nothing that this raises."""
    reference = settings.token
    if reference.startswith("env:"):
        found = variable(reference.removeprefix("env:"))
    elif reference.startswith("keyring:"):
        found = _from_keyring(reference)
    elif reference == "gh":
        found = _from_gh(host)
    else:
        found = _usual(host) or _from_gh(host)
    if not found.strip():
        raise ForgeDenied(f"there is no token for {host}", hint=HINT, status=401)
    return found.strip()


def _usual(host: str) -> str:
    """The variables that GitHub's own command line reads, in its order."""
    names = ("GH_TOKEN", "GITHUB_TOKEN")
    if host not in ("github.com", "api.github.com"):
        names = ("GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN")
    return next(filter(None, map(variable, names)), "")


def _from_gh(host: str) -> str:
    named = "github.com" if host == "api.github.com" else host
    argv = ["gh", "auth", "token", "--hostname", named]
    return load_output(argv, env=child_environment(), timeout=GH_SECONDS) or ""


def _from_keyring(reference: str) -> str:
    service, _, user = reference.removeprefix("keyring:").partition("/")
    try:
        keyring = importlib.import_module("keyring")
    except ImportError as error:
        raise ForgeDenied(
            f"{reference} needs the package keyring, which is not installed",
            hint="install it beside manyhands: pip install keyring",
            status=401,
        ) from error
    try:
        return str(keyring.get_password(service, user) or "")
    except Exception as error:  # each keyring has kinds of its own
        raise ForgeDenied(f"the keyring did not give {reference}: {error}", status=401) from error
