"""The tool servers of a trusted repository (`.mcp.json`), as an ACP agent is given them."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
from acp import schema

Server = schema.HttpMcpServer | schema.SseMcpServer | schema.McpServerStdio
FILE = ".mcp.json"
_VARIABLE = re.compile(r"\$\{(\w+)(?::-([^}]*))?\}")


class _Entry(msgspec.Struct):
    command: str = ""
    args: list[str] = []
    env: dict[str, str] = {}
    type: str = "stdio"
    url: str = ""
    headers: dict[str, str] = {}


class _File(msgspec.Struct):
    servers: dict[str, _Entry] = msgspec.field(default_factory=dict, name="mcpServers")


@dataclass
class Servers:
    """Those to pass on, and a sentence on each that cannot be."""

    found: list[Server] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def load_servers(worktree: Path, env: Mapping[str, str], can: schema.McpCapabilities) -> Servers:
    """Variables are filled from the agent's own environment, never from ours."""
    servers = Servers()
    try:
        listed = msgspec.json.decode((worktree / FILE).read_bytes(), type=_File)
    except FileNotFoundError:
        return servers
    except (OSError, msgspec.MsgspecError) as error:
        servers.notes.append(f"{FILE} cannot be read, so its tool servers are left out: {error}")
        return servers
    for name, entry in listed.servers.items():
        try:
            filled = msgspec.convert(_replace(msgspec.to_builtins(entry), env), _Entry)
            servers.found.append(_server(name, filled, env, can))
        except ValueError as problem:
            servers.notes.append(f"the tool server {name} of {FILE} is left out: {problem}")
    return servers


def _server(
    name: str, entry: _Entry, env: Mapping[str, str], can: schema.McpCapabilities
) -> Server:
    headers = [schema.HttpHeader(name=key, value=value) for key, value in entry.headers.items()]
    if entry.command:
        program = shutil.which(entry.command, path=env.get("PATH", ""))
        if program is None:
            raise ValueError(f"there is no {entry.command!r}")
        variables = [schema.EnvVariable(name=key, value=value) for key, value in entry.env.items()]
        return schema.McpServerStdio(name=name, command=program, args=entry.args, env=variables)
    if entry.type in ("http", "streamable-http") and can.http:
        return schema.HttpMcpServer(type="http", name=name, url=entry.url, headers=headers)
    if entry.type == "sse" and can.sse:
        return schema.SseMcpServer(type="sse", name=name, url=entry.url, headers=headers)
    raise ValueError(f"the agent takes none of type {entry.type!r}")


def _replace(value: Any, env: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return _VARIABLE.sub(lambda found: _value(found, env), value)
    if isinstance(value, list):
        return [_replace(one, env) for one in value]
    return {key: _replace(one, env) for key, one in value.items()}


def _value(found: re.Match[str], env: Mapping[str, str]) -> str:
    name, default = found.groups()
    if name not in env and default is None:
        raise ValueError(f"the agent has no variable {name}")
    return env.get(name, default or "")
