"""A failure that is on record is raised again as what it was; the machine's are told in words."""

from __future__ import annotations

import errno

import pytest

from manyhands.errors import (
    BadInput,
    Conflicted,
    ForgeDenied,
    GitFailed,
    ManyhandsError,
    NotPossible,
    failure,
    machine_failed,
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


def test_what_the_machine_refuses_is_told_with_a_way_out_and_nothing_else_is() -> None:
    full = machine_failed(OSError(errno.ENOSPC, "No space left on device", "from", None, "to"))
    assert full is not None
    assert (full.message, full.code) == ("No space left on device (to)", "machine_failed")
    assert "free some space" in full.hint
    # A lock that another has is no shortage.
    assert machine_failed(BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")) is None
    assert machine_failed(FileNotFoundError(errno.ENOENT, "No such file", "x")) is None
    assert machine_failed(ValueError("x")) is None
