"""The policy as tables, and what must hold for any path at all."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from manyhands.agents.permission import shell
from manyhands.agents.permission.bounds import Bounds
from manyhands.agents.permission.policy import Allow, Ask, Decision, Deny, decide
from manyhands.agents.permission.rules import rule_for
from manyhands.model.agent.rules import Rule
from manyhands.model.events import Mode

MODES: tuple[Mode, ...] = ("plan", "ask", "edits", "auto")
LETTERS = {Allow: "+", Ask: "?", Deny: "-"}


@pytest.fixture(scope="module")
def bounds() -> Iterator[Bounds]:
    with tempfile.TemporaryDirectory() as name:
        top = Path(name).resolve()
        for place in ("tree/src", "tree/.git", "scratch", "plans", "skills", "outside"):
            (top / place).mkdir(parents=True)
        (top / "tree" / "escape").symlink_to(top / "outside")
        (top / "tree" / "within").symlink_to("src")
        yield Bounds(
            worktree=top / "tree",
            cwd=top / "tree",
            home=top,
            scratch=(top / "scratch",),
            plans=(top / "plans",),
            notes=(top / "skills",),
        )


def verdicts(tool: str, input: dict[str, Any], bounds: Bounds) -> str:
    """One letter for each of plan, ask, edits, auto."""
    return "".join(LETTERS[type(decide(mode, tool, input, bounds))] for mode in MODES)


@pytest.mark.parametrize(
    ("tool", "path", "expected"),
    [
        ("Read", "src/a.py", "++++"),
        ("Read", "../outside/x", "????"),
        ("Read", "escape/x", "????"),
        ("Read", "within/x", "++++"),
        ("Read", "/etc/passwd", "????"),
        ("Read", "~/.ssh/id", "????"),
        ("Read", "~/skills/greet.md", "++++"),
        ("Read", "~/plans/p.md", "++++"),
        ("Write", "src/a.py", "-?++"),
        ("Write", "within/a.py", "-?++"),
        ("Write", "escape/a.py", "-???"),
        ("Write", "../outside/x", "-???"),
        ("Write", "src/../../outside/x", "-???"),
        ("Write", "~/plans/p.md", "++++"),
        ("Write", "~/scratch/p.md", "++++"),
        ("Write", "~/skills/s.md", "-???"),
        ("Edit", ".git/hooks/pre-commit", "-??+"),
        ("Edit", ".claude/settings.json", "-??+"),
        ("MultiEdit", "src/a.py", "-?++"),
    ],
)
def test_file_tools(bounds: Bounds, tool: str, path: str, expected: str) -> None:
    assert verdicts(tool, {"file_path": path}, bounds) == expected


@pytest.mark.parametrize(
    ("tool", "input", "expected"),
    [
        ("Grep", {"pattern": "x"}, "++++"),
        ("Grep", {"pattern": "x", "path": "/etc"}, "????"),
        ("Glob", {"pattern": "**/*.py"}, "++++"),
        ("Glob", {"pattern": "../**"}, "????"),
        ("Glob", {"pattern": "/etc/*"}, "????"),
        ("NotebookEdit", {"notebook_path": "a.ipynb"}, "-?++"),
        ("TodoWrite", {}, "++++"),
        ("Task", {"prompt": "x"}, "++++"),
        ("Agent", {"prompt": "x"}, "++++"),
        ("Agent", {"prompt": "x", "isolation": "worktree"}, "-???"),
        ("EnterWorktree", {}, "-???"),
        ("WebFetch", {"url": "https://example.invalid/x"}, "???+"),
        ("mcp__mine__ping", {}, "???+"),
        ("SomethingNew", {}, "-???"),
    ],
)
def test_other_tools(bounds: Bounds, tool: str, input: dict[str, Any], expected: str) -> None:
    assert verdicts(tool, input, bounds) == expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("ls -la", "++++"),
        ("git log --oneline -3 | head", "++++"),
        ("git status && git diff", "++++"),
        ("grep -rn TODO src", "++++"),
        ("find . -name '*.py'", "++++"),
        ("rg -n TODO", "++++"),
        ("cat /etc/passwd", "????"),
        ("cat ~/.ssh/id", "????"),
        ("ls escape", "????"),
        ("pytest -q", "-??+"),
        ("npm test", "-??+"),
        ("make 2>/dev/null", "-??+"),
        ("/usr/bin/env python3 x.py", "-??+"),
        ("git commit -m 'Add /api/limits'", "-??+"),
        ("curl http://127.0.0.1:8000/x", "-??+"),
        ("for f in *.py; do wc -l $f; done", "-??+"),
        ("touch x", "-??+"),
        ("cat x > y", "-??+"),
        ("cat x >> y", "-??+"),
        ("ls & touch y", "-??+"),
        ("ls\ntouch y", "-??+"),
        ("echo $(touch y)", "-??+"),
        ("echo `touch y`", "-??+"),
        ("cat <(touch y)", "-??+"),
        ("find . -delete", "-??+"),
        ("find . -exec touch y +", "-??+"),
        ("find . -fprintf y x", "-??+"),
        ("rg --pre touch x", "-??+"),
        ("git diff --output=y", "-??+"),
        ("git diff --outpu y", "-??+"),
        ("git -c core.pager=touch log", "-??+"),
        ("git branch -D main", "-??+"),
        ("git checkout .", "-??+"),
        ("A=1 ls", "-??+"),
        ("tee y", "-??+"),
        ("sort -o y x", "-??+"),
        ("sed -i s/a/b/ x", "-??+"),
        ("rm -rf ../outside", "-???"),
        ("cd .. && make", "-???"),
        ("cd && make", "-???"),
        ("cd - ; make", "-???"),
        ("touch $HOME/x", "-???"),
        ("touch ${HOME}/x", "-???"),
        ("touch ~/x", "-???"),
        ("touch ~root/x", "-???"),
        ("touch escape/x", "-???"),
        ("touch .'.'/x", "-???"),
        ("touch .{.,}/x", "-???"),
        ("touch \\/etc/x", "-???"),
        ("touch $'\\x2fetc'", "-???"),
        ("python3 -c \"open('/etc/x', 'w')\"", "-???"),
        ("cc -I/usr/include x.c", "-???"),
        ("cp x --target-directory=/etc", "-???"),
        ("rm /usr/bin/env", "-???"),
        ("curl file:///etc/passwd", "-???"),
        ("", "-??+"),
    ],
)
def test_commands(bounds: Bounds, command: str, expected: str) -> None:
    assert verdicts("Bash", {"command": command}, bounds) == expected
    assert verdicts("Monitor", {"command": command}, bounds) == expected


def test_a_rule_covers_its_own_call_and_never_a_denied_one(bounds: Bounds) -> None:
    make = {"command": "make"}
    rule = rule_for("Bash", make, bounds)
    assert rule == Rule("Bash", "make")
    assert decide("ask", "Bash", make, bounds, {rule}) == Allow()
    assert isinstance(decide("ask", "Bash", {"command": "make x"}, bounds, {rule}), Ask)
    assert isinstance(decide("plan", "Bash", make, bounds, {rule}), Deny)


def test_a_rule_for_files_inside_does_not_open_the_outside(bounds: Bounds) -> None:
    inside, outside = {"file_path": "a"}, {"file_path": "../outside/a"}
    rule = rule_for("Write", inside, bounds)
    assert decide("ask", "Write", {"file_path": "src/b"}, bounds, {rule}) == Allow()
    assert isinstance(decide("ask", "Write", outside, bounds, {rule}), Ask)
    opened = rule_for("Write", outside, bounds)
    assert decide("ask", "Write", outside, bounds, {opened}) == Allow()
    other = {"file_path": "../outside/b"}
    assert isinstance(decide("ask", "Write", other, bounds, {opened}), Ask)


parts = st.sampled_from(["..", ".", "src", "escape", "within", "x", "~", "", "...", "a b", "tree"])
paths = st.builds(
    lambda start, rest: start + "/".join(rest),
    st.sampled_from(["", "/", "~/", "./", "../", "//"]),
    st.lists(parts, min_size=1, max_size=6),
)


def really_inside(path: str, bounds: Bounds) -> bool:
    expanded = path.replace("~", str(bounds.home), 1) if path.startswith("~/") else path
    real = os.path.realpath(bounds.worktree / expanded)
    return real == str(bounds.worktree) or real.startswith(f"{bounds.worktree}{os.sep}")


def is_own(path: str, bounds: Bounds) -> bool:
    real = bounds.real(path)
    places = (*bounds.scratch, *bounds.plans, *bounds.notes)
    return any(real.is_relative_to(place) for place in places)


@given(path=paths, mode=st.sampled_from(MODES), tool=st.sampled_from(["Read", "Write", "Edit"]))
def test_no_path_outside_is_reached_without_asking(
    bounds: Bounds, path: str, mode: Mode, tool: str
) -> None:
    decision: Decision = decide(mode, tool, {"file_path": path}, bounds)
    if not really_inside(path, bounds) and not is_own(path, bounds):
        assert not isinstance(decision, Allow)


@given(path=paths, quote=st.sampled_from(["{}", "'{}'", '"{}"', "x={}", "--file={}", ">{}"]))
def test_no_command_names_a_path_outside_unseen(bounds: Bounds, path: str, quote: str) -> None:
    # Unquoted, a space makes two words of it.
    assume(" " not in path or quote[0] in "'\"")
    if not really_inside(path, bounds) and not is_own(path, bounds):
        assert shell.leaves(f"touch {quote.format(path)}", bounds)


WORDS = """
ls cat git find echo log diff touch new . x -delete -exec {} + -o --output=new -fprint > >> < |
|| && & ; ;; ( ) { } $(touch ` ' " \\ # ! ~ * = A=1 <<E >new 2>new <(ls)
"""
commands = st.builds(
    lambda start, rest: " ".join([start, *rest]),
    st.sampled_from(["ls", "cat", "find .", "git log", "git diff", "echo"]),
    st.lists(st.sampled_from([*WORDS.split(), "\n"]), max_size=4),
)


@settings(max_examples=300, deadline=None)
@given(commands)
def test_what_is_called_read_only_changes_nothing_when_it_runs(command: str) -> None:
    if not shell.is_read_only(command):
        return
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "x").write_text("here")
        env = {"PATH": os.environ["PATH"], "HOME": name}
        subprocess.run(
            ["bash", "-c", command],
            cwd=name,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert [entry.name for entry in Path(name).iterdir()] == ["x"]
        assert (Path(name) / "x").read_text() == "here"
