"""Runs the conformance suite and writes docs/conformance.md, the table of agents and capabilities.

The cells are what each agent is declared to do; they are written only after the suite has shown
every one of them on the real agent. `--unproved` writes them as declared, without a run.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import find_vibe  # noqa: E402
from find_agents import PACKAGES  # noqa: E402

from manyhands.agents.capabilities import Capabilities  # noqa: E402
from tests.conformance.capability import CAPABILITIES  # noqa: E402
from tests.conformance.subjects import SUBJECTS, Subject  # noqa: E402

TABLE = ROOT / "docs" / "conformance.md"
HEAD = """\
# What each agent can do

Written by `scripts/generate_conformance.py`; do not edit. Every cell is shown by a test in
`tests/conformance` on the real agent, against the scripted model: a "yes" that it works, a "no"
that it is refused or absent. Versions: Claude Code as its SDK brings it,
{versions}
(where Python 3.12 is found; elsewhere its tests say that it is not available).
[Agents](guide/agents.md) tells how to use them.

"""


def cell(capability: str, can: Capabilities) -> str:
    """What is declared of one agent; what no agent may lack is a plain yes."""
    differing: dict[str, Callable[[], str]] = {
        "permission denied with words": lambda: f"yes, {can.denial_words}",
        "question": lambda: yes(can.questions),
        "side question that cannot write": lambda: yes("plan" in can.modes),
        "plan mode": lambda: yes("plan" in can.modes),
        "plan approval": lambda: yes(can.plans),
        "steer": lambda: yes(can.steers),
        "model switch": lambda: yes(can.models),
        "effort": lambda: yes(can.effort),
        "files and pictures attached": lambda: "yes" if can.pictures else "files; pictures by path",
        "past conversations": lambda: PAST[can.past],
        "cost": lambda: "USD" if can.cost == "usd" else "no, tokens only",
        "error answers": lambda: "yes" if can.overload == "fails the turn" else OVERLOAD,
        "not logged in": lambda: "yes" if can.login else "needs no login",
    }
    known = differing.get(capability)
    return known() if known else "yes"


PAST = {"taken up": "listed and taken up", "listed": "listed only", "no": "no"}
OVERLOAD = "400, 401; 429 and 529 are tried again for ever"


def yes(there: bool) -> str:
    return "yes" if there else "no"


def render() -> str:
    names = [subject.name for subject in SUBJECTS]
    lines = ["| capability | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|"]
    for capability in CAPABILITIES:
        cells = [cell(capability, subject.capabilities) for subject in SUBJECTS]
        lines.append(f"| {capability} | " + " | ".join(cells) + " |")
    npm = [name.rsplit("/", 1)[-1].replace("@", " ") for name in PACKAGES.values()]
    versions = ", ".join([*npm, find_vibe.PACKAGE.replace("==", " ")])
    return HEAD.format(versions=versions) + "\n".join(lines) + "\n"


def prove() -> list[str]:
    """Run the suite; what it did not show."""
    with tempfile.TemporaryDirectory() as place:
        report = Path(place) / "report.xml"
        words = ["-q", "-n", "2", "--durations=15", f"--junitxml={report}", "tests/conformance"]
        subprocess.run([sys.executable, "-m", "pytest", *words], cwd=ROOT, check=False)
        shown = proved(report)
    wanted = {key(subject, capability) for subject in SUBJECTS for capability in CAPABILITIES}
    return sorted(wanted - shown)


def key(subject: Subject, capability: str) -> str:
    return f"{subject.name}: {capability}"


def proved(report: Path) -> set[str]:
    """Shown by a test that passed, and by none that did not."""
    good: set[str] = set()
    bad: set[str] = set()
    for case in ET.parse(report).iter("testcase"):
        failed = any(case.find(tag) is not None for tag in ("failure", "error", "skipped"))
        for note in case.iter("property"):
            if note.get("name") == "proves":
                (bad if failed else good).add(str(note.get("value")))
    return good - bad


def main() -> int:
    missing = [] if "--unproved" in sys.argv else prove()
    if missing:
        print("not shown, so nothing is written:", *missing, sep="\n  ", file=sys.stderr)
        return 1
    TABLE.write_text(render(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
