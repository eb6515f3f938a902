"""Update the onboarding copy: edits only, runs through without asking."""

from __future__ import annotations

from manyhands.rehearsal.scenarios.scenario import Expected, Scenario, edit, read, write
from manyhands.rehearsal.script import Step

_WELCOME = """\
Welcome to Waypost, $name

Hi $name,

Your account is ready. Waypost is where your team keeps the things worth
remembering: write a note, give it a good title, and anyone on the team
can find it in seconds.

If something is unclear, just reply to this message. A person reads it.

The Waypost team
"""

_FIRST_STEPS = """\
Three things to try in Waypost

Hi $name,

Five minutes is enough to see whether Waypost suits you:

1. Write a note. Start with something you looked up twice this week.
2. Search for a word from it. Words in the title count more.
3. Ask a colleague to join. Notes are better with two readers.

The Waypost team
"""

_OLD_TEST = """\
    def test_no_placeholder_is_left(self) -> None:
"""

_NEW_TEST = """\
    def test_the_copy_avoids_stock_phrases(self) -> None:
        for message in (welcome(ADA), first_steps(ADA)):
            for phrase in ("utilize", "in order to", "do not hesitate", "successfully"):
                self.assertNotIn(phrase, (message.subject + message.body).lower())

    def test_no_placeholder_is_left(self) -> None:
"""

ONBOARDING_COPY = Scenario(
    title="Update the onboarding copy",
    mode="edits",
    task=(
        "Our onboarding messages sound like a form letter. Rewrite the welcome and the first-steps"
        " message so that they are short, warm and concrete. Keep the placeholders working."
    ),
    steps=(
        Step(
            text="I'll start with the two templates and the code that fills them.",
            tools=read(
                "waypost/templates/welcome.txt",
                "waypost/templates/first_steps.txt",
                "waypost/onboarding.py",
                "tests/test_onboarding.py",
            ),
        ),
        Step(
            thinking=(
                "The first line is the subject, then a blank line, then the body. `$name` is the"
                " only placeholder; it may be used in the subject too, since the whole text goes"
                " through the template before it is split."
            ),
            text=(
                "The format is simple: first line is the subject, the rest the body, `$name` is the"
                " only placeholder. The welcome message first."
            ),
            tools=(write("waypost/templates/welcome.txt", _WELCOME),),
        ),
        Step(
            text="Now the first steps: same three ideas, but each says what you gain from it.",
            tools=(write("waypost/templates/first_steps.txt", _FIRST_STEPS),),
        ),
        Step(
            text="A small test keeps the stock phrases from creeping back in.",
            tools=(edit("tests/test_onboarding.py", _OLD_TEST, _NEW_TEST),),
        ),
        Step(
            text=(
                "Both messages are rewritten.\n\n"
                "- **Welcome** says what Waypost is for in one sentence and offers a reply.\n"
                "- **First steps** keeps its three points, each with a reason to try it.\n"
                "- A new test rejects phrases such as “utilize” and “do not hesitate”.\n\n"
                "Placeholders and the subject line work as before; no code changed."
            ),
        ),
    ),
    expected=Expected(
        files={
            "waypost/templates/welcome.txt": ("Welcome to Waypost, $name", "A person reads it."),
            "waypost/templates/first_steps.txt": ("Three things to try in Waypost",),
            "tests/test_onboarding.py": ("test_the_copy_avoids_stock_phrases",),
        }
    ),
)
