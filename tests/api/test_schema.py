"""The API against its own OpenAPI document: whatever a stranger or a client makes up."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import hypothesis
import pytest
import schemathesis
from schemathesis.checks import not_a_server_error
from schemathesis.core.transport import Response
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.driver import Json, RunningHub

EXAMPLES = 12
SETTINGS = hypothesis.settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(hypothesis.HealthCheck),
)
NOT_HERE = {"/api/down", "/api/rotate"}
"""They would end the hub or our own way in; they have tests of their own."""


@pytest.fixture(scope="module")
def document(hub: RunningHub, resting: Json) -> Json:
    return hub.get("/api/openapi.json")


def operations(hub: RunningHub, document: Json) -> Iterator[Any]:
    schema = schemathesis.openapi.from_dict(document)
    schema.config.update(base_url=hub.url)
    for result in schema.get_all_operations():
        operation = result.ok()
        if operation.path not in NOT_HERE:
            yield operation
