"""The parts without a process: turns, usage, late answers, the catalogue."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from manyhands.agents.bounded import bounded_input
from manyhands.agents.catalogue import agent_spec, known_agents, require_usable
from manyhands.agents.claude.cli import arguments
from manyhands.agents.claude.sdk import ResultMessage
from manyhands.agents.claude.stream import result_text
from manyhands.agents.claude.turn import Turn
from manyhands.agents.claude.usage import ClaudeMeter, load_meter
from manyhands.agents.known import KNOWN
from manyhands.agents.permission.answers import late_answer, question_answers
from manyhands.agents.permission.permits import Grant
from manyhands.config import AgentConfig, Environment, Home, Settings
from manyhands.errors import AgentFailed, BadInput
from manyhands.model.attention.attention import PERMISSION_OPTIONS, Attention, Kind, Resolution
from manyhands.model.events import TurnFinished, TurnStarted
from manyhands.model.ids import AgentSessionId, AttentionId, SessionId
from manyhands.model.wire import AgentSpec
from manyhands.rehearsal.provider import ready_file
from tests.support.agent_driver import question

DONE = ResultMessage(
    subtype="success",
    duration_ms=1,
    duration_api_ms=1,
    is_error=False,
    num_turns=1,
    session_id="s",
)
ABORTED = replace(DONE, is_error=True, subtype="error_during_execution")
OVERLOADED = replace(DONE, is_error=True, api_error_status=529, result="API Error: 529 too busy")


def outcome(turn: Turn, *inputs: str | ResultMessage) -> list[str]:
    events: list[Any] = []
    for given in inputs:
        events += turn.state(given) if isinstance(given, str) else turn.result(given)
    return [event.outcome for event in events]


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        (("running", DONE, "idle"), ["done"]),
        (("running", DONE, DONE, "idle"), ["done"]),
        (("running", "idle"), []),
        ((DONE,), ["done"]),
        (("running", OVERLOADED, "idle"), ["failed"]),
        (("running", OVERLOADED, DONE, "idle"), ["done"]),
    ],
)
def test_a_turn_ends_when_the_program_rests(inputs: tuple[Any, ...], expected: list[str]) -> None:
    turn = Turn()
    turn.begin()
    assert outcome(turn, *inputs) == expected
    assert turn.running == (not expected)


@pytest.mark.parametrize("after", [("running", ABORTED, "idle"), ("idle",)])
def test_an_interrupted_turn_says_so(after: tuple[Any, ...]) -> None:
    turn = Turn()
    turn.begin()
    turn.interrupt()
    assert outcome(turn, *after) == ["interrupted"]


def test_an_interrupt_counts_for_its_own_turn_alone() -> None:
    turn = Turn()
    turn.begin()
    turn.interrupt()
    assert outcome(turn, "running", DONE, "idle") == ["interrupted"]
    turn.interrupt()
    turn.begin()
    assert outcome(turn, "running", DONE, "idle") == ["done"]


def test_work_that_nobody_asked_for_begins_a_turn_once() -> None:
    turn = Turn()
    assert turn.activity() == [TurnStarted()]
    assert turn.activity() == []
    assert turn.result(DONE) == [TurnFinished(outcome="done")]


def usage(tokens: int, cost: float) -> dict[str, Any]:
    return {"opus": {"inputTokens": tokens, "outputTokens": tokens, "costUSD": cost}}


def test_usage_is_counted_from_where_the_program_will_go_on(tmp_path: Path) -> None:
    project = tmp_path / "projects" / "-a-b"
    project.mkdir(parents=True)
    lines = [
        {"type": "user", "message": "x"},
        {"type": "cost-state", "sessionId": "s", "modelUsage": usage(5, 0.5)},
        {"type": "cost-state", "sessionId": "s", "modelUsage": usage(10, 1.0)},
    ]
    text = "\n".join(json.dumps(line, separators=(",", ":")) for line in lines)
    (project / "s.jsonl").write_text(text)
    (record,) = load_meter(tmp_path, "s").read(usage(12, 1.25))
    assert (record.tokens_in, record.tokens_out, record.cost_usd) == (2, 2, 0.25)
    (record,) = load_meter(tmp_path, "unknown").read(usage(12, 1.25))
    assert record.cost_usd == 1.25


def test_usage_never_runs_backwards() -> None:
    meter = ClaudeMeter({})
    meter.read(usage(10, 1.0))
    assert meter.read({}) == []
    assert meter.read(usage(4, 0.1)) == []
    (record,) = meter.read(usage(5, 0.2))
    assert record.tokens_in == 1


def test_a_huge_input_is_cut_and_its_size_kept() -> None:
    kept, size = bounded_input({"content": "é" * 100_000, "list": ["x" * 100_000]})
    assert size > 300_000
    assert len(json.dumps(kept, ensure_ascii=False).encode()) < 70_000
    small = {"a": [1, 2]}
    assert bounded_input(small) == (small, 13)


def test_results_that_are_no_text_are_named() -> None:
    assert result_text([{"type": "text", "text": "a"}, {"type": "image"}]) == "a\n[image]"
    assert result_text(None) == ""


def item(kind: Kind, **detail: Any) -> Attention:
    return Attention(
        id=AttentionId("i"),
        session=SessionId("s"),
        kind=kind,
        summary="Bash: make",
        detail=detail,
        options=PERMISSION_OPTIONS,
        raised_at="2026-01-01T00:00:00.000Z",
    )


def test_a_late_permission_is_a_grant_for_the_identical_call() -> None:
    asked = item("permission", tool="Bash", input={"command": "make"}, reason="runs a command")
    for option in ("allow", "allow-session", "allow-repo"):
        late = late_answer(asked, Resolution((option,)))
        assert late.grant == Grant("Bash", {"command": "make"})
        assert "Bash: make" in late.text
    denied = late_answer(asked, Resolution(("deny",), "too slow"))
    assert denied.grant is None
    assert "too slow" in denied.text


@pytest.mark.parametrize(
    ("option", "mode"),
    [("approve", "edits"), ("approve-ask", "ask"), ("approve-auto", "auto"), ("revise", None)],
)
def test_a_late_plan_answer_carries_mode_and_words(option: str, mode: str | None) -> None:
    late = late_answer(item("plan", plan="1. x"), Resolution((option,), "and docs"))
    assert late.mode == mode
    assert "and docs" in late.text
    assert late.grant is None


def test_a_late_answer_to_questions_repeats_them() -> None:
    asked = item("question", questions=[question("Colour?", "Red", "Blue")])
    assert "Colour? → Blue" in late_answer(asked, Resolution(("q1.2",))).text


def test_words_beside_a_choice_are_not_lost() -> None:
    answers = question_answers([question("Colour?", "Red")], Resolution(("q1.1",), "but dark"))
    assert answers == {"Colour?": "Red (but dark)"}


def test_flags_bind_their_values() -> None:
    spec = AgentSpec(name="own", kind="claude", model="-m")
    flags = arguments(spec, "edits", AgentSessionId("-x"), AgentSessionId(""))
    assert "--resume=-x" in flags
    assert "--model=-m" in flags
    assert flags[flags.index("--permission-mode") + 1] == "acceptEdits"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    home = Home(tmp_path / "home")
    home.root.mkdir()
    return home


def spec_env(name: str, settings: Settings, home: Home) -> dict[str, str]:
    return agent_spec(name, settings, home, session="s1", worktree="/w", repo="/r").env


def test_an_agents_environment_is_an_allow_list_plus_its_own(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "canary")
    monkeypatch.setenv("PASSED", "yes")
    settings = Settings(
        agents={"fast": AgentConfig(kind="claude", model="haiku", env={"ANTHROPIC_API_KEY": "k"})},
        environment=Environment(passed=("PASSED",)),
    )
    env = spec_env("fast", settings, home)
    assert "SECRET_TOKEN" not in env
    assert env["PASSED"] == "yes"
    assert env["ANTHROPIC_API_KEY"] == "k"
    assert (env["MANYHANDS_SESSION"], env["MANYHANDS_WORKTREE"]) == ("s1", "/w")
    assert env["CLAUDE_CODE_TMPDIR"].startswith(str(home.sessions))
    spec = agent_spec("fast", settings, home, session="s", worktree="/w", repo="/r")
    assert spec.model == "haiku"
    chosen = agent_spec("fast", settings, home, session="s", worktree="/w", repo="/r", model="opus")
    assert chosen.model == "opus"


def test_rehearsal_needs_its_model_and_gets_a_home_of_its_own(home: Home) -> None:
    with pytest.raises(AgentFailed, match="not running"):
        spec_env("rehearsal", Settings(), home)
    with pytest.raises(AgentFailed, match="no model running"):
        require_usable("rehearsal", Settings(), home)
    ready_file(home).write_text(json.dumps({"url": "http://127.0.0.1:9", "pid": os.getpid()}))
    env = spec_env("rehearsal", Settings(), home)
    assert env["ANTHROPIC_BASE_URL"] == "http://127.0.0.1:9"
    assert env["HOME"] == str(home.root / "rehearsal" / "home")
    require_usable("rehearsal", Settings(), home)


def test_an_unknown_agent_names_the_known_ones(home: Home) -> None:
    with pytest.raises(BadInput) as caught:
        spec_env("nobody", Settings(), home)
    assert caught.value.hint.startswith("known: claude, claude-acp, codex, gemini, goose")


def test_a_missing_login_or_program_is_said_with_what_to_do(home: Home) -> None:
    with pytest.raises(AgentFailed, match="not logged in") as caught:
        require_usable("claude", Settings(), home)
    assert "/login" in caught.value.hint
    config = Path(os.environ["HOME"]) / ".claude"
    config.mkdir(parents=True)
    (config / ".credentials.json").write_text("{}")
    require_usable("claude", Settings(), home)
    missing = Settings(agents={"mine": AgentConfig(kind="claude", command=("no-such-claude",))})
    with pytest.raises(AgentFailed, match="not installed") as caught:
        require_usable("mine", missing, home)
    assert "no-such-claude" in caught.value.hint


def test_a_program_is_asked_its_version_for_the_list_and_not_before_each_session(
    home: Home, tmp_path: Path
) -> None:
    known, asked = KNOWN["codex"], tmp_path / "asked"
    program = tmp_path / known.command[0]
    program.write_text(f"#!/bin/sh\ntouch {asked}\necho 1.2.3\n")
    program.chmod(0o755)
    config = AgentConfig(
        kind="acp", like="codex", command=(str(program),), env={known.keys[0]: "key"}
    )
    settings = Settings(agents={"slow": config})
    require_usable("slow", settings, home)
    assert not asked.exists()
    [view] = [view for view in known_agents(settings, home) if view.name == "slow"]
    assert (view.version, asked.exists()) == ("1.2.3", True)


def test_a_program_that_gave_no_answer_once_is_asked_its_version_again(
    home: Home, tmp_path: Path
) -> None:
    known, awake = KNOWN["codex"], tmp_path / "awake"
    program = tmp_path / known.command[0]
    program.write_text(f"#!/bin/sh\ntest -e {awake} || exit 1\necho 1.2.3\n")
    program.chmod(0o755)
    config = AgentConfig(kind="acp", like="codex", command=(str(program),))
    settings = Settings(agents={"busy": config})

    def version() -> str | None:
        return next(view.version for view in known_agents(settings, home) if view.name == "busy")

    assert not version()
    awake.touch()
    assert version() == "1.2.3"


def test_the_list_of_agents_tells_version_and_login(home: Home) -> None:
    settings = Settings(agents={"gone": AgentConfig(kind="acp", command=("no-such-agent",))})
    views = {view.name: view for view in known_agents(settings, home)}
    assert list(views) == ["claude", "rehearsal", *KNOWN, "gone"]
    assert views["claude"].installed
    assert views["claude"].version.count(".") == 2
    assert views["claude"].logged_in is (None if sys.platform == "darwin" else False)
    assert not views["gone"].installed
    assert "no-such-agent" in views["gone"].hint


def test_an_old_program_on_the_path_gives_way_to_the_bundled_one(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = tmp_path / "bin" / "claude"
    old.parent.mkdir()
    old.write_text("#!/bin/sh\necho '1.0.3 (Claude Code)'\n")
    old.chmod(0o755)
    monkeypatch.setenv("PATH", f"{old.parent}:{os.environ['PATH']}")
    (view, *_) = known_agents(Settings(), home)
    assert view.version != "1.0.3"
    old.write_text("#!/bin/sh\necho '7.0.3 (Claude Code)'\n")
    (view, *_) = known_agents(Settings(), home)
    assert view.version == "7.0.3"
