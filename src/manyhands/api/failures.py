"""One error shape for everything: ``{code, message, hint}``."""

from __future__ import annotations

import logging
from typing import Any

import msgspec
from litestar import MediaType, Request, Response
from litestar.exceptions import HTTPException, ValidationException

from manyhands.errors import ManyhandsError

log = logging.getLogger(__name__)


class Failure(msgspec.Struct, frozen=True):
    code: str
    message: str
    hint: str = ""


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
    return _response(500, Failure("bug", f"{type(error).__name__}: {error}", "see the hub's log"))


HANDLERS: dict[Any, Any] = {
    ManyhandsError: expected,
    ValidationException: invalid,
    HTTPException: http,
    Exception: unexpected,
}
