"""The token for a forge, by reference: a variable, the keyring, a file, a command, `gh`, `glab`."""

from __future__ import annotations

import importlib
import shlex
from pathlib import Path

from manyhands.config import GITLAB_VARIABLES, child_environment, variable
from manyhands.errors import ForgeDenied
from manyhands.process.pipeline import load_output

SECONDS = 20.0
LONGEST = 64 * 1024


def require_token(reference: str, kind: str, host: str, hint: str = "") -> str:
    """Blocks while a program or the keyring is asked; the token is in nothing that this raises."""
    way, _, where = reference.partition(":")
    match way:
        case "env":
            found = variable(where)
        case "keyring":
            found = _from_keyring(reference)
        case "file":
            found = _from_file(Path(where).expanduser())
        case "command":
            found = _from_program(*shlex.split(where))
        case "gh":
            found = _from_gh(host)
        case "glab":
            found = _from_glab(host)
        case _:
            found = _usual(kind, host)
    if not found.strip():
        way_out = hint or token_hint(kind, host)
        raise ForgeDenied(f"there is no token for {host}", hint=way_out, status=401)
    return found.strip()


def token_hint(kind: str, host: str) -> str:
    if kind == "github":
        return '`gh auth login`, or [github] token = "env:NAME" in your config.toml'
    own = f'[forges."{host}"] token = "env:NAME" (or keyring:, file:, command:) in your config.toml'
    return f"`glab auth login --hostname {host}`, or {own}" if kind == "gitlab" else own


def _usual(kind: str, host: str) -> str:
    """Where the forge's own command line has it."""
    if kind == "gitlab":
        # A token in a variable is for the one host that is meant by default, and no other.
        names = GITLAB_VARIABLES if host == "gitlab.com" else ()
        return next(filter(None, map(variable, names)), "") or _from_glab(host)
    if kind != "github":
        return ""
    names = ("GH_TOKEN", "GITHUB_TOKEN")
    if host not in ("github.com", "api.github.com"):
        names = ("GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN")
    return next(filter(None, map(variable, names)), "") or _from_gh(host)


def _from_gh(host: str) -> str:
    named = "github.com" if host == "api.github.com" else host
    return _from_program("gh", "auth", "token", "--hostname", named)


def _from_glab(host: str) -> str:
    return _from_program("glab", "config", "get", "token", "--host", host)


def _from_program(*argv: str) -> str:
    return load_output(list(argv), env=child_environment(), timeout=SECONDS) or ""


def _from_file(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(LONGEST).decode("utf-8", "replace")
    except OSError as error:
        raise ForgeDenied(
            f"the token's file {path} cannot be read: {error.strerror}", status=401
        ) from error


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
