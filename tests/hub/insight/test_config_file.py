"""The user's config, changed from outside and never harmed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.driver import Json, Refused, RunningHub

TEXT = """\
# mine
[limits]
working = 4   # as many as the fan allows

[agents.fast]
kind = "claude"
env = { KEY = "value" }
"""


@pytest.fixture
def config(hub: RunningHub) -> Json:
    hub.configure(TEXT, whole=True)
    return hub.get("/api/config")


def field(view: Json, key: str) -> Json:
    return next(field for field in view["fields"] if field["key"] == key)


def test_settings_are_told_with_their_meaning_and_default(config: Json) -> None:
    assert config["text"] == TEXT
    working = field(config, "limits.working")
    assert (working["kind"], working["value"], working["given"]) == ("integer", 4, True)
    mode = field(config, "defaults.mode")
    assert mode["kind"] == "choice"
    assert set(mode["choices"]) == {"plan", "ask", "edits", "auto"}
    assert not mode["given"]
    linger = field(config, "limits.linger_seconds")
    assert linger["says"].startswith("How long an idle agent")
    assert field(config, "environment.pass")["kind"] == "list"
    assert field(config, "budget.session_usd")["optional"]


def test_one_setting_changes_and_every_comment_stays(hub: RunningHub, config: Json) -> None:
    change = {"key": "limits.working", "value": 6, "digest": config["digest"]}
    after = hub.post("/api/config/setting", change)
    assert after["text"] == TEXT.replace("working = 4", "working = 6")
    assert hub.home.config.read_text() == after["text"]
    assert hub.get("/api/status")["limits"]["working"] == 6
    change = {"key": "budget.session_usd", "value": 2.5, "digest": after["digest"]}
    after = hub.post("/api/config/setting", change)
    assert field(after, "budget.session_usd")["value"] == 2.5
    change = {"key": "limits.working", "value": None, "digest": after["digest"]}
    after = hub.post("/api/config/setting", change)
    assert not field(after, "limits.working")["given"]
    assert "# mine" in after["text"]


def test_a_change_made_on_another_content_is_refused(hub: RunningHub, config: Json) -> None:
    hub.configure(TEXT + "# by an editor\n", whole=True)
    with pytest.raises(Refused) as refused:
        hub.post("/api/config", {"text": "", "digest": config["digest"]})
    assert refused.value.status == 409
    assert hub.home.config.read_text() == TEXT + "# by an editor\n"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[limits]\nworking = 0\n", "line 2"),
        ("[limits]\nworkign = 1\n", "workign"),
        ("[limits\n", "not valid TOML"),
    ],
)
def test_a_mistake_is_named_and_nothing_is_written(
    hub: RunningHub, config: Json, text: str, told: str
) -> None:
    with pytest.raises(Refused) as refused:
        hub.post("/api/config", {"text": text, "digest": config["digest"]})
    assert refused.value.status == 400
    assert told in refused.value.message
    assert hub.home.config.read_text() == TEXT


def test_a_file_that_is_broken_already_is_shown_with_its_problem(hub: RunningHub) -> None:
    hub.configure("[limits]\nworking = 'four'\n")
    broken = hub.get("/api/config")
    assert "limits.working" in broken["problem"]
    hub.post("/api/config", {"text": TEXT, "digest": broken["digest"]})
    assert hub.get("/api/config")["problem"] == ""


def test_a_link_among_dotfiles_stays_a_link(hub: RunningHub, tmp_path: Path) -> None:
    own = tmp_path / "config.toml"
    own.write_text(TEXT)
    hub.home.config.unlink()
    hub.home.config.symlink_to(own)
    digest = hub.get("/api/config")["digest"]
    hub.post("/api/config", {"text": TEXT + "# more\n", "digest": digest})
    assert hub.home.config.is_symlink()
    assert own.read_text() == TEXT + "# more\n"
    assert own.stat().st_mode & 0o077 == 0
    hub.home.config.unlink()
    hub.configure(TEXT, whole=True)
