"""Every route of the application, by reflection, so that a new one is tested by being there."""

from __future__ import annotations

import re
from typing import NamedTuple

from litestar import Litestar
from litestar.routes import HTTPRoute, WebSocketRoute

from manyhands.api.app import routes


class Door(NamedTuple):
    method: str
    path: str

    @property
    def is_page(self) -> bool:
        return self.method == "GET" and not self.path.startswith("/api")

    @property
    def is_open(self) -> bool:
        """The two doors that need no token: the page itself and the one-time link."""
        return self.is_page or self == Door("POST", "/api/exchange")


def application() -> Litestar:
    return routes()


def doors(ref: str = "nobody") -> list[Door]:
    """Each method of each HTTP route; `ref` stands for any session."""
    found = []
    for route in application().routes:
        if isinstance(route, HTTPRoute):
            path = re.sub(r"\{\w+:path\}", "any/place", re.sub(r"\{\w+:str\}", ref, route.path))
            found += [Door(method, path) for method in route.methods]
    return sorted(found)


def sockets() -> list[str]:
    return [route.path for route in application().routes if isinstance(route, WebSocketRoute)]
