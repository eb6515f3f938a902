"""What became of a session's services: a pure fold.

`stopped` → wanted → `starting` → `healthy` ⇄ `unhealthy` → `stopped` or `crashed`. A service that
crashed and is to be started again is `crashed` until then. None outlives its keeper; with the next
one those start that do so by themselves, unless a person has stopped them.
"""

from __future__ import annotations

from typing import Literal, assert_never

import msgspec
from msgspec.structs import replace

from manyhands.model import events as e
from manyhands.model.clock import Instant
from manyhands.model.ids import CommandId
from manyhands.model.service.spec import ServiceSpec

ServiceState = Literal["stopped", "starting", "healthy", "unhealthy", "crashed"]
KEEPER_GONE = "its keeper ended, and it ended with that"


class Service(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    spec: ServiceSpec
    ask: CommandId
    wanted: bool = False
    declined: bool = False
    """A person has stopped it: it does not start by itself."""
    state: ServiceState = "stopped"
    pid: int = 0
    exit_code: int | None = None
    reason: str = ""
    tail: str = ""
    starts: int = 0
    """How often it was started for this wish."""
    since: Instant = ""
    """When it came into its state."""

    @property
    def is_over(self) -> bool:
        """Nothing of it runs, and nothing will."""
        return not self.wanted and not self.pid


Services = dict[str, Service]
ServicesEvent = e.ServiceEvent | e.KeeperExited


def fold(services: Services, event: ServicesEvent) -> Services:
    match event:
        case e.KeeperExited():
            return {name: _left(known, event.at) for name, known in services.items()}
        case e.ServiceWanted():
            fresh = Service(
                spec=event.spec, ask=event.ask, wanted=True, state="starting", since=event.at
            )
            before = services.get(event.name)
            # What still runs of the wish before is the keeper's to end first.
            fresh = replace(fresh, pid=before.pid) if before else fresh
            return {**services, event.name: fresh}
        case (
            e.ServiceUnwanted()
            | e.ServiceStarted()
            | e.ServiceHealthy()
            | e.ServiceUnhealthy()
            | e.ServiceExited()
        ):
            known = services.get(event.name)
            if known is None or known.ask != event.ask:
                return services
            return {**services, event.name: _changed(known, event)}
        case _:
            assert_never(event)


def _changed(
    known: Service,
    event: e.ServiceUnwanted
    | e.ServiceStarted
    | e.ServiceHealthy
    | e.ServiceUnhealthy
    | e.ServiceExited,
) -> Service:
    at = event.at
    match event:
        case e.ServiceUnwanted():
            unwanted = replace(known, wanted=False, declined=True)
            return unwanted if known.pid else replace(unwanted, state="stopped", since=at)
        case e.ServiceStarted():
            starts = known.starts + 1
            fresh = replace(known, state="starting", pid=event.pid, starts=starts, since=at)
            return replace(fresh, exit_code=None, reason="", tail="")
        case e.ServiceHealthy():
            return replace(known, state="healthy", reason="", since=at)
        case e.ServiceUnhealthy():
            return replace(known, state="unhealthy", reason=event.reason, since=at)
        case e.ServiceExited():
            ended = replace(known, state=event.end, pid=0, exit_code=event.exit_code, since=at)
            is_on = known.wanted and event.again_in is not None
            return replace(ended, wanted=is_on, reason=event.reason, tail=event.tail)
        case _:
            assert_never(event)


def _left(known: Service, at: Instant) -> Service:
    """Its keeper is gone, without a word of it."""
    if known.is_over:
        return known
    why = {"exit_code": None, "reason": KEEPER_GONE, "since": at}
    return replace(known, state="crashed", wanted=False, pid=0, **why)
