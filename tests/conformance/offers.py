"""What agents tell beyond words and tools, and what they can be given beside words: the checks."""

from __future__ import annotations

import base64
import json
from typing import Any

from manyhands.model.events import (
    Attachment,
    CommandsListed,
    ContextMeasured,
    NoteMade,
    Todo,
    TodosChanged,
    TurnFinished,
)
from tests.conformance.bench import Stand
from tests.support.agent_driver import Driver
from tests.support.in_between import PIXEL

EFFORT_KEYS = ("reasoning", "reasoning_effort", "output_config")
"""Where each of the models' protocols has it."""
Requests = list[dict[str, Any]]


async def tells_what_it_has_and_takes_what_it_is_given(
    stand: Stand, driver: Driver, requests: Requests
) -> None:
    """Within a dialogue that runs already: every further start would cost seconds."""
    asked = len(driver.asked)
    await driver.agent.set_mode("auto")
    await _keeps_a_list(stand, driver)
    await _takes_effort(stand, driver, requests)
    await _takes_files(stand, driver, requests)
    await _waits_while_it_is_held(stand, driver)
    await driver.until(lambda: driver.all(CommandsListed))
    assert all(command.name for command in driver.all(CommandsListed)[-1].commands)
    measured = driver.all(ContextMeasured)[-1]
    assert 0 < measured.used < measured.limit
    assert len(driver.asked) == asked


async def _keeps_a_list(stand: Stand, driver: Driver) -> None:
    end = await driver.turn(stand.say(stand.subject.list_steps("look", "build"), {"text": "on it"}))
    assert end.outcome == "done", end
    assert driver.all(TodosChanged)[-1].todos == (Todo("look", "doing"), Todo("build"))


async def _takes_effort(stand: Stand, driver: Driver, requests: Requests) -> None:
    await driver.agent.set_effort("low")
    notes = len(driver.all(NoteMade))
    assert bool(notes) is not stand.subject.capabilities.effort
    before = len(requests)
    await driver.turn(stand.say({"text": "little thought"}))
    # Beside the turn some ask a small model for a title.
    said = [str(request.get(key)) for request in requests[before:] for key in EFFORT_KEYS]
    assert any("low" in one for one in said) is stand.subject.capabilities.effort
    await driver.agent.set_effort("")
    assert len(driver.all(NoteMade)) == notes


async def _takes_files(stand: Stand, driver: Driver, requests: Requests) -> None:
    place = stand.bench.home / "attachments"
    place.mkdir()
    (place / "dot.png").write_bytes(PIXEL)
    (place / "notes.txt").write_text("remember the heron")
    picture = Attachment(name="dot.png", media_type="image/png", path=str(place / "dot.png"))
    notes = Attachment(name="notes.txt", media_type="text/plain", path=str(place / "notes.txt"))
    before, sent = len(driver.all(TurnFinished)), len(requests)
    await driver.agent.send(stand.say({"text": "seen"}), (picture, notes))
    await driver.until(lambda: len(driver.all(TurnFinished)) > before)
    asked = json.dumps(requests[sent:])
    is_shown = base64.b64encode(PIXEL).decode()[:40] in asked
    assert is_shown is stand.subject.capabilities.pictures
    assert is_shown or str(place / "dot.png") in asked
    assert "remember the heron" in asked or str(place / "notes.txt") in asked


async def _waits_while_it_is_held(stand: Stand, driver: Driver) -> None:
    before = len(driver.all(TurnFinished))
    await driver.agent.set_mode("edits")
    driver.hold()
    await driver.agent.send(stand.say(stand.write("held.txt"), {"text": "."}))
    await driver.until(lambda: driver.waiting)
    assert not (stand.worktree / "held.txt").exists()
    driver.release()
    await driver.until(lambda: len(driver.all(TurnFinished)) > before)
    assert (stand.worktree / "held.txt").exists()
    driver.hold()
    await driver.agent.send(stand.say(stand.write("never.txt"), {"text": "."}))
    await driver.until(lambda: driver.waiting)
    await driver.agent.interrupt()
    await driver.until(lambda: len(driver.all(TurnFinished)) > before + 1)
    assert not (stand.worktree / "never.txt").exists()
