"""What goes wrong with a model or a program is said, in one sentence, and never passes for done."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from manyhands.agents.catalogue import require_usable
from manyhands.config import AgentConfig, Home, Settings
from manyhands.errors import AgentFailed
from manyhands.model.events import AgentMessage, TurnFinished
from tests.agents.driver import Driver
from tests.conformance.bench import Stand
from tests.conformance.capability import proves

pytestmark = pytest.mark.timeout(300)

STILL_SECONDS = 2.0
"""For so long an agent that tries again is seen not to give up."""
REASON = "the very reason"


@proves("error answers", "garbage")
async def test_an_error_of_the_model_is_a_failed_turn_with_its_reason(stand: Stand) -> None:
    async with stand.agent() as driver:
        await _fails(stand, driver, 400, REASON)
        for status in (429, 529):
            await _is_overloaded(stand, driver, status)
        end = await driver.turn(stand.say({"garbage": "data: {{{ not json\n\n"}))
        assert end.outcome == "failed", end
        assert end.error
        assert driver.all(AgentMessage) == []
        end = await driver.turn(stand.say({"text": "again"}))
        assert end.outcome == "done", end
        # The last: some take no more after it.
        await _fails(stand, driver, 401, REASON, "logged in", "API key")


async def _fails(stand: Stand, driver: Driver, status: int, *reasons: str) -> None:
    end = await driver.turn(stand.say({"status": status, "error": REASON}))
    assert end.outcome == "failed", (status, end)
    assert any(reason in end.error for reason in reasons), (status, end)


async def _is_overloaded(stand: Stand, driver: Driver, status: int) -> None:
    before = len(driver.all(TurnFinished))
    await driver.agent.send(stand.say({"status": status, "error": REASON}))
    if stand.subject.capabilities.overload == "tried again for ever":
        with pytest.raises(TimeoutError):
            await driver.until(lambda: len(driver.all(TurnFinished)) > before, STILL_SECONDS)
        await driver.agent.interrupt()
    await driver.until(lambda: len(driver.all(TurnFinished)) > before)
    end = driver.all(TurnFinished)[-1]
    if stand.subject.capabilities.overload == "fails the turn":
        assert end.outcome == "failed", end
        assert any(word in end.error for word in (REASON, str(status), "Rate limit")), end
    else:
        assert end.outcome == "interrupted", end


@proves("exit at start", "not installed", "not logged in")
async def test_an_agent_that_cannot_start_is_one_sentence_with_the_way_out(
    stand: Stand, tmp_path: Path
) -> None:
    bin = tmp_path / "bin"
    bin.mkdir()
    broken = bin / "broken"
    broken.write_text("#!/bin/sh\necho 'a library is missing' >&2\nexit 3\n")
    broken.chmod(0o755)
    spec = stand.spec()
    failing = msgspec.structs.replace(spec, command=(str(broken),))
    assert "a library is missing" in (await stand.refusal(failing)).message
    missing = msgspec.structs.replace(spec, command=("no-such-program",))
    refusal = await stand.refusal(missing)
    assert "not installed" in refusal.message
    assert "config.toml" in refusal.hint
    if spec.kind == "acp" and stand.subject.capabilities.login:
        bare = {"PATH": spec.env["PATH"], "HOME": str(tmp_path)}
        refusal = await stand.refusal(msgspec.structs.replace(spec, env=bare))
        assert refusal.message == f"agent {spec.name} is not logged in"
        assert refusal.hint
    _is_told_before_a_session_begins(stand, tmp_path)


def _is_told_before_a_session_begins(stand: Stand, tmp_path: Path) -> None:
    subject, home = stand.subject, Home(tmp_path / "mh")
    nowhere = {"HOME": str(tmp_path / "empty"), "CODEX_HOME": "", "CLAUDE_CONFIG_DIR": ""}
    config = AgentConfig(
        kind=subject.kind,  # type: ignore[arg-type]
        like=subject.like,
        command=subject.command(),
        env=nowhere,
    )
    settings = Settings(agents={subject.name: config})
    if subject.capabilities.login:
        with pytest.raises(AgentFailed, match="is not logged in") as caught:
            require_usable(subject.name, settings, home)
        assert caught.value.hint
    else:
        require_usable(subject.name, settings, home)
    gone = msgspec.structs.replace(config, command=("no-such-program",))
    with pytest.raises(AgentFailed, match="is not installed") as caught:
        require_usable(subject.name, Settings(agents={subject.name: gone}), home)
    assert caught.value.hint
