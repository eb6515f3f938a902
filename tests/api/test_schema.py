"""The API against its own OpenAPI document: whatever a client makes up, it answers as it says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import hypothesis
import pytest
import requests
import schemathesis
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.api.router import doors
from tests.support.driver import Json, RunningHub

EXAMPLES = 8
SHARES = 4
"""Of all operations, tried side by side."""
NOT_FUZZED = {"/api/down", "/api/rotate"}
"""They would end the hub or our own way in; they have tests of their own."""
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


@pytest.fixture(scope="module")
def document(hub: RunningHub) -> Json:
    return hub.get("/api/openapi.json")


def test_every_route_is_documented(document: Json) -> None:
    documented = {
        (method.upper(), re.sub(r"\{\w+\}", "x", path))
        for path, item in document["paths"].items()
        for method in item
    }
    routed = {
        (door.method, door.path.replace("any/place", "x"))
        for door in doors("x")
        if door.path.startswith("/api/") and not door.path.startswith("/api/openapi.json")
    }
    assert documented == {door for door in routed if door[0] != "OPTIONS"}


@pytest.fixture(scope="module")
def operations(hub: RunningHub, document: Json) -> list[Any]:
    schema = schemathesis.openapi.from_dict(document)
    schema.config.update(base_url=hub.url)
    found = map(require_operation, schema.get_all_operations())
    return [operation for operation in found if operation.path not in NOT_FUZZED]


def require_operation(result: Any) -> Any:
    return result.ok()


@pytest.fixture(scope="module")
def link() -> Iterator[requests.Session]:
    """One connection for all requests, whatever the one before was."""
    with requests.Session() as session:
        session.trust_env = False
        yield session


@pytest.mark.parametrize("share", range(SHARES))
@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
def test_no_request_that_can_be_made_up_breaks_the_hub(
    hub: RunningHub,
    operations: list[Any],
    link: requests.Session,
    mode: GenerationMode,
    share: int,
) -> None:
    """Also with the name of a session that is there, so that operations are really reached."""
    victim = hub.new("x", start=False, name="Fuzzed")["id"]
    ours = operations[share::SHARES]
    assert len(ours) > 25 // SHARES
    for operation in ours:
        if mode is GenerationMode.POSITIVE or can_be_wrong(operation):
            fuzz(hub, link, operation, mode, victim)


def can_be_wrong(operation: Any) -> bool:
    """There is nothing to get wrong in a request that takes nothing, or any text in its path."""
    text = {"type": "string"}
    names = [*operation.query, *operation.headers, *operation.cookies, *operation.body]
    return bool(names) or any(p.definition["schema"] != text for p in operation.path_parameters)


def fuzz(
    hub: RunningHub, link: requests.Session, operation: Any, mode: GenerationMode, session: str
) -> None:
    @hypothesis.settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(case=operation.as_strategy(generation_mode=mode), real=...)
    def made_up(case: Any, real: bool) -> None:
        if real and "ref" in (case.path_parameters or {}):
            case.path_parameters["ref"] = session
        if operation.path == "/api/wait" and isinstance(case.body, dict):
            case.body["timeout"] = 0.01
        stranger = case.call(session=link, headers={"Content-Type": "application/json"}, timeout=60)
        assert not 200 <= stranger.status_code < 300 or operation.path == "/api/exchange"
        answer = case.call(session=link, headers=hub.bearer, timeout=60)
        case.validate_response(answer, checks=CHECKS)

    made_up()
