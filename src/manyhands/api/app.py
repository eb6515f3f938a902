"""The application: routes behind the guard."""

from __future__ import annotations

import logging
from functools import cache
from typing import Any

from litestar import Litestar, MediaType, Request, Response
from litestar.di import Provide
from litestar.exceptions import HTTPException, ValidationException
from litestar.openapi.config import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.plugins import PluginProtocol
from litestar.plugins.core import MsgspecDIPlugin
from litestar.types import Scope

from manyhands import __version__
from manyhands.api import hub_routes, landing_routes, review_routes, session_routes
from manyhands.api.addresses import Doors
from manyhands.api.askers import Askers
from manyhands.api.commands import Commands, CountOnce, command_of
from manyhands.api.events_socket import events
from manyhands.api.guard import LARGEST_BODY, Guard
from manyhands.api.page import page
from manyhands.api.terminal_socket import run_socket, terminal_socket
from manyhands.api.tokens import TokenKeeper
from manyhands.contract.hub import Failure
from manyhands.errors import ManyhandsError, machine_failed
from manyhands.hub.core.hub import Hub


def _given(name: str) -> Provide:
    """What `application` and the guard have laid beside each request."""

    def find(scope: Scope) -> Any:
        return scope["state"][name]

    return Provide(find, sync_to_thread=False)


class _Routes(Litestar):
    """Knows our types alone: those of pydantic, which some agent's library brings, are 9 MB."""

    @staticmethod
    def _get_default_plugins(plugins: list[PluginProtocol]) -> list[PluginProtocol]:
        return [*plugins, MsgspecDIPlugin()]


@cache
def routes() -> Litestar:
    """All routes, without the guard and of no hub yet; tests walk these."""
    dependencies = {
        **{name: _given(name) for name in ("hub", "tokens", "doors", "principal")},
        "command": Provide(command_of, sync_to_thread=False),
    }
    return _Routes(
        route_handlers=[
            *hub_routes.ROUTES,
            *session_routes.ROUTES,
            *review_routes.ROUTES,
            *landing_routes.ROUTES,
            events,
            terminal_socket,
            run_socket,
            page,
        ],
        dependencies=dependencies,
        middleware=[CountOnce()],
        exception_handlers=HANDLERS,
        request_max_body_size=LARGEST_BODY,
        openapi_config=OpenAPIConfig(
            title="Manyhands",
            version=__version__,
            # Its own place: the router beside the document answers unknown paths with HTML.
            path="/api/openapi.json",
            render_plugins=[JsonRenderPlugin(path="/")],
        ),
        logging_config=None,
    )


def application(hub: Hub, tokens: TokenKeeper, doors: Doors) -> Guard:
    app = routes()
    given = {"hub": hub, "tokens": tokens, "doors": doors, "commands": Commands(hub)}

    async def answer(scope: Any, receive: Any, send: Any) -> None:
        scope.setdefault("state", {}).update(given)
        await app(scope, receive, send)

    return Guard(answer, tokens, Askers(hub), doors.hosts, doors.origins)


log = logging.getLogger(__name__)


def _response(status: int, failure: Failure) -> Response[Failure]:
    return Response(failure, status_code=status, media_type=MediaType.JSON)


def expected(_: Request[Any, Any, Any], error: ManyhandsError) -> Response[Failure]:
    return _response(error.http_status, Failure(error.code, error.message, error.hint))


def invalid(_: Request[Any, Any, Any], error: ValidationException) -> Response[Failure]:
    extra = error.extra if isinstance(error.extra, list) else []
    reasons = "; ".join(f"{x.get('key', 'body')}: {x.get('message', '')}" for x in extra)
    return _response(400, Failure("bad_input", reasons or "the request does not fit"))


def http(_: Request[Any, Any, Any], error: HTTPException) -> Response[Failure]:
    code = {404: "not_found", 405: "not_allowed"}.get(error.status_code, "bad_input")
    return _response(error.status_code, Failure(code, error.detail))


def unexpected(request: Request[Any, Any, Any], error: Exception) -> Response[Failure]:
    log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    if known := machine_failed(error):
        return expected(request, known)
    return _response(500, Failure("bug", f"{type(error).__name__}: {error}", "see the hub's log"))


HANDLERS: dict[Any, Any] = {
    ManyhandsError: expected,
    ValidationException: invalid,
    HTTPException: http,
    Exception: unexpected,
}
