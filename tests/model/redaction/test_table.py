"""One table of secrets: each row finds its kind, in linear time, and leaves ordinary text alone."""

from __future__ import annotations

import base64
import hashlib
import random
import subprocess
import time
import uuid
from pathlib import Path

import pytest

from manyhands.model.redaction import Redacted, Redactor
from manyhands.model.redaction.row import Row
from manyhands.model.redaction.table import TABLE

ROOT = Path(__file__).parents[3]
ROWS = [pytest.param(row, id=f"{n}-{row.kind}") for n, row in enumerate(TABLE.rows)]
redactor = Redactor()
rows = pytest.mark.parametrize("row", ROWS)


def secrets_of(row: Row) -> list[str]:
    """What of the example must not be seen again."""
    text = row.sample
    return [text[s.start : s.end] for s in TABLE.find(text) if s.kind == row.kind]


@rows
def test_a_row_finds_its_example_and_says_why(row: Row) -> None:
    assert secrets_of(row)
    assert row.why
    assert row.example != row.sample, "an example is written so that no scan takes it for one"


@rows
@pytest.mark.parametrize(
    "around",
    ["{}", " {} ", "({})", "\n{}\n", '"{}"', '{{"a": "x\\n{}"}}', "said: {}, then", "`{}`"],
)
def test_it_is_found_in_any_surrounding(row: Row, around: str) -> None:
    text = redactor.text(around.replace("{{", "{").replace("}}", "}").replace("{}", row.sample, 1))
    assert f"[redacted: {row.kind}]" in text
    for secret in secrets_of(row):
        assert secret not in text
    assert redactor.text(text) == text, "what is clean stays as it is"


@rows
@pytest.mark.parametrize("size", [1, 3, 11])
def test_it_is_found_over_every_border_of_pieces(row: Row, size: int) -> None:
    text = f"before it, {row.sample} and after it"
    stream, shown = Redacted(redactor), ""
    for at in range(0, len(text), size):
        shown += stream.feed(text[at : at + size])
        assert not any(secret in shown for secret in secrets_of(row))
    shown += stream.end()
    for secret in secrets_of(row):
        worth = secret.removeprefix(":")[12:24] if len(secret) > 24 else secret
        assert worth not in shown
    assert shown.startswith("before it, ")
    assert shown.endswith(" and after it")


def test_a_word_longer_than_is_held_back_is_not_shown_in_parts() -> None:
    token = "github_pat_" + "aB3d" * 20_000 + "sig4" * 100
    stream = Redacted(redactor)
    shown = "".join(stream.feed(token[at : at + 997]) for at in range(0, len(token), 997))
    shown += stream.feed(" and after it") + stream.end()
    assert shown.endswith(" and after it")
    assert "sig4sig4" not in shown


def test_a_line_stays_a_line_and_a_patch_a_patch() -> None:
    key = next(row.sample for row in TABLE.rows if row.kind == "a private key")
    file = f"first\n{key}\nlast\n"
    shown = redactor.lines(file)
    assert shown.count("\n") == file.count("\n")
    assert shown.startswith("first\n[redacted: a private key]\n")
    assert shown.endswith("\nlast\n")
    patch = "".join(f"+{line}\n" for line in file.splitlines())
    lines = redactor.lines(patch).splitlines()
    assert len(lines) == len(patch.splitlines())
    assert all(line.startswith("+") for line in lines)
    assert "b3Blbn" not in redactor.lines(patch)


@pytest.mark.parametrize(
    "text",
    [
        "DB_PASS=hunter2x",
        "export MYSQL_PWD=s3cret!pw",
        "PGPASSWORD=abc12345 psql",
        "PGPASS=q1w2e3r4",
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYz7Kq9Lm2xR",
        '"SecretAccessKey": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYz7Kq9Lm2xR"',
        'password: "z7Kq9Lm2xR4v"',
        "//registry.npmjs.org/:_authToken=z7Kq9Lm2xR4vT8wY",
        "https://example.org/x?access_token=z7Kq9Lm2xR4vT8wY&y=1",
        "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=z7Kq9Lm2xR4vT8wYz7Kq9Lm2xR4==;",
        "postgres://u:p@h/db",
        "redis://:z7Kq9@cache:6379",
        "mysql://root:p@ss@word@h/db",
        "https://user:tok@host/x.git",
        "curl -u admin:s3cret99 https://example.org",
        "login --password s3cret99",
        "client_secret=z7Kq9Lm2xR4vT8wY",
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQO=\n-----END PGP PRIVATE KEY BLOCK-----",
    ],
)
def test_a_secret_is_known_by_where_it_stands(text: str) -> None:
    clean = redactor.text(text)
    assert "[redacted: " in clean
    for part in ("hunter2", "s3cret", "abc12345", "q1w2", "wJalr", "z7Kq9", ":p@", "tok@", "lQO="):
        assert part not in clean


