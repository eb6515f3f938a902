"""The demo's four tasks, by the real Claude Code in worktrees of the sample repository."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from manyhands.rehearsal.sample import SAMPLE_COMMITS, SCENARIOS, Scenario, create_sample
from tests.rehearsal.claude import Claude

MODES = {"plan": "plan", "ask": "default", "edits": "acceptEdits", "auto": "default"}


def git(*args: str, cwd: Path) -> str:
    return subprocess.run(
        ["git", *args], cwd=cwd, check=True, capture_output=True, text=True
    ).stdout


def run_tests(cwd: Path) -> None:
    subprocess.run(
        [sys.executable, "-W", "error", "-m", "unittest", "-q"],
        cwd=cwd,
        check=True,
        capture_output=True,
        timeout=60,
    )


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    path = tmp_path / "waypost"
    create_sample(path, lambda *args: git(*args, cwd=path))
    return path


def test_the_sample_has_a_history_and_its_tests_pass(sample: Path) -> None:
    subjects = git("log", "--format=%s", "--reverse", "main", cwd=sample).splitlines()
    assert subjects == [commit.message for commit in SAMPLE_COMMITS]
    run_tests(sample)
    assert git("status", "--porcelain", cwd=sample) == ""


def test_there_are_four_tasks_by_their_names() -> None:
    assert [scenario.title for scenario in SCENARIOS] == [
        "Migrate the user model to the new schema",
        "Add rate limiting to the API",
        "Write integration tests for search",
        "Update the onboarding copy",
    ]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.title)
def test_a_scenario_leaves_what_it_promises(
    scenario: Scenario, sample: Path, claude: Claude, tmp_path: Path
) -> None:
    worktree = tmp_path / "worktree"
    git("worktree", "add", "-q", "--no-track", "-b", "task", str(worktree), "main", cwd=sample)
    claude.cwd = worktree
    assert scenario.expected.missing({}, [])

    run = claude.run(
        scenario.prompt(pace=0),
        mode=MODES[scenario.mode],
        choose=scenario.answers.get("question"),
    )

    files = {
        path: (worktree / path).read_text(encoding="utf-8") for path in scenario.expected.files
    }
    commits = git("log", "--format=%s", "main..task", cwd=worktree).splitlines()
    assert scenario.expected.missing(files, commits) == []
    assert run.results[-1]["result"] == scenario.steps[-1].text.replace("$ZONE", "UTC")
    # Running the suite half-way through the migration fails, as the agent goes on to say.
    allowed = 1 if "question" in scenario.answers else 0
    assert len(run.failures) == allowed, run.failures
    wanted = {"AskUserQuestion": "question", "ExitPlanMode": "plan"}
    asked = {wanted[item["tool"]] for item in run.of("asked") if item["tool"] in wanted}
    assert asked == set(scenario.answers) - {"permission"}
    run_tests(worktree)


def test_pace_slows_a_scenario_down_for_a_watcher() -> None:
    quick, slow = (SCENARIOS[0].prompt(pace=pace) for pace in (0, 1))
    assert "delay" not in quick
    assert slow.count('"delay"') == len(SCENARIOS[0].steps)
