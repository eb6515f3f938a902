"""Routes: an operation of the hub under a path, called as its parameters' names say.

`hub` and `command` are given, what the path names is taken from it, a struct is the body, and the
rest is the query's. A body may also hold an operation's arguments as its fields. Whatever asks
for more than that is a function of its own, under `get` or `post`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from typing import Any, get_type_hints

import litestar
import msgspec
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import FromPath, FromQuery, JSONBody

from manyhands.api.addresses import Doors
from manyhands.api.commands import Receipt
from manyhands.api.tokens import Principal, TokenKeeper
from manyhands.contract.hub import Failure
from manyhands.hub.core.hub import Hub
from manyhands.model.ids import CommandId

_STATUSES = (400, 401, 403, 404, 405, 409, 413, 415, 500, 503, 507)
FAILURES = {
    status: ResponseSpec(Failure, description=HTTPStatus(status).phrase, generate_examples=False)
    for status in _STATUSES
}

get = partial(litestar.get, responses=FAILURES)
post = partial(litestar.post, responses=FAILURES, status_code=200)

GivenHub = NamedDependency[Hub]
GivenTokens = NamedDependency[TokenKeeper]
GivenDoors = NamedDependency[Doors]
GivenPrincipal = NamedDependency[Principal]
GivenCommand = NamedDependency[CommandId | None]

Operation = Callable[..., Any]
_EMPTY = inspect.Parameter.empty
_GIVEN: dict[str, Any] = {"hub": GivenHub, "command": GivenCommand}
# Filled in when the program runs, so they are no types to a type checker.
_PATH: Any = FromPath
_QUERY: Any = FromQuery
_BODY: Any = JSONBody


def reads(path: str, operation: Operation) -> HTTPRouteHandler:
    return get(path)(_handler(path, operation, None))


def does(
    path: str,
    operation: Operation,
    fields: type[msgspec.Struct] | None = None,
    *,
    receipt: Receipt | None = None,
    status_code: int = 200,
) -> HTTPRouteHandler:
    """A command; an operation that takes the command's name keeps the receipt itself."""
    keeps = "command" in inspect.signature(operation).parameters
    opt = {"receipt": receipt or ("own" if keeps else "after")}
    return post(path, status_code=status_code, opt=opt)(_handler(path, operation, fields))


def _handler(path: str, operation: Operation, fields: type[msgspec.Struct] | None) -> Operation:
    """The operation with its parameters marked in Litestar's way."""
    hints = get_type_hints(operation)
    marks: dict[str, Any] = {}
    defaults: dict[str, Any] = {}
    whole = ""
    for name, asked in inspect.signature(operation).parameters.items():
        if name in _GIVEN:
            marks[name] = _GIVEN[name]
        elif f"{{{name}:" in path:
            marks[name] = _PATH[hints[name]]
        elif isinstance(hints[name], msgspec.StructMeta):
            whole, marks["data"] = name, _BODY[hints[name]]
        elif fields is None or name not in fields.__struct_fields__:
            marks[name], defaults[name] = _QUERY[hints[name]], asked.default
    if fields is not None:
        marks["data"] = _BODY[fields]

    async def handler(**given: Any) -> Any:
        if whole:
            given[whole] = given.pop("data")
        elif fields is not None:
            given |= msgspec.structs.asdict(given.pop("data"))
        answer = operation(**given)
        return await answer if inspect.isawaitable(answer) else answer

    handler.__name__, handler.__doc__ = operation.__name__, operation.__doc__
    handler.__annotations__ = {**marks, "return": hints["return"]}
    parameters = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=defaults.get(name, _EMPTY))
        for name in marks
    ]
    handler.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return handler
