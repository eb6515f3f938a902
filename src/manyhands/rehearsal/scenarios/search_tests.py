"""Write integration tests for search: new tests, run and committed without asking."""

from __future__ import annotations

from manyhands.rehearsal.scenarios.scenario import TESTS, Expected, Scenario, bash, read, write
from manyhands.rehearsal.script import Step

_SUBJECT = "Test search through the HTTP interface"

_TESTS = '''\
"""Search as a client meets it: notes go in over HTTP, answers come back ranked."""

import unittest

from tests.client import Client


class SearchApiTest(unittest.TestCase):
    def setUp(self) -> None:
        self.client = Client()
        self.addCleanup(self.client.close)
        _, ada = self.client.request(
            "POST", "/users", {"name": "Ada", "email": "ada@example.com"}
        )
        self.author = ada["id"]

    def note(self, title: str, body: str) -> int:
        note = {"author": self.author, "title": title, "body": body}
        status, answer = self.client.request("POST", "/notes", note)
        self.assertEqual(status, 201)
        return answer["id"]

    def found(self, query: str) -> list:
        status, notes = self.client.request("GET", f"/search?q={query}")
        self.assertEqual(status, 200)
        return [note["id"] for note in notes]

    def test_a_note_is_found_as_soon_as_it_is_written(self) -> None:
        self.assertEqual(self.found("soup"), [])
        lunch = self.note("Lunch", "Soup on Monday.")
        self.assertEqual(self.found("soup"), [lunch])

    def test_a_title_outranks_the_body(self) -> None:
        body = self.note("Retro", "The release went well.")
        title = self.note("Release checklist", "Tag, build, announce.")
        self.assertEqual(self.found("release"), [title, body])

    def test_equal_scores_keep_the_order_of_writing(self) -> None:
        first = self.note("Minutes", "Budget agreed.")
        second = self.note("Minutes", "Budget postponed.")
        self.assertEqual(self.found("minutes+budget"), [first, second])

    def test_all_words_of_the_query_must_occur(self) -> None:
        self.note("Lunch", "Soup on Monday.")
        both = self.note("Lunch", "Salad on Tuesday.")
        self.assertEqual(self.found("lunch+salad"), [both])

    def test_encoded_and_accented_words_are_found(self) -> None:
        note = self.note("Café", "The one by the river.")
        self.assertEqual(self.found("CAF%C3%89"), [note])

    def test_a_missing_query_finds_nothing(self) -> None:
        self.note("Lunch", "Soup on Monday.")
        self.assertEqual(self.client.request("GET", "/search"), (200, []))

    def test_the_answer_carries_the_whole_note(self) -> None:
        self.note("Lunch", "Soup on Monday.")
        _, notes = self.client.request("GET", "/search?q=lunch")
        self.assertEqual(sorted(notes[0]), ["author", "body", "id", "title"])
'''

SEARCH_TESTS = Scenario(
    title="Write integration tests for search",
    mode="auto",
    task=(
        "Search is only tested function by function. Add integration tests that go through the"
        " HTTP interface, run the whole suite and commit."
    ),
    steps=(
        Step(
            text="Let me see what search promises and how the existing tests call the app.",
            tools=read(
                "waypost/search.py", "waypost/app.py", "tests/client.py", "tests/test_search.py"
            ),
        ),
        Step(
            text="The suite should be green before I add to it.",
            tools=(bash(TESTS, "Run the test suite"),),
        ),
        Step(
            thinking=(
                "The unit tests cover ranking on fixed notes. What they cannot see: that a note is"
                " searchable right after it was posted, how the query string is decoded, a request"
                " without `q`, ties, and the shape of the answer."
            ),
            text=(
                "Green. The unit tests rank a fixed list, so the gaps are at the seam: query"
                " decoding, ties, a missing `q`, and notes being findable right after they are"
                " posted. I'll cover those through the in-process client."
            ),
            tools=(write("tests/test_search_api.py", _TESTS),),
        ),
        Step(tools=(bash(f"{TESTS} -v tests.test_search_api", "Run the new tests"),)),
        Step(
            text="All seven pass. Now the whole suite once more, then the commit.",
            tools=(bash(TESTS, "Run the whole suite"),),
        ),
        Step(
            tools=(
                bash(
                    f'git add tests/test_search_api.py && git commit -q -m "{_SUBJECT}"'
                    " && git log --oneline -1",
                    "Commit the new tests",
                ),
            ),
        ),
        Step(
            text=(
                "Search now has seven integration tests in `tests/test_search_api.py`, committed"
                " on this branch:\n\n"
                "- a note is found as soon as it is written\n"
                "- titles outrank bodies, ties keep the order of writing\n"
                "- every word must occur; accents and URL encoding work\n"
                "- no `q` means no result, and a hit carries the whole note\n\n"
                "No bug turned up on the way; the application is untouched."
            ),
        ),
    ),
    expected=Expected(
        files={"tests/test_search_api.py": ("test_a_title_outranks_the_body",)},
        commits=(_SUBJECT,),
    ),
)
