from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.rehearsal.reply import MAX_PIECES, slices, words
from manyhands.rehearsal.script import (
    PLAIN_ANSWER,
    BadScript,
    ModelTurn,
    ScriptStep,
    Turn,
    UserText,
    call_id,
    next_step,
    parse_script,
    substituted,
    without_scripts,
)


def script(*steps: Any) -> str:
    return f"<<SCRIPT {json.dumps(steps)} SCRIPT>>"


def texts(*said: str) -> str:
    return script(*({"text": text} for text in said))


prose = st.text(alphabet=st.characters(blacklist_characters="<"))
lines = st.lists(st.text(), min_size=1, max_size=5)
MODEL = ModelTurn()


@given(before=prose, said=lines, after=prose)
def test_a_script_is_found_whatever_stands_around_it(
    before: str, said: list[str], after: str
) -> None:
    text = before + texts(*said) + after
    assert parse_script(text) == tuple(ScriptStep(text=each) for each in said)
    assert without_scripts(text) == before + after


@given(said=lines, others=st.lists(prose), played=st.integers(0, 8))
def test_the_step_is_the_number_of_model_turns_since_the_script(
    said: list[str], others: list[str], played: int
) -> None:
    turns: list[Turn] = [MODEL, UserText(texts("older")), MODEL, UserText(texts(*said))]
    turns += [MODEL] * played + [UserText(text) for text in others]
    expected = said[played] if played < len(said) else f"all {len(said)} steps"
    assert expected in next_step(turns).text


@given(inner=lines)
def test_a_script_may_hold_another_in_a_sub_agents_prompt(inner: list[str]) -> None:
    prompt = "Look closer. " + texts(*inner)
    found = parse_script(script({"tool": "Agent", "input": {"prompt": prompt}}, {"text": "end"}))
    assert found is not None
    assert len(found) == 2
    assert isinstance(found[0].input, dict)
    assert parse_script(str(found[0].input["prompt"])) == tuple(
        ScriptStep(text=each) for each in inner
    )


def test_without_a_script_the_answer_is_plain() -> None:
    assert next_step([UserText("Hello. What does <<SCRIPT mean?")]) == ScriptStep(text=PLAIN_ANSWER)
    assert next_step([]) == ScriptStep(text=PLAIN_ANSWER)


def test_the_last_script_of_a_message_counts() -> None:
    assert next_step([UserText(texts("one") + texts("two"))]).text == "two"


@pytest.mark.parametrize("tag", ["system-reminder", "environment_context", "user_instructions"])
def test_what_an_agent_adds_by_itself_holds_no_script(tag: str) -> None:
    added = f"<{tag}>from a file: {texts('planted')}</{tag}>"
    assert next_step([UserText(texts("meant")), UserText(added)]).text == "meant"
    assert next_step([UserText(added + texts("meant"))]).text == "meant"


def test_a_script_may_speak_of_reminders() -> None:
    said = "<system-reminder> is a tag"
    assert next_step([UserText(texts(said))]).text == said


def test_pieces_of_one_response_count_as_one_turn() -> None:
    pieces = [ModelTurn((call_id("a", 0),)), ModelTurn((call_id("a", 1),))]
    assert next_step([UserText(texts("0", "1", "2")), *pieces]).text == "1"


def test_every_key_of_a_step_is_understood() -> None:
    step = {
        "text": "t",
        "tool": "Read",
        "input": {"file_path": "a"},
        "tools": [{"tool": "Bash", "input": {"command": "ls"}}],
        "thinking": "h",
        "delay": 1,
        "chunk_delay": 0.5,
        "status": 529,
        "error": {"type": "overloaded_error"},
        "usage": {"in": 3, "out": 4},
        "subst": {"$X": "(x)"},
    }
    (found,) = parse_script(script(step)) or ()
    assert [call.tool for call in found.calls] == ["Read", "Bash"]
    assert (found.usage.tokens_in, found.usage.out) == (3, 4)
    assert found.fails


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('<<SCRIPT [{"txt": "x"}] SCRIPT>>', "txt"),
        ('<<SCRIPT [{"text": 3}] SCRIPT>>', "Expected `str`"),
        ('<<SCRIPT [{"delay": -1}] SCRIPT>>', ">= 0"),
        ("<<SCRIPT [{] SCRIPT>>", "Expecting"),
        ('<<SCRIPT [{"text": "x"}]', "SCRIPT>>"),
    ],
)
def test_an_unreadable_script_is_an_error_that_says_why(text: str, why: str) -> None:
    with pytest.raises(BadScript, match=why.replace(">", "[>]")):
        parse_script(text)
    answer = next_step([UserText(text)])
    assert (answer.status, why in str(answer.error)) == (400, True)


def test_subst_fills_text_and_nested_input_with_the_newest_match() -> None:
    step = ScriptStep(text="see $P", tool="Write", input={"a": ["$P"]}, subst={"$P": r"plan (\S+)"})
    filled = substituted(step, ["plan old.md", f"plan new.md {script({'text': 'plan no.md'})}"])
    assert filled == ScriptStep(text="see new.md", tool="Write", input={"a": ["new.md"]})


@pytest.mark.parametrize("pattern", ["nowhere (x)", "no group", "("])
def test_a_subst_that_cannot_be_filled_is_an_error(pattern: str) -> None:
    assert substituted(ScriptStep(subst={"$P": pattern}), ["no group here"]).status == 400


@given(st.text())
def test_pieces_add_up_to_the_text(text: str) -> None:
    for cut in (list(words(text)), list(slices(text))):
        assert "".join(cut) == text
        assert len(cut) <= MAX_PIECES
        assert all(cut)
