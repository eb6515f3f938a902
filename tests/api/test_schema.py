"""The API against its own OpenAPI document: whatever a client makes up, it answers as it says."""

from __future__ import annotations

import re
from typing import Any

import hypothesis
import pytest
import schemathesis
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.api.router import doors
from tests.driver import Json, RunningHub

EXAMPLES = 12
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


@pytest.mark.parametrize("share", range(SHARES))
@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
def test_no_request_that_can_be_made_up_breaks_the_hub(
    hub: RunningHub, document: Json, mode: GenerationMode, share: int
) -> None:
    """Also with the name of a session that is there, so that operations are really reached."""
    victim = hub.new("x", start=False, name="Fuzzed")["id"]
    schema = schemathesis.openapi.from_dict(document)
    schema.config.update(base_url=hub.url)
    operations = map(require_operation, schema.get_all_operations())
    ours = [o for o in operations if o.path not in NOT_FUZZED][share::SHARES]
    assert len(ours) > 25 // SHARES
    for operation in ours:
        fuzz(hub, operation, mode, victim)


def require_operation(result: Any) -> Any:
    return result.ok()


def fuzz(hub: RunningHub, operation: Any, mode: GenerationMode, session: str) -> None:
    @hypothesis.settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(case=operation.as_strategy(generation_mode=mode), real=...)
    def requests(case: Any, real: bool) -> None:
        if real and "ref" in (case.path_parameters or {}):
            case.path_parameters["ref"] = session
        if operation.path == "/api/wait" and isinstance(case.body, dict):
            case.body["timeout"] = 0.01
        stranger = case.call(headers={"Content-Type": "application/json"}, timeout=60)
        assert not 200 <= stranger.status_code < 300 or operation.path == "/api/exchange"
        answer = case.call(headers=hub.bearer, timeout=60)
        case.validate_response(answer, checks=CHECKS)

    try:
        requests()
    except hypothesis.errors.Unsatisfiable:
        # There is nothing to get wrong in a request that takes nothing.
        assert mode is GenerationMode.NEGATIVE
