"""Four prepared tasks on the sample repository, for the demo and for tests."""

from __future__ import annotations

from manyhands.rehearsal.scenarios.onboarding_copy import ONBOARDING_COPY
from manyhands.rehearsal.scenarios.rate_limiting import RATE_LIMITING
from manyhands.rehearsal.scenarios.scenario import Expected, Scenario
from manyhands.rehearsal.scenarios.search_tests import SEARCH_TESTS
from manyhands.rehearsal.scenarios.user_model import USER_MODEL

__all__ = ["SCENARIOS", "Expected", "Scenario"]

SCENARIOS: tuple[Scenario, ...] = (USER_MODEL, RATE_LIMITING, SEARCH_TESTS, ONBOARDING_COPY)
