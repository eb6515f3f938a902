"""The services of a worktree: those that its config names, else those that are found in it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from manyhands.errors import BadInput
from manyhands.model.service.order import start_order
from manyhands.model.service.spec import Restart, ServiceSpec
from manyhands.workspace.found_services import find_services
from manyhands.workspace.repo_config import FILE, ServiceTable, load_repo_config

Specs = dict[str, ServiceSpec]


def load_services(root: Path, ports: Mapping[str, int]) -> Specs:
    """By name; `ports` are those that the session has leased. Raises where one cannot be meant."""
    config = load_repo_config(root)
    specs = {name: _spec(name, table, ports) for name, table in config.services.items()}
    start_order(specs)
    return specs or {spec.name: spec for spec in find_services(root, ports)}


def _spec(name: str, table: ServiceTable, ports: Mapping[str, int]) -> ServiceSpec:
    if table.port is not None and table.port not in ports:
        has = f"it has {', '.join(ports)}" if ports else "it has none"
        raise BadInput(
            f"service {name!r} wants the port {table.port!r}, which this session has not leased: "
            f"{has}",
            hint=f"name it under [ports] in {FILE}: sessions that are made then have it",
        )
    if table.health.startswith("/") and table.port is None:
        raise BadInput(
            f"service {name!r} is to be asked for {table.health} and has no port",
            hint=f"give it one of [ports] in {FILE}, as `port`",
        )
    return ServiceSpec(
        name=name,
        command=table.command,
        port_name=table.port or "",
        port=ports[table.port] if table.port else 0,
        health=table.health if table.health.startswith("/") else "",
        within=table.timeout,
        autostart=table.autostart,
        depends_on=table.depends_on,
        restart=_restart(table.restart),
    )


def _restart(said: bool | Restart) -> Restart:
    if isinstance(said, bool):
        return "on-failure" if said else "never"
    return said
