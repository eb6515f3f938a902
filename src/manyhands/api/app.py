"""The application: routes behind the guard."""

from __future__ import annotations

from collections.abc import Iterable

from litestar import Litestar
from litestar.datastructures import State as AppState
from litestar.openapi.config import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin

from manyhands import __version__
from manyhands.api.addresses import Doors
from manyhands.api.attention_routes import ATTENTION_ROUTES
from manyhands.api.command_routes import ROUTES as COMMAND_ROUTES
from manyhands.api.database_routes import Databases
from manyhands.api.events_socket import events
from manyhands.api.failures import HANDLERS
from manyhands.api.guard import LARGEST_BODY, Guard
from manyhands.api.hub_routes import ROUTES
from manyhands.api.insight_routes import Insight
from manyhands.api.landing_routes import Landing
from manyhands.api.page import page
from manyhands.api.page_routes import PageNeeds, machine
from manyhands.api.radar_routes import Radar
from manyhands.api.review_routes import Reviews
from manyhands.api.session_routes import Sessions
from manyhands.api.tokens import Tokens
from manyhands.hub.hub import Hub

AREAS = (*COMMAND_ROUTES, PageNeeds, machine, Databases, Insight, Reviews, Radar, Landing)


def routes(hub: Hub, tokens: Tokens, url: str, elsewhere: Iterable[str] = ()) -> Litestar:
    """All routes, without the guard; tests walk these."""
    return Litestar(
        route_handlers=[*ROUTES, *ATTENTION_ROUTES, Sessions, *AREAS, events, page],
        state=AppState({"hub": hub, "tokens": tokens, "url": url, "elsewhere": tuple(elsewhere)}),
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


def application(hub: Hub, tokens: Tokens, doors: Doors) -> Guard:
    app = routes(hub, tokens, doors.url, doors.elsewhere)
    return Guard(app, tokens, doors.hosts, doors.origins)
