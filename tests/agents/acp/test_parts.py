"""The pure parts of the Agent Client Protocol's side: forms, calls, judgement, sums, detection."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from acp.exceptions import RequestError
from acp.schema import (
    Cost,
    HttpMcpServer,
    McpCapabilities,
    McpServerStdio,
    PromptCapabilities,
    RequestPermissionRequest,
    TextContentBlock,
    ToolCallStart,
    ToolCallUpdate,
    Usage,
    UsageUpdate,
)

from manyhands.agents.acp import forms
from manyhands.agents.acp.calls import AcpCall, Calls
from manyhands.agents.acp.connection import reason
from manyhands.agents.acp.content import blocks
from manyhands.agents.acp.gate import CANCELLED, AcpGate, here_of, parts
from manyhands.agents.acp.memory import Memory
from manyhands.agents.acp.servers import load_servers
from manyhands.agents.acp.usage import AcpMeter
from manyhands.agents.catalogue import require_mode
from manyhands.agents.detection import has_known_login, program_file
from manyhands.agents.known import KNOWN, known_agent
from manyhands.agents.permission.bounds import Bounds
from manyhands.agents.permission.policy import Allow, Ask, Decision, Deny, decide_all
from manyhands.agents.usage import ContextWindow
from manyhands.config import AgentConfig, Settings
from manyhands.errors import AgentFailed, BadInput
from manyhands.model.agent.events import Attachment
from manyhands.model.attention.attention import Resolution
from manyhands.model.events import Mode

BOUNDS = Bounds(worktree=Path("/w"), cwd=Path("/w"), home=Path("/home/me"))
COLOUR = {
    "type": "string",
    "title": "Which colour?",
    "oneOf": [
        {"const": "r", "title": "Red"},
        {"const": "b", "title": "Blue"},
        {"const": "none", "title": forms.OTHER},
    ],
}
NOTE = {"type": "string", "title": "A note"}
FORM = {"properties": {"colour": COLOUR, "note": NOTE}, "required": ["colour"]}


def call(**pieces: Any) -> AcpCall:
    return Calls().begin(ToolCallStart(session_update="tool_call", tool_call_id="1", **pieces))


@pytest.mark.parametrize(
    ("resolution", "content"),
    [
        (Resolution(("q1.2",)), {"colour": "b"}),
        (Resolution(("q1.1",), "but dark"), {"colour": "r", "note": "but dark"}),
        (Resolution((), "green"), {"colour": "none", "note": "green"}),
    ],
)
def test_a_form_is_filled_by_choices_and_words(
    resolution: Resolution, content: dict[str, Any]
) -> None:
    found = forms.fields("", FORM)
    assert [question["question"] for question in forms.questions(found)] == ["Which colour?"]
    assert forms.filled(found, resolution) == content


def test_a_form_of_many_kinds_is_a_question_each() -> None:
    many = {"type": "array", "title": "Which?", "items": {"enum": ["a", "b", "c"]}}
    sure = {"type": "boolean", "title": "Sure?"}
    count = {"type": "integer", "title": "How many?"}
    schema = {
        "properties": {"count": count, "many": many, "sure": sure},
        "required": ["many", "sure", "count"],
    }
    found = forms.fields("", schema)
    assert [(f.name, f.many) for f in found] == [("many", True), ("sure", False), ("count", False)]
    filled = forms.filled(found, Resolution(("q1.1", "q1.3", "q2.2"), "12"))
    assert filled == {"many": ["a", "c"], "sure": False, "count": 12}


@pytest.mark.parametrize(
    ("title", "about", "question", "header"),
    [
        ("Which colour?", "Colour", "Which colour?", "Colour"),
        ("Colour", "Which colour?", "Which colour?", "Colour"),
        ("Colour", "", "Colour", "name"),
        ("", "", "Say it", "name"),
    ],
)
def test_a_question_is_found_in_title_or_description(
    title: str, about: str, question: str, header: str
) -> None:
    property = {"type": "string", "title": title, "description": about}
    (field,) = forms.fields("Say it", {"properties": {"name": property}})
    assert (field.question, field.header) == (question, header)


def test_servers_are_passed_on_as_the_agent_takes_them(tmp_path: Path) -> None:
    entries = {
        "web": {"type": "http", "url": "http://127.0.0.1:1/${WHO}", "headers": {"k": "${WHO}"}},
        "old": {"type": "sse", "url": "http://127.0.0.1:1"},
        "sh": {"command": "sh", "args": ["-c", "${LOST:-true}"]},
        "secret": {"command": "sh", "env": {"TOKEN": "${LOST}"}},
    }
    (tmp_path / ".mcp.json").write_text(json.dumps({"mcpServers": entries}))
    env = {"PATH": "/bin:/usr/bin", "WHO": "me"}
    found = load_servers(tmp_path, env, McpCapabilities(http=True))
    web, plain = found.found
    assert isinstance(web, HttpMcpServer)
    assert (web.url, web.headers[0].value) == ("http://127.0.0.1:1/me", "me")
    assert isinstance(plain, McpServerStdio)
    assert (Path(plain.command).name, plain.args) == ("sh", ["-c", "true"])
    assert [note.split(": ", 1)[1] for note in found.notes] == [
        "the agent takes none of type 'sse'",
        "the agent has no variable LOST",
    ]
    (tmp_path / ".mcp.json").write_text("{")
    broken = load_servers(tmp_path, env, McpCapabilities())
    assert (broken.found, len(broken.notes)) == ([], 1)


def test_attached_files_go_as_the_agent_takes_them_or_are_named(tmp_path: Path) -> None:
    made = {"a.png": b"\x89PNG", "b.txt": b"words", "c.txt": b"\xff\xfe", "d.zip": b"PK"}
    media = {"png": "image/png", "txt": "text/plain", "zip": "application/zip"}
    given = []
    for name, data in made.items():
        (tmp_path / name).write_bytes(data)
        path = str(tmp_path / name)
        given.append(Attachment(name=name, media_type=media[name[2:]], path=path))
    everything = PromptCapabilities(image=True, embedded_context=True)
    words, *rest = blocks("look", given, everything)
    assert isinstance(words, TextContentBlock)
    assert [block.type for block in rest] == ["image", "resource"]
    assert [name for name in made if name in words.text] == ["c.txt", "d.zip"]
    (only,) = blocks("look", given, PromptCapabilities())
    assert isinstance(only, TextContentBlock)
    assert [name for name in made if name in only.text] == list(made)
    with pytest.raises(AgentFailed, match="cannot be read"):
        blocks("look", [Attachment(name="x", media_type="image/png", path="/none")], everything)


def test_the_window_is_told_when_it_moves_and_at_rest() -> None:
    window = ContextWindow()

    def told(used: int) -> list[int]:
        return [measured.used for measured in window.take(used, 1000)]

    assert [told(used) for used in (0, 500, 501, 600)] == [[], [500], [], [600]]
    assert told(601) == []
    assert [measured.used for measured in window.rest()] == [601]
    assert window.rest() == []


def test_a_call_is_put_together_from_its_pieces() -> None:
    calls = Calls()
    announced: dict[str, Any] = {
        "title": "write",
        "kind": "edit",
        "status": "pending",
        "raw_input": {},
    }
    calls.add(ToolCallStart(session_update="tool_call", tool_call_id="1", **announced))
    given = {"filePath": "/w/a.txt", "content": "x"}
    whole = calls.begin(ToolCallUpdate(tool_call_id="1", status="in_progress", raw_input=given))
    assert (whole.tool, whole.input) == ("Write", {"file_path": "/w/a.txt", "content": "x"})
    asked = calls.begin(ToolCallUpdate(tool_call_id="1", title="/w/a.txt"))
    assert asked is whole
    assert asked.paths == ("/w/a.txt",)


def judge(mode: Mode, asked: AcpCall) -> Decision:
    return decide_all(mode, parts(asked), here_of(asked, BOUNDS))


@pytest.mark.parametrize(
    ("mode", "pieces", "expected"),
    [
        ("ask", {"kind": "edit", "raw_input": {"path": "/w/a"}}, Ask),
        ("edits", {"kind": "edit", "raw_input": {"path": "/w/a"}}, Allow),
        ("plan", {"kind": "edit", "raw_input": {"path": "/w/a"}}, Deny),
        ("auto", {"kind": "edit", "locations": [{"path": "/w/a"}, {"path": "/etc/b"}]}, Ask),
        ("auto", {"kind": "edit"}, Ask),
        ("auto", {"kind": "delete", "raw_input": {"path": "/w/a"}}, Allow),
        ("plan", {"kind": "delete", "raw_input": {"path": "/w/a"}}, Deny),
        ("auto", {"kind": "execute", "raw_input": {"command": "touch a"}}, Allow),
        ("auto", {"kind": "execute", "raw_input": {"command": ["cat", "/etc/passwd"]}}, Ask),
        ("auto", {"kind": "execute"}, Ask),
        ("auto", {"kind": "execute", "title": "echo that it is done"}, Ask),
        ("auto", {"kind": "execute", "raw_input": {"command": "", "cwd": "/w"}}, Ask),
        ("ask", {"kind": "fetch", "title": "http://127.0.0.1/"}, Ask),
        ("ask", {"kind": "fetch", "raw_input": {"url": "http://127.0.0.1/"}}, Allow),
        ("plan", {"kind": "execute"}, Deny),
        ("plan", {"kind": "execute", "raw_input": {"command": "ls"}}, Allow),
        ("plan", {"kind": "execute", "raw_input": {"command": "touch a"}}, Deny),
        ("ask", {"kind": "read", "raw_input": {"path": "/w/a"}}, Allow),
        ("ask", {"kind": "read", "raw_input": {"path": "/etc/a"}}, Ask),
        ("plan", {"kind": "other"}, Deny),
        ("auto", {"kind": "other"}, Ask),
        ("plan", {"kind": None}, Deny),
    ],
)
def test_a_call_is_judged_by_all_that_it_names(
    mode: Mode, pieces: dict[str, Any], expected: type
) -> None:
    assert isinstance(judge(mode, call(**{"title": "it", **pieces})), expected)


async def test_what_is_asked_on_the_way_to_a_stop_is_cancelled_unheard() -> None:
    nobody: Any = None  # whoever is asked all the same is not there
    gate = AcpGate(nobody, nobody, BOUNDS, nobody, "auto", nobody, nobody, nobody, nobody)
    gate.withdraw()
    late = ToolCallUpdate(tool_call_id="1")
    request = RequestPermissionRequest(session_id="s", tool_call=late, options=[])
    assert await gate.permission(request) == CANCELLED
    assert await gate.form({"message": "?", "requestedSchema": FORM}) == {"action": "cancel"}


def test_a_directory_of_the_agents_own_choice_is_where_its_paths_start() -> None:
    for command, expected in (("cat ../b", Allow), ("cat ../../b", Ask)):
        given = {"command": command, "cwd": "/w/deep"}
        asked = call(title="it", kind="execute", raw_input=given)
        assert isinstance(judge("auto", asked), expected)


def test_sums_go_on_over_processes(tmp_path: Path) -> None:
    path = tmp_path / "spent" / "one.json"

    def update(usd: float) -> UsageUpdate:
        cost = Cost(amount=usd, currency="USD")
        return UsageUpdate(session_update="usage_update", used=1, size=2, cost=cost)

    def usage(tokens: int) -> Usage:
        return Usage(input_tokens=tokens, output_tokens=tokens, total_tokens=2 * tokens)

    first = AcpMeter(path, per_turn=False)
    for usd, tokens, expected in ((0.25, 100, (0.25, 100)), (0.75, 150, (0.5, 50))):
        spent, used = first.read_cost(update(usd)), first.read_tokens(usage(tokens))
        assert spent is not None
        assert used is not None
        assert (spent.cost_usd, used.tokens_in) == expected
    second = AcpMeter(path, per_turn=False)
    assert second.read_cost(update(0.75)) is None
    later = second.read_tokens(usage(160))
    assert later is not None
    assert later.tokens_out == 10
    by_turn = AcpMeter(None, per_turn=True)
    assert [by_turn.read_tokens(usage(7)) for _ in range(2)] == [by_turn.read_tokens(usage(7))] * 2


def test_models_are_remembered(tmp_path: Path) -> None:
    memory = Memory(str(tmp_path / "codex"))
    assert memory.models() == ()
    memory.set_models(("one", "two"))
    memory.set_models(())
    assert memory.models() == ("one", "two")


def test_a_login_is_found_by_key_file_or_provider(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path)}
    codex = KNOWN["codex"]
    assert has_known_login(codex, env) is False
    assert has_known_login(codex, {**env, "OPENAI_API_KEY": "x"}) is True
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex" / "config.toml").touch()
    assert has_known_login(codex, env) is False
    (tmp_path / ".codex" / "config.toml").write_text('model_provider = "mine"\n')
    assert has_known_login(codex, env) is None
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "auth.json").touch()
    assert has_known_login(codex, {**env, "CODEX_HOME": str(elsewhere)}) is True
    assert has_known_login(KNOWN["opencode"], env) is None
    named = program_file("~XDG_CONFIG_HOME:.config/goose/config.yaml", {"XDG_CONFIG_HOME": "/c"})
    assert named == Path("/c/goose/config.yaml")


def test_an_agent_is_known_by_its_program_or_by_what_it_is_like() -> None:
    assert known_agent("", ("/opt/bin/codex-acp",)) is KNOWN["codex"]
    assert known_agent("", ("node", "/x/opencode", "acp")) is KNOWN["opencode"]
    assert known_agent("codex", ("anything",)) is KNOWN["codex"]
    assert known_agent("", ("my-agent",)) is None


def test_plan_mode_is_offered_only_where_it_can_be_enforced() -> None:
    agents = {"mine": AgentConfig(kind="acp", command=("my-agent",))}
    settings = Settings(agents=agents)
    require_mode("codex", settings, "plan")
    require_mode("mine", settings, "auto")
    with pytest.raises(BadInput, match="cannot be held to mode plan") as caught:
        require_mode("mine", settings, "plan")
    assert caught.value.hint == "offered: ask, edits, auto"


def test_a_refusal_is_said_by_its_innermost_reason() -> None:
    assert reason(RequestError(-32603, "Internal error: no way")) == "no way"
    assert reason(RequestError(-32603, "Internal error", {"details": "why"})) == "why"
    assert reason(RequestError(-32603, "Internal error", "odd")) == "Internal error"
