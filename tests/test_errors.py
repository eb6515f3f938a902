"""A failure that is on record is raised again as what it was."""

from __future__ import annotations

import pytest

from manyhands.errors import (
    BadInput,
    Conflicted,
    ForgeDenied,
    GitFailed,
    ManyhandsError,
    NotPossible,
    failure,
)
from manyhands.store import StaleEpoch


@pytest.mark.parametrize("kind", [ManyhandsError, BadInput, NotPossible, Conflicted, ForgeDenied])
def test_a_recorded_failure_is_of_its_own_kind(kind: type[ManyhandsError]) -> None:
    again = failure(kind.code, "no luck", hint="try again")
    assert type(again) is kind
    assert (again.message, again.hint) == ("no luck", "try again")


@pytest.mark.parametrize("code", [GitFailed.code, StaleEpoch.code, "of_a_newer_version"])
def test_one_that_needs_more_than_words_is_told_all_the_same(code: str) -> None:
    again = failure(code, "no luck", hint="try again")
    assert type(again) is NotPossible
    assert (again.message, again.hint) == ("no luck", "try again")
