"""Every command of the corpus is judged as it says, in every mode, and for the reason it says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from manyhands.agents.permission.bounds import Bounds
from manyhands.agents.permission.policy import VERDICTS, Allow, Ask, Deny, decide, judge
from manyhands.model.events import Mode
from tests.agents.permission.corpus import Case, cases, make_bounds

MODES: tuple[Mode, ...] = ("plan", "ask", "edits", "auto")
LETTERS = {Allow: "+", Ask: "?", Deny: "-"}
BY_DEED = {
    "reads": "++++",
    "looks out": "????",
    "edits": "-?++",
    "works": "-??+",
    "reaches": "-???",
}
CASES = cases()


@pytest.fixture(scope="module")
def bounds(tmp_path_factory: pytest.TempPathFactory) -> Bounds:
    return make_bounds(tmp_path_factory.mktemp("corpus").resolve())


@pytest.mark.parametrize("deed", ["reads", "looks out", "works", "reaches"])
def test_every_command_is_judged_as_the_corpus_says(bounds: Bounds, deed: str) -> None:
    wrong = [told for case in CASES if case.deed == deed for told in _wrong(case, bounds)]
    assert wrong == []


def _wrong(case: Case, bounds: Bounds) -> Iterator[str]:
    call = {"command": case.command}
    found = judge("Bash", call, bounds)
    if found.deed != case.deed:
        yield f"{case.command!r} {found.deed} ({found.reason}), not {case.deed}: {case.why}"
    elif case.reason and not re.search(case.reason, found.reason):
        yield f"{case.command!r} is asked about since it {found.reason!r}, not {case.reason!r}"
    letters = "".join(LETTERS[type(decide(mode, "Bash", call, bounds))] for mode in MODES)
    if letters != BY_DEED[found.deed]:
        yield f"{case.command!r} is {letters} in {MODES}"


def test_one_table_says_what_each_mode_makes_of_a_deed() -> None:
    told = {deed: "".join(LETTERS[row[mode]] for mode in MODES) for deed, row in VERDICTS.items()}
    assert told == BY_DEED


def test_the_corpus_is_large_and_holds_no_command_twice() -> None:
    commands = [case.command for case in CASES]
    assert len(set(commands)) == len(commands) > 700
    assert sum(case.deed in ("reads", "works") for case in CASES) > 300


def test_whatever_is_asked_about_has_a_reason_in_words(bounds: Bounds) -> None:
    for case in CASES:
        found = judge("Bash", {"command": case.command}, bounds)
        if case.deed in ("looks out", "reaches"):
            assert found.reason
            assert re.fullmatch(r"[^\ue000-\ue0ff\0]+", found.reason)


def test_a_worktree_elsewhere_is_judged_the_same_by_its_links(
    bounds: Bounds, tmp_path: Path
) -> None:
    link = tmp_path / "link"
    link.symlink_to(bounds.worktree)
    through = Bounds(worktree=link, cwd=link, home=bounds.home)
    assert judge("Bash", {"command": "touch src/a"}, through).deed == "works"
    assert judge("Bash", {"command": f"touch {bounds.worktree}/src/a"}, through).deed == "works"
    assert judge("Bash", {"command": "touch ../a"}, through).deed == "reaches"