def ordinary() -> dict[str, str]:
    """Text of the kinds that agents, diffs and logs are full of."""
    drawn = random.Random(7)
    noise = base64.b64encode(drawn.randbytes(60_000)).decode()
    hashes = "\n".join(hashlib.sha256(bytes([n])).hexdigest() for n in range(200))
    ids = "\n".join(str(uuid.UUID(int=drawn.getrandbits(128))) for _ in range(200))
    pins = "\n".join(
        f"passlib{n}==1.7.{n} \\\n    --hash=sha256:{hashlib.sha256(bytes([n])).hexdigest()}"
        for n in range(100)
    )
    log = subprocess.run(
        ["git", "log", "-n", "20", "--no-color", "-p", "--", "web/src", "docs"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    ).stdout.decode("utf-8", "replace")
    built = sorted((ROOT / "src/manyhands/api/ui/assets").glob("*.js"))
    found = {
        "a lock file": (ROOT / "web/package-lock.json").read_text(),
        "pins": pins,
        "hashes": hashes,
        "ids": ids,
        "an asset": f"url(data:font/woff2;base64,{noise})",
        "a history": log,
        "minified code": "\n".join(file.read_text() for file in built)[:2_000_000],
        "code": "\n".join(
            file.read_text()
            for file in sorted((ROOT / "src/manyhands").rglob("*.py"))
            if file.parent.name != "redaction"  # it has examples
        ),
        "verdicts": "PASS: test_login_2\nPASSED tests/x.py::test_a1\nFAIL: test_b_33\n",
        "prose": "The token is passed on; a password is needed. Basic understanding, bearer of. "
        "See https://example.org:8080/users/me@example.org and ssh://git@example.org/x.git, "
        "postgres://postgres:postgres@localhost/test, password=password, token: str = '', "
        "SECRET_KEY = os.environ['SECRET_KEY'], PASSWORD=$PASSWORD, tokens: 12345, "
        "--user 1000:1000, key-value-store, risk-management-for-everybody-2.",
    }
    assert all(found.values())
    return found


def test_ordinary_text_is_left_alone() -> None:
    for name, text in ordinary().items():
        wrong = [(text[s.start : s.end][:60], s.kind) for s in TABLE.find(text)]
        assert not wrong, name


REPEATED = sorted(
    {
        *TABLE.exact,
        *(a for row in TABLE.rows for a in row.anchors),
        *(row.sample for row in TABLE.rows),
        *("token=", "token: ", 'token = "', "PASS=", "pwd:", "-u a:", "eyJaaaaaaaa.", "a://a:b"),
        *(
            "-----BEGIN PRIVATE KEY-----\n",
            "-----BEGIN PRIVATE KEY-----\nAAAA",
            "\\nsk-a",
            "x",
            "-",
        ),
        *(
            "SG.aaaaaaaaaaaaaaaaaaa",
            "password",
            "a ",
            "=",
            "Proc-Type: 4\n",
            "AKIAAAAAAAAAAAAAAAAA ",
        ),
    }
)


def cost(text: str, size: int) -> float:
    """Processor time for the text as a whole and in pieces."""
    began = time.process_time()
    redactor.text(text)
    stream = Redacted(redactor)
    for at in range(0, len(text), size):
        stream.feed(text[at : at + size])
    stream.end()
    return time.process_time() - began


def test_the_time_grows_with_the_text_and_no_faster() -> None:
    """A square would make it 64 times as much for 8 times the text."""
    small, large = 4_000, 32_000
    for part in REPEATED:
        few, many = part * (small // len(part)), part * (large // len(part))
        # The shortest of some, so that a busy machine counts for little.
        short = min(cost(few, 500) for _ in range(2))
        assert cost(many, 500) < 24 * max(short, 0.004), part[:40]
