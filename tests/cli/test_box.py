"""The box from the command line."""

from __future__ import annotations

from tests.support.console import Console
from tests.support.rehearsed import new


def test_a_box_is_chosen_shown_and_chosen_anew(shared: Console) -> None:
    made = new(shared, "x", "--no-start", "--box", "none", "--network", "listed")
    assert (made["box"], made["box_detail"]["own_network"]) == ("none", "listed")
    shown = shared.ok("show", made["id"]).text
    assert "  box       none: it was chosen" in shown
    [line] = [one for one in shared.ok("ls").text.splitlines() if one.startswith(made["id"])]
    assert line.endswith("box: none")
    changed = shared.json("set", made["id"], "--box", "files", "--network", "default")
    detail = changed["box_detail"]
    assert (detail["own"], detail["own_network"]) == ("files", None)
    assert shared.json("set", made["id"], "--box", "default")["box_detail"]["own"] is None


def test_an_unknown_level_is_a_usage_error(shared: Console) -> None:
    for words in (("new", "x", "--box", "half"), ("set", "x", "--network", "some")):
        assert shared.run(*words).code == 2


def test_what_the_machine_can_do_is_told(shared: Console) -> None:
    status = shared.json("status")
    assert status["box"] == status["box_detail"]["level"]
    assert f"  box: {status['box']}" in shared.ok("status").text
    assert {agent["box"] for agent in shared.json("agents")} == {status["box"]}
    assert shared.ok("agents").err.startswith(f"box: {status['box']}")
    checks = shared.run("doctor", "--json").data
    first = next(c for c in checks if c["check"] == "box")
    assert first["detail"].startswith(status["box"])
