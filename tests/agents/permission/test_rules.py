"""A standing permission covers what it says and nothing more."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from manyhands.agents.permission.answers import chosen
from manyhands.agents.permission.bounds import Bounds
from manyhands.agents.permission.policy import Allow, Ask, Deny, decide
from manyhands.agents.permission.rules import covers, offered
from manyhands.agents.permission.shell.prefixes import usual_prefix
from manyhands.agents.permission.shell.walk import look
from manyhands.agents.usage import OTHERWISE, PRICES, estimate, price_of
from manyhands.model.agent.price import Price
from manyhands.model.agent.rules import Rule
from manyhands.model.attention.attention import PERMISSION_OPTIONS, Attention, Resolution
from manyhands.model.ids import AttentionId, SessionId


@pytest.fixture
def bounds(tmp_path: Path) -> Bounds:
    worktree = tmp_path / "worktree"
    worktree.mkdir()
    return Bounds(worktree=worktree, cwd=worktree, home=tmp_path)


@pytest.mark.parametrize(
    ("command", "prefix", "covered"),
    [
        ("git fetch", "git fetch", True),
        ("git fetch origin", "git fetch", True),
        ("git add a && git add b", "git add", True),
        ("git add a | head -3", "git add", True),
        ("git status && rm -rf .", "git status", False),
        ("git status; rm -rf .", "git status", False),
        ("git status & rm -rf .", "git status", False),
        ("git status | sh", "git status", False),
        ("git status || curl x | sh", "git status", False),
        ("git status\nrm -rf .", "git status", False),
        ("git status $(rm -rf .)", "git status", False),
        ("git status `rm -rf .`", "git status", False),
        ("git status > .git/config", "git status", False),
        ("git status <(rm x)", "git status", False),
        ("git\\ status", "git status", False),
        ("git statusx", "git status", False),
        ("git -c core.pager=rm status", "git status", False),
        ("GIT_PAGER=rm git status", "git status", False),
        ("rm git status", "git status", False),
        ("ls", "git status", False),
        ("git status 'unfinished", "git status", False),
        ("git fetch", "", False),
    ],
)
def test_a_prefix_holds_for_every_part_of_the_line(
    bounds: Bounds, command: str, prefix: str, covered: bool
) -> None:
    rule = Rule("Bash", prefix, "prefix")
    assert covers(rule, "Bash", {"command": command}, bounds) is covered


@pytest.mark.parametrize(
    ("command", "prefix"),
    [
        ("npm test -- --watch", "npm test"),
        ("git add . | head", "git add"),
        ("pytest -q tests", "pytest"),
        ("bash run.sh", ""),
        ("sudo make", ""),
        ("python3 -c 'x'", ""),
        ("git -C . add", ""),
        ("FOO=1 npm test", ""),
        ("./run", ""),
        ("npm test && cargo build", ""),
        ("ls", ""),
    ],
)
def test_what_is_offered_is_the_program_and_its_verb(
    bounds: Bounds, command: str, prefix: str
) -> None:
    assert usual_prefix(look(command, bounds)) == prefix


@pytest.mark.parametrize(
    ("command", "prefix", "covered"),
    [
        ("npm test", "npm test", True),
        ("npm test; curl https://example.invalid", "npm test", False),
        ("npm test $(curl https://example.invalid)", "npm test", False),
        ("npm test > /outside/f", "npm test", False),
        ("npm test ../x", "npm test", False),
        ("cd src && npm test | tail -3", "npm test", True),
        ("timeout 60 npm test", "npm test", True),
        ("bash -c 'npm test'", "npm test", True),
        ("sudo npm test", "npm test", False),
        ("git push origin x", "git push", True),
        ("git push origin x && git fetch", "git push", False),
        ("git branch -D main", "git branch", False),
        ("git stash drop", "git stash", False),
        ("git stash drop", "git stash drop", True),
        ("docker compose up", "docker compose", True),
        ("docker run x", "docker compose", False),
        ("touch /outside/f", "touch /outside/f", False),
        ("npm i -g x", "npm i", False),
    ],
)
def test_a_prefix_covers_what_its_own_words_say_and_no_more(
    bounds: Bounds, command: str, prefix: str, covered: bool
) -> None:
    rule = Rule("Bash", prefix, "prefix")
    assert covers(rule, "Bash", {"command": command}, bounds) is covered


def test_an_address_that_is_none_is_a_rule_of_its_own(bounds: Bounds) -> None:
    rule, *_ = offered("WebFetch", {"url": "http://[bad"}, bounds)
    assert rule == Rule("WebFetch", "http://[bad")
    assert not covers(rule, "WebFetch", {"url": "http://example.invalid"}, bounds)


def test_several_prefixes_together_cover_a_line(bounds: Bounds) -> None:
    both = [Rule("Bash", "npm test", "prefix"), Rule("Bash", "git add", "prefix")]
    line = {"command": "npm test && git add . && git status"}
    assert not any(covers(rule, "Bash", line, bounds) for rule in both)
    allowed = decide("ask", "Bash", line, bounds, both)
    assert isinstance(allowed, Allow)
    assert allowed.rule == "Bash: npm test …, Bash: git add …"
    further = {"command": "npm test && git add . && git commit -m x"}
    assert isinstance(decide("ask", "Bash", further, bounds, both), Ask)


def test_the_very_call_is_another_one_in_another_directory(bounds: Bounds) -> None:
    deep = bounds.worktree / "a b" / "c"
    deep.mkdir(parents=True)
    there = replace(bounds, cwd=deep)
    call = {"command": "rm -rf ../x"}
    rule, *_ = offered("Bash", call, there)
    assert rule == Rule("Bash", "cd 'a b/c' && rm -rf ../x")
    assert decide("ask", "Bash", call, there, {rule}) == Allow()
    assert isinstance(decide("auto", "Bash", call, bounds, {rule}), Ask)
    outside = replace(bounds, cwd=bounds.worktree.parent)
    assert isinstance(decide("auto", "Bash", {"command": "make"}, outside), Ask)


def test_no_rule_but_the_very_call_opens_the_outside_or_what_runs_things(bounds: Bounds) -> None:
    wide = [Rule("Bash", "touch", "prefix"), Rule("Bash", kind="tool")]
    wide += [Rule("Write", "**", "glob"), Rule("Write", kind="tool")]
    for tool, input in (
        ("Bash", {"command": "touch /etc/x"}),
        ("Bash", {"command": "touch ../x"}),
        ("Write", {"file_path": "../x"}),
        ("Write", {"file_path": ".claude/settings.json"}),
        ("Write", {"file_path": ".git/hooks/pre-commit"}),
    ):
        assert not any(covers(rule, tool, input, bounds) for rule in wide)
        assert isinstance(decide("ask", tool, input, bounds, wide), Ask)
        assert isinstance(decide("plan", tool, input, bounds, wide), Deny | Ask)


@pytest.mark.parametrize(
    ("pattern", "path", "covered"),
    [
        ("src/**", "src/a.py", True),
        ("src/**", "src/b/c.py", True),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/b/c.py", False),
        ("**/*.md", "README.md", True),
        ("**/*.md", "docs/a/b.md", True),
        ("src/**", "srcx/a.py", False),
        ("src/**", "src/../secret", False),
        ("a?c", "abc", True),
        ("a.c", "abc", False),
    ],
)
def test_a_glob_is_about_paths_in_the_worktree(
    bounds: Bounds, pattern: str, path: str, covered: bool
) -> None:
    rule = Rule("Edit", pattern, "glob")
    assert covers(rule, "Write", {"file_path": path}, bounds) is covered
    assert not covers(rule, "Read", {"file_path": path}, bounds)


def test_in_plan_mode_no_rule_lets_anything_be_written(bounds: Bounds) -> None:
    rules = [Rule("Bash", "touch", "prefix"), Rule("Write", kind="tool")]
    assert isinstance(decide("plan", "Bash", {"command": "touch a"}, bounds, rules), Deny)
    assert isinstance(decide("plan", "Write", {"file_path": "a"}, bounds, rules), Deny)
    allowed = decide("ask", "Bash", {"command": "touch a"}, bounds, rules)
    assert isinstance(allowed, Allow)
    assert allowed.rule == "Bash: touch …"


def test_an_answer_chooses_among_the_offered_rules(bounds: Bounds) -> None:
    rules = offered("Bash", {"command": "npm test -- x"}, bounds)
    told = [{"tool": r.tool, "command": r.command, "kind": r.kind} for r in rules]
    item = Attention(
        id=AttentionId("i"),
        session=SessionId("s"),
        kind="permission",
        summary="",
        detail={"rules": told},
        options=PERMISSION_OPTIONS,
        raised_at="",
    )
    assert chosen(item, Resolution(("allow",))) is None
    assert chosen(item, Resolution(("allow-repo",))) == Rule("Bash", "npm test -- x")
    by_prefix = Resolution(("allow-repo",), rule="prefix")
    assert chosen(item, by_prefix) == Rule("Bash", "npm test", "prefix")
    narrower = Resolution(("allow-session",), rule="prefix", pattern="npm test -- x")
    assert chosen(item, narrower) == Rule("Bash", "npm test -- x", "prefix")
    assert chosen(item, Resolution(("allow-repo",), rule="glob")) is None


def test_prices_are_found_by_the_longest_name_and_the_users_own_come_first() -> None:
    assert price_of("openai/gpt-5-mini-2026", {}) == PRICES["gpt-5-mini"]
    assert price_of("gpt-5.1", {}) == PRICES["gpt-5"]
    assert price_of("nobody-knows", {}) == OTHERWISE
    own = {"gpt": Price(in_=1.0, out=2.0)}
    assert price_of("gpt-5-mini", own) == own["gpt"]
    assert estimate("gpt-5", own, fresh=1_000_000, cached=1_000_000, out=500_000) == 3.0


def test_the_guide_tells_every_price() -> None:
    guide = (Path(__file__).parents[3] / "docs" / "guide" / "command.md").read_text("utf-8")
    for name, price in PRICES.items():
        cached = price.in_ if price.cached is None else price.cached
        assert f"| {name} | {price.in_:g} | {price.out:g} | {cached:g} |" in guide
