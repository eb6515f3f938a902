"""Jira's documents as Markdown, and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.trackers import adf


@pytest.mark.parametrize(
    "text",
    [
        "Plain words.",
        "# Heading\n\n**bold** and *slanted* and ~~gone~~ and `code`",
        "- one\n- two\n  - nested\n\n1. first\n2. second",
        "```python\nprint('```')\n```".replace("'```'", "1"),
        "> quoted\n>\n> twice",
        "[a link](https://example.invalid/x)",
        "---",
    ],
)
def test_markdown_survives_jira(text: str) -> None:
    assert adf.markdown(adf.document(text)) == text


def test_check_lists_mentions_and_tables_are_read() -> None:
    items = [
        {"type": "taskItem", "attrs": {"state": state}, "content": [{"type": "text", "text": text}]}
        for state, text in (("TODO", "greet"), ("DONE", "smile"))
    ]
    cells = [
        {"type": "tableCell", "content": [{"type": "paragraph", "content": [mention]}]}
        for mention in (
            {"type": "mention", "attrs": {"text": "@dana"}},
            {"type": "inlineCard", "attrs": {"url": "https://x.invalid"}},
        )
    ]
    table = {"type": "table", "content": [{"type": "tableRow", "content": cells}]}
    content = [{"type": "taskList", "content": items}, table]
    text = adf.markdown({"type": "doc", "version": 1, "content": content})
    assert text.startswith("- [ ] greet\n- [x] smile")
    assert "| @dana | https://x.invalid |" in text


def test_what_is_not_known_is_read_by_its_text() -> None:
    inner = {"type": "paragraph", "content": [{"type": "text", "text": "still here"}]}
    found = adf.markdown({"type": "doc", "content": [{"type": "layout", "content": [inner]}]})
    assert found == "still here"
    assert adf.markdown(None) == ""
    assert adf.markdown("as text") == "as text"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "text", "content", "attrs"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(["type", "content", "attrs", "marks"]), JSON, max_size=4))
def test_no_document_is_too_strange(document: dict[str, object]) -> None:
    assert isinstance(adf.markdown(document), str)


@given(st.text(max_size=60))
def test_every_text_becomes_a_document(text: str) -> None:
    assert adf.document(text)["content"]
