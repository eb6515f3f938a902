"""One agent after the other at the same stand."""

from __future__ import annotations

import pytest

from tests.agents.conftest import bench, model_url
from tests.agents.driver import Bench
from tests.conformance.bench import Stand
from tests.conformance.subjects import SUBJECTS, Subject

__all__ = ["bench", "model_url"]


@pytest.fixture(params=SUBJECTS, ids=lambda subject: subject.name)
def subject(request: pytest.FixtureRequest) -> Subject:
    found: Subject = request.param
    return found


@pytest.fixture
def stand(subject: Subject, bench: Bench) -> Stand:
    return Stand(subject, bench)
