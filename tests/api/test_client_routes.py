"""Whatever the client and the command line ask of the hub is a route of it, in its own words."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, get_args, get_origin

import pytest
from litestar.handlers import HTTPRouteHandler
from litestar.params import QueryParameter
from litestar.routes import HTTPRoute

from manyhands.client import calls
from tests.api.router import application
from tests.project.source_tree import PACKAGE

METHODS = {"fetch": "GET", "_fetched": "GET", "send": "POST", "post": "POST", "_sent": "POST"}
OF_A_SESSION = {"fetch_of": "GET", "send_to": "POST"}
"""They take the session and the operation in place of a path."""
OWN = {"timeout"}
"""Of the client itself, not of the request."""


class Call(NamedTuple):
    where: str
    method: str
    path: str
    query: frozenset[str]
    fields: frozenset[str]
    kind: str


def routes() -> dict[tuple[str, str], HTTPRouteHandler]:
    return {
        (str(method), re.sub(r"\{\w+\}", "*", route.path_format)): handler
        for route in application().routes
        if isinstance(route, HTTPRoute)
        for handler in route.route_handlers
        for method in handler.http_methods
    }


def path_of(node: ast.expr, names: dict[str, ast.expr]) -> str | None:
    """A path as it is written; what is filled in is a star."""
    if isinstance(node, ast.Name) and node.id in names:
        return path_of(names[node.id], names)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value if node.value.startswith("/api/") else None
    if isinstance(node, ast.JoinedStr):
        parts = (p.value if isinstance(p, ast.Constant) else "*" for p in node.values)
        text = "".join(str(part) for part in parts).partition("?")[0]
        return text if text.startswith("/api/") else None
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "session_path":
        return session_path_of(node.args)
    return None


def session_path_of(given: list[ast.expr]) -> str:
    """The path of a session's operation, from the two that name it."""
    more = given[1] if len(given) > 1 else ast.Constant("")
    parts = more.values if isinstance(more, ast.JoinedStr) else [more]
    said = "".join(str(part.value) if isinstance(part, ast.Constant) else "*" for part in parts)
    return f"/api/sessions/*/{said}".rstrip("/")


def named(node: ast.expr | None, names: dict[str, ast.expr]) -> frozenset[str]:
    """The keys of a body that is written out."""
    if isinstance(node, ast.Name):
        node = names.get(node.id)
    keys = node.keys if isinstance(node, ast.Dict) else []
    return frozenset(str(k.value) for k in keys if isinstance(k, ast.Constant))


def calls_in(path: Path) -> Iterator[Call]:
    for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(function, ast.FunctionDef):
            continue
        names = {
            target.id: node.value
            for node in ast.walk(function)
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for node in ast.walk(function):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            given = list(node.args)
            kind = ast.unparse(given.pop(0)) if node.func.attr in ("_fetched", "_sent") else ""
            if method := OF_A_SESSION.get(node.func.attr):
                found: str | None = session_path_of(given)
                given = given[1:]
            else:
                method = METHODS.get(node.func.attr)
                found = path_of(given[0], names) if method and given else None
            if method and found:
                query = {word.arg for word in node.keywords if word.arg} - OWN
                fields = named(given[1] if len(given) > 1 else None, names)
                where = f"{path.relative_to(PACKAGE)}:{node.lineno}"
                yield Call(where, method, found, frozenset(query), fields, kind)


CALLS = [
    call for part in ("client", "cli") for p in sorted((PACKAGE / part).rglob("*.py"))
    for call in calls_in(p)
]  # fmt: skip
ROUTES = routes()


def disagreement(call: Call) -> str:
    """What the hub would say to it; nothing where both agree."""
    wanted = re.compile(re.escape(call.path).replace(r"\*", "[^/]+"))
    fits = [
        handler
        for (method, path), handler in ROUTES.items()
        if method == call.method and wanted.fullmatch(path)
    ]
    if not fits:
        return f"no route for {call.method} {call.path}"
    if "*" in call.path.removeprefix("/api/sessions/*"):
        return ""
    handler = fits[0]
    if more := call.query - queries(handler):
        return f"{call.path} does not know {sorted(more)}"
    if more := call.fields - fields(handler):
        return f"{call.path} does not take {sorted(more)}"
    given = handler.parsed_fn_signature.return_type.annotation
    if call.kind and expected(call.kind) != shape(given):
        return f"{call.path} answers {given}, not {call.kind}"
    return ""


def queries(handler: HTTPRouteHandler) -> set[str]:
    found = set()
    for field in handler.parsed_fn_signature.parameters.values():
        for mark in get_args(field.raw)[1:]:
            if isinstance(mark, QueryParameter):
                found.add(mark.name or field.name)
    return found


def fields(handler: HTTPRouteHandler) -> set[str]:
    data = handler.parsed_fn_signature.parameters.get("data")
    return set(data.annotation.__struct_encode_fields__) if data else set()


def expected(kind: str) -> Any:
    """The type that the client names."""
    many = re.fullmatch(r"tuple\[(\w+), \.\.\.\]", kind)
    return ("many", vars(calls)[many[1]]) if many else vars(calls)[kind]


def shape(kind: Any) -> Any:
    """A list and a tuple of any length are the same on the wire."""
    return ("many", get_args(kind)[0]) if get_origin(kind) in (list, tuple) else kind


@pytest.mark.parametrize("call", CALLS, ids=lambda call: f"{call.where} {call.path}")
def test_every_call_is_a_route_of_the_hub(call: Call) -> None:
    assert not disagreement(call)


def test_the_walk_finds_the_calls() -> None:
    assert len(CALLS) > 50
    assert {call.kind for call in CALLS} > {"HubStatus", "NewView", "SessionView"}


@pytest.mark.parametrize(
    "call",
    [
        Call("x", "GET", "/api/nowhere", frozenset(), frozenset(), ""),
        Call("x", "POST", "/api/status", frozenset(), frozenset(), ""),
        Call("x", "GET", "/api/sessions", frozenset({"everything"}), frozenset(), ""),
        Call("x", "POST", "/api/sessions/*/rename", frozenset(), frozenset({"name"}), ""),
        Call("x", "GET", "/api/status", frozenset(), frozenset(), "NewView"),
    ],
)
def test_a_call_that_the_hub_does_not_have_is_found(call: Call) -> None:
    assert disagreement(call)
