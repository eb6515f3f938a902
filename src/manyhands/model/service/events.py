"""Events of services: what a person or a config wants of them, and what their keeper tells.

What a service says is no event: it is kept in a bounded file beside the keeper's spool.
"""

from __future__ import annotations

from typing import Literal

from manyhands.model.envelope import Event
from manyhands.model.ids import CommandId
from manyhands.model.service.spec import ServiceSpec

ServiceEnd = Literal["stopped", "crashed"]


class ServiceFact(Event, frozen=True, kw_only=True):
    name: str
    ask: CommandId
    """The wish that it belongs to; a later one is another run of the service."""


class ServiceWanted(ServiceFact, frozen=True, kw_only=True):
    """It is to run, anew if it runs already."""

    spec: ServiceSpec


class ServiceUnwanted(ServiceFact, frozen=True, kw_only=True):
    """It is to stop."""


class ServiceStarted(ServiceFact, frozen=True, kw_only=True):
    pid: int


class ServiceHealthy(ServiceFact, frozen=True, kw_only=True):
    pass


class ServiceUnhealthy(ServiceFact, frozen=True, kw_only=True):
    reason: str = ""


class ServiceExited(ServiceFact, frozen=True, kw_only=True):
    """It runs no more, or never did."""

    end: ServiceEnd
    exit_code: int | None = None
    reason: str = ""
    tail: str = ""
    """The last lines that it said."""
    again_in: float | None = None
    """Seconds until it is started again; None: it is not."""


ServiceEvent = (
    ServiceWanted
    | ServiceUnwanted
    | ServiceStarted
    | ServiceHealthy
    | ServiceUnhealthy
    | ServiceExited
)
