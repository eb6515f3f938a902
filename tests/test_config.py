"""The config and the home: a mistake is named with line and key, a bad place in one sentence."""

from __future__ import annotations

import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from manyhands.config import Home, child_environment, load_settings
from manyhands.errors import BadInput, ManyhandsError

WHOLE = """
[agents.fast]
kind = "claude"
model = "claude-sonnet-4-6"
env = { ANTHROPIC_BASE_URL = "http://127.0.0.1:9000" }
[agents.echo]
kind = "acp"
command = ["python3", "echo_agent.py"]
[defaults]
agent = "fast"
[limits]
working = 2
[budget]
session_usd = 5.0
[environment]
pass = ["MY_PROXY"]
"""
TWO_AGENTS = '[agents.slow]\nkind = "claude"\n\n[agents.fast]\nkind = "{kind}"\n'


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Home]:
    with tempfile.TemporaryDirectory(prefix="mh") as short:
        monkeypatch.setenv("XDG_RUNTIME_DIR", short)
        yield Home(tmp_path / "home")


def configure(home: Home, text: str | bytes) -> None:
    home.root.mkdir(exist_ok=True)
    home.config.write_bytes(text if isinstance(text, bytes) else text.encode())


def complaint(home: Home, text: str | bytes) -> str:
    configure(home, text)
    with pytest.raises(BadInput) as refused:
        load_settings(home)
    assert str(home.config) in refused.value.message
    return refused.value.message


def test_without_a_config_the_defaults_hold(home: Home) -> None:
    settings = load_settings(home)
    assert (settings.defaults.agent, settings.defaults.mode) == ("claude", "ask")
    assert (settings.limits.working, settings.budget.session_usd) == (4, None)


def test_everything_promised_can_be_set(home: Home) -> None:
    configure(home, WHOLE)
    settings = load_settings(home)
    assert settings.agents["fast"].env == {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9000"}
    assert settings.agents["echo"].command == ("python3", "echo_agent.py")
    assert (settings.defaults.agent, settings.limits.working) == ("fast", 2)
    assert (settings.budget.session_usd, settings.environment.passed) == (5.0, ("MY_PROXY",))


@pytest.mark.parametrize(
    ("text", "line", "key"),
    [
        ("[defaults]\nagent = 5\n", 2, "defaults.agent"),
        ('[limits]\nworking = "four"\n', 2, "limits.working"),
        ("[limits]\n\nworkin = 4\n", 3, "limits.workin"),
        ("[lmits]\nworking = 4\n", 1, "lmits"),
        ('defaults.mode = "reckless"\n', 1, "defaults.mode"),
        ("agents = 5\n", 1, "agents"),
        ('[environment]\npass = "A"\n', 2, "environment.pass"),
    ],
)
def test_a_wrong_value_is_named_with_line_and_key(
    home: Home, text: str, line: int, key: str
) -> None:
    assert f", line {line}: {key}: " in complaint(home, text)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[limits\nworking = 4\n", 1),
        ('[defaults]\nagent = "a"\nagent = "b"\n', 3),
        ('x = "\\q"\n', 1),
        ("[limits]\nworking = [\n", 2),
    ],
)
def test_broken_toml_is_named_with_its_line(home: Home, text: str, line: int) -> None:
    message = complaint(home, text)
    assert "is not valid TOML" in message
    assert f"line {line}" in message


def test_the_right_one_of_two_agents_is_named(home: Home) -> None:
    message = complaint(home, TWO_AGENTS.format(kind="robot"))
    assert ", line 5: agents.fast.kind: " in message


@pytest.mark.parametrize("number", [0, -1])
def test_a_limit_under_which_nothing_could_work_is_refused(home: Home, number: int) -> None:
    assert "limits.working" in complaint(home, f"[limits]\nworking = {number}\n")


def test_a_config_that_is_no_text_is_one_sentence(home: Home) -> None:
    assert "cannot be read" in complaint(home, b"\xff\xfe\x00")
    home.config.unlink()
    home.config.mkdir()
    with pytest.raises(BadInput, match="cannot be read"):
        load_settings(home)


def test_a_home_is_private(home: Home) -> None:
    home.make()
    home.make()
    for place in (home.root, home.worktrees, home.logs, home.run):
        assert stat.S_IMODE(place.stat().st_mode) == 0o700


def test_a_home_that_cannot_be_made_is_one_sentence(home: Home, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ManyhandsError, match="cannot be written") as refused:
        Home(tmp_path / "file" / "home").make()
    assert "MANYHANDS_HOME" in refused.value.hint


def test_a_run_directory_that_somebody_laid_out_is_refused(home: Home, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    trap.mkdir()
    home.run.symlink_to(trap)
    with pytest.raises(ManyhandsError, match="not a private directory"):
        home.make()
    home.run.unlink()
    home.run.mkdir(mode=0o755)
    with pytest.raises(ManyhandsError, match="not a private directory"):
        home.make()


def test_two_homes_never_share_a_run_directory_and_socket_paths_are_short(
    home: Home, tmp_path: Path
) -> None:
    assert home.run != Home(tmp_path / "other").run
    assert len(str(home.keeper_socket("abcdefgh"))) < 104


def test_a_child_inherits_only_what_is_on_the_list(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SOME_TOKEN", "MY_PROXY", "LC_ALL", "TZ"):
        monkeypatch.setenv(name, "canary")
    env = child_environment({"TZ": "UTC"}, passed=("MY_PROXY",))
    assert "SOME_TOKEN" not in env
    assert (env["MY_PROXY"], env["LC_ALL"], env["TZ"]) == ("canary", "canary", "UTC")


def test_a_tracker_brings_the_variable_of_its_token(home: Home) -> None:
    given = '[trackers.eng]\nkind = "linear"\n\n[trackers.work]\nkind = "jira"\n'
    configure(home, given + 'token = "env:MY_JIRA"\n')
    named = load_settings(home).hub_variables
    assert {"LINEAR_API_KEY", "MY_JIRA"} <= set(named)
    assert "JIRA_API_TOKEN" not in named
    assert ", line 6: trackers.work.token: " in complaint(home, given + 'token = "secret"\n')
