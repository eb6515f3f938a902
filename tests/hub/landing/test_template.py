"""Templates of pull requests: found wherever forges look, and filled in section by section."""

from __future__ import annotations

import pytest

from manyhands.hub.landing.template import PrWords, fill
from manyhands.station.landing.templates import found_in

WORDS = PrWords(summary="It greets.", task="> Greet", checks="- `true` passed", closes="Closes #1")
ALL = """It greets.

**Task**

> Greet

**Checks run**

- `true` passed

Closes #1"""
RICH = """# Description
<!-- Please say what
## it does
-->
Be brief.

## Type of change
- [ ] fix

## Related issue
Fixes # (issue)

## How has this been tested?
<!-- say -->

**Motivation**

## Checklist
- [ ] docs
"""
FILLED = """# Description

It greets.

Be brief.

## Type of change

- [ ] fix

## Related issue

Closes #1

## How has this been tested?

- `true` passed

**Motivation**

> Greet

## Checklist

- [ ] docs
"""


@pytest.mark.parametrize(
    ("template", "filled"),
    [
        ("", f"{ALL}\n"),
        ("- [ ] documented\n", f"{ALL}\n\n- [ ] documented\n"),
        ("## Checklist\n- [ ] documented\n", f"{ALL}\n\n## Checklist\n\n- [ ] documented\n"),
        (RICH, FILLED),
        ("```\n# What\n```\n", f"{ALL}\n\n```\n# What\n```\n"),
    ],
)
def test_each_part_stands_under_the_heading_that_asks_for_it(template: str, filled: str) -> None:
    assert fill(template, WORDS) == filled


def test_a_section_that_nothing_is_known_for_is_left_as_it_is() -> None:
    template = "## Summary\n\n## Tests\n<!-- how -->\n\n## Issue\nFixes #\n"
    told = fill(template, PrWords(summary="It greets."))
    assert told == "## Summary\n\nIt greets.\n\n## Tests\n\n<!-- how -->\n\n## Issue\n\nFixes #\n"


def test_a_forges_own_templates_come_first() -> None:
    paths = [".github/pull_request_template.md", ".gitlab/merge_request_templates/Default.md"]
    assert [t.path for t in found_in(paths)] == paths[:1]
    assert [t.path for t in found_in(paths, gitlab=True)] == paths[1:]


@pytest.mark.parametrize(
    ("paths", "found"),
    [
        (["README.md"], []),
        (["docs/pull_request_template.txt"], ["default docs/pull_request_template.txt"]),
        (
            ["PULL_REQUEST_TEMPLATE.md", ".github/pull_request_template.md"],
            ["default .github/pull_request_template.md"],
        ),
        (
            [
                ".github/PULL_REQUEST_TEMPLATE/bug.md",
                ".github/PULL_REQUEST_TEMPLATE/Feature.md",
                "pull_request_template.md",
            ],
            [
                "default pull_request_template.md",
                "bug .github/PULL_REQUEST_TEMPLATE/bug.md",
                "Feature .github/PULL_REQUEST_TEMPLATE/Feature.md",
            ],
        ),
        (
            [".gitlab/merge_request_templates/Default.md", ".gitlab/merge_request_templates/x.md"],
            [
                "Default .gitlab/merge_request_templates/Default.md",
                "x .gitlab/merge_request_templates/x.md",
            ],
        ),
        (
            [".gitea/PULL_REQUEST_TEMPLATE.md", ".github/pull_request_template/a/b.md"],
            ["default .gitea/PULL_REQUEST_TEMPLATE.md"],
        ),
    ],
)
def test_templates_are_found_where_forges_look(paths: list[str], found: list[str]) -> None:
    assert [f"{t.name} {t.path}" for t in found_in(paths)] == found
