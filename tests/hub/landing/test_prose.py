"""An agent's words as a commit has them: what was done and why, and nothing else."""

from __future__ import annotations

import pytest

from manyhands.hub.landing import prose
from manyhands.station.landing.merge_message import MergeWords, _Commit, squash_message

LONG = """Done! I've added a `--json` flag to the `list` command so that scripts need not parse it.

## Summary

- **`src/cli/list.py`**: new option, *documented*
  and wrapped over two lines, so that it needs more than the seventy-two columns
  - nested, see [the guide](docs/list.md)
1. First

| a | b |
|---|---|
| 1 | 2 |

```python
print("code")
```
### Why
The table's columns move with the terminal's width.

## Next steps
- run it

Let me know if you'd like me to add tests!"""
SHORT = """I've added a `--json` flag to the `list` command so that scripts need
not parse it.

- `src/cli/list.py`: new option, documented and wrapped over two lines,
  so that it needs more than the seventy-two columns
  - nested, see the guide
1. First

Why:

The table's columns move with the terminal's width."""


def test_code_tables_marks_and_chatter_stay_out_of_a_commit() -> None:
    assert prose.body(prose.blocks(LONG)) == SHORT


@pytest.mark.parametrize(
    "said",
    [
        "Ready.",
        "Done!",
        "Should I use a list or a tree?",
        "I've completed the task.\n\nWould you like me to commit it?",
        "Let me look at the tests first.",
        "```\nsome code alone\n```",
        "| a | table |\n|---|---|",
        "",
    ],
)
def test_words_that_tell_nothing_are_no_summary(said: str) -> None:
    assert prose.blocks(said) == []


@pytest.mark.parametrize(
    ("title", "said", "first", "line"),
    [
        (
            "please fix the crash on start.",
            "It crashed on a cold start.",
            True,
            "Fix the crash on start",
        ),
        (
            "fix it",
            "I've removed the stale lock. It was never freed.",
            False,
            "Remove the stale lock",
        ),
        ("fix it", "Simplified the parser's states.", False, "Simplify the parser's states"),
        ("fix it", "The parser is simpler now.", False, "The parser is simpler now"),
        ("fix it", "- one thing\n- another thing", False, "Fix it"),
        ("could you do " + "much " * 30, "Dropped the retry loop.", True, "Drop the retry loop"),
        ("do " + "much " * 30, "", True, "Do " + "much " * 13 + "…"),
    ],
)
def test_the_first_line_is_the_task_or_what_was_done(
    title: str, said: str, first: bool, line: str
) -> None:
    found, _ = prose.subject(title, prose.blocks(said), first=first)
    assert found == line
    assert len(found) <= prose.SUBJECT


def test_what_became_the_first_line_is_not_said_again() -> None:
    said = "I've removed the stale lock. It was never freed."
    line, rest = prose.subject("t", prose.blocks(said), first=False)
    assert (line, prose.body(rest)) == ("Remove the stale lock", "It was never freed.")


def test_a_pull_request_keeps_the_marks_and_loses_the_chatter() -> None:
    told = prose.markdown("Done! Locks are freed.\n\n```\ncode\n```\n\nLet me know what you think!")
    assert told == "Locks are freed.\n\n```\ncode\n```"


@pytest.mark.parametrize(
    ("commits", "summary", "message"),
    [
        (
            [("Fix it", "It was broken.\n\nRefs #3")],
            "",
            "Free locks\n\nIt was broken.\n\nRefs #3\n",
        ),
        ([("Fix it", "")], "Locks leaked.", "Free locks\n\nLocks leaked.\n"),
        ([("Fix it", "")], "", "Free locks\n"),
        (
            [("Free locks", "They leaked.\n\nRefs #3"), ("Test it", "Refs #3")],
            "not needed",
            "Free locks\n\nThey leaked.\n\n* Test it\n\nRefs #3\n",
        ),
        (
            [("One", ""), ("Two", "")],
            "Locks leaked.",
            "Free locks\n\nLocks leaked.\n\n* One\n* Two\n",
        ),
    ],
)
def test_a_squash_tells_what_was_done_and_why(
    commits: list[tuple[str, str]], summary: str, message: str
) -> None:
    made = [_Commit(subject, body) for subject, body in commits]
    assert squash_message(made, MergeWords("Free locks", summary)) == message
