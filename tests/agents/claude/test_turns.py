"""Real Claude Code on the scripted model: what a turn says and how it ends."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from manyhands.model.events import (
    AgentExited,
    AgentMessage,
    AgentRetried,
    AgentStarted,
    AgentThought,
    ToolCalled,
    ToolFinished,
    TurnFinished,
    TurnStarted,
    UsageRecorded,
)
from manyhands.model.live import TextDelta
from tests.support.agent_driver import Bench, Driver, always, bash, script, task, write


async def test_text_and_thought_stream_and_become_one_event_each(bench: Bench) -> None:
    async with bench.agent() as driver:
        step = {"thinking": "let me think about this", "text": "one two three four five " * 5}
        end = await driver.turn(script(step))
        assert end.outcome == "done"
        (said,) = driver.all(AgentMessage)
        (thought,) = driver.all(AgentThought)
        assert said.text == step["text"]
        assert thought.text == step["thinking"]
        for event, thinking in ((said, False), (thought, True)):
            frames = [
                f for f in driver.frames if isinstance(f, TextDelta) and f.message == event.message
            ]
            assert [f.thinking for f in frames] == [thinking] * len(frames)
            assert "".join(f.text for f in frames) == event.text
            offset = 0
            for frame in frames:
                assert frame.offset == offset
                offset += len(frame.text)
    (started,) = driver.all(AgentStarted)
    assert started.agent_session
    assert started.version
    (ended,) = driver.all(AgentExited)
    assert ended.expected
    assert driver.events[-1] is ended


async def test_tool_calls_and_results_are_bounded_and_give_their_full_size(bench: Bench) -> None:
    content = "é" * 100_000
    async with bench.agent("auto") as driver:
        await driver.turn(script(write("big.txt", content), bash("cat big.txt"), {"text": "ok"}))
    calls, results = driver.all(ToolCalled), driver.all(ToolFinished)
    assert [c.tool for c in calls] == ["Write", "Bash"]
    assert [r.tool for r in results] == ["Write", "Bash"]
    assert [r.call for r in results] == [c.call for c in calls]
    assert calls[0].input_bytes > 200_000
    assert len(calls[0].input["content"].encode()) <= 64 * 1024
    assert all(len(r.output.encode()) <= 64 * 1024 for r in results)
    assert (bench.worktree / "big.txt").read_text() == content


async def test_a_sub_agent_belongs_to_the_turn_and_names_its_parent(bench: Bench) -> None:
    async with bench.agent("auto") as driver:
        steps = (task(write("sub.txt"), {"text": "sub done"}), {"text": "waiting"})
        end = await driver.turn(script(*steps))
        assert end.outcome == "done"
        assert len(driver.all(TurnFinished)) == 1
    calls = driver.all(ToolCalled)
    outer = next(c for c in calls if not c.parent)
    inner = next(c for c in calls if c.tool == "Write")
    assert inner.parent == outer.call
    assert [m.parent for m in driver.all(AgentMessage) if m.text == "sub done"] == [outer.call]
    assert (bench.worktree / "sub.txt").exists()


async def test_an_agent_that_wakes_by_itself_begins_a_turn(bench: Bench) -> None:
    async with bench.agent("auto") as driver:
        background = bash("until test -e go; do sleep 1; done", run_in_background=True)
        await driver.turn(script(background, {"text": "started"}))
        assert driver.all(TurnStarted) == []
        (bench.worktree / "go").touch()
        await driver.until(lambda: len(driver.all(TurnFinished)) == 2)
        assert len(driver.all(TurnStarted)) == 1


async def test_a_message_while_busy_steers_the_running_turn(bench: Bench) -> None:
    async with bench.agent("auto") as driver:
        wait = "until test -e go; do sleep 0.1; done"
        await driver.agent.send(script(bash(wait), {"text": "unsteered"}))
        await driver.until(lambda: driver.all(ToolCalled))
        await driver.agent.send(script({"text": "steered"}))
        (bench.worktree / "go").touch()
        await driver.until(lambda: driver.all(TurnFinished))
        assert [m.text for m in driver.all(AgentMessage)] == ["steered"]
        assert len(driver.all(TurnFinished)) == 1


@pytest.mark.parametrize("phase", ["text", "bash", "ask", "sub-agent"])
async def test_an_interrupt_ends_the_turn_in_every_phase(bench: Bench, phase: str) -> None:
    endless = bash("tail -f /dev/null")
    async with bench.agent("ask" if phase == "ask" else "auto") as driver:
        if phase == "text":
            await driver.agent.send(script({"text": "word " * 400, "chunk_delay": 0.2}))
            await driver.until(lambda: driver.frames)
        elif phase == "sub-agent":
            await driver.agent.send(script(task(endless), {"text": "waiting"}))
            await driver.until(lambda: any(c.tool == "Bash" for c in driver.all(ToolCalled)))
        else:
            await driver.agent.send(script(bash("touch x") if phase == "ask" else endless))
            await driver.until(lambda: driver.asked or driver.all(ToolCalled))
            await driver.until(lambda: driver.asked or phase == "bash")
        await driver.agent.interrupt()
        await driver.until(lambda: driver.all(TurnFinished))
        assert driver.all(TurnFinished)[0].outcome == "interrupted"
        assert (await driver.turn(script({"text": "still here"}))).outcome == "done"


def exact(driver: Driver) -> list[UsageRecorded]:
    return [record for record in driver.all(UsageRecorded) if not record.estimated]


async def test_usage_is_told_as_deltas_over_turns_and_resumes(bench: Bench) -> None:
    usage = {"usage": {"in": 1000, "out": 50}}
    async with bench.agent() as driver:
        await driver.turn(script({"text": "a", **usage}))
        await driver.turn(script({"text": "b", **usage}))
        first, second = exact(driver)
        session = driver.all(AgentStarted)[0].agent_session
    assert first.tokens_out == second.tokens_out == 50
    assert first.cost_usd > 0
    async with bench.agent(resume=session) as driver:
        await driver.turn(script({"text": "c", **usage}))
        (third,) = exact(driver)
    assert third.tokens_out == 50
    assert third.cost_usd == pytest.approx(second.cost_usd, rel=0.2)


@pytest.mark.parametrize("status", [400, 401, 429, 529])
async def test_an_error_of_the_model_is_never_done(bench: Bench, status: int) -> None:
    async with bench.agent() as driver:
        end = await driver.turn(script({"status": status, "error": "the very reason"}))
        assert end.outcome == "failed"
        assert end.error.startswith(f"the model answered {status}: ")
        assert "the very reason" in end.error
        assert driver.all(AgentMessage) == []
        assert (await driver.turn(script({"text": "again"}))).outcome == "done"


async def test_a_retry_is_noted_while_it_happens(bench: Bench) -> None:
    bench.env["CLAUDE_CODE_MAX_RETRIES"] = "1"
    async with bench.agent() as driver:
        await driver.turn(script({"status": 529, "error": "too busy"}))
        assert "529" in driver.all(AgentRetried)[0].text


async def test_the_model_and_mode_can_be_changed_while_it_lives(bench: Bench) -> None:
    async with bench.agent("ask", always("deny")) as driver:
        await driver.turn(script(write("a.txt"), {"text": "x"}))
        assert not (bench.worktree / "a.txt").exists()
        await driver.agent.set_mode("auto")
        await driver.agent.set_model("claude-haiku-4-5")
        await driver.turn(script(write("a.txt"), {"text": "y"}))
        assert (bench.worktree / "a.txt").exists()
        assert "haiku" in driver.all(UsageRecorded)[-1].model


@pytest.fixture
def babbling_url() -> Iterator[str]:
    """A model that answers every request with something that is no answer."""

    class Babble(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            self.wfile.write(b"event: nonsense\ndata: {{{ not json\n\n")

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Babble) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


async def test_garbage_from_the_model_is_a_failure(bench: Bench, babbling_url: str) -> None:
    bench.env["ANTHROPIC_BASE_URL"] = babbling_url
    async with bench.agent() as driver:
        end = await driver.turn("hello")
        assert end.outcome == "failed"
        assert end.error


async def test_a_silent_model_can_be_interrupted(bench: Bench) -> None:
    async with bench.agent() as driver:
        await driver.agent.send(script({"text": "late", "delay": 600}))
        await driver.until(lambda: driver.all(AgentStarted))
        await driver.agent.interrupt()
        await driver.until(lambda: driver.all(TurnFinished))
        assert driver.all(TurnFinished)[0].outcome == "interrupted"
