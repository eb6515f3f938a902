"""No secret gets past the one place where what agents say becomes events and live frames."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.keeper.outbox import Outbox
from manyhands.keeper.spool import Spool
from manyhands.model import events as e
from manyhands.model.ids import MessageId, SessionId
from manyhands.model.live import AnyLive, TextDelta, ToolProgress
from manyhands.model.redaction import MARK, Redacted, Redactor, secret_values

KNOWN = ("correct horse 'battery' staple", "s3cr3t-value-123", 'tab\tand "quote"', "пароль-номер-1")
KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAK\nabc+/=\n-----END RSA PRIVATE KEY-----"
FOUND = (
    "ghp_" + "a1B2" * 9,
    "github_pat_" + "x9" * 20,
    "sk-ant-api03-" + "Zz9_" * 10,
    "AKIA" + "ABCDEFGH01234567",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.sgn-_4t",
    "xoxb-123456789012-abcdef",
    KEY,
)
SECRETS = (*KNOWN, *FOUND)
redactor = Redactor(KNOWN)


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("around", [" {} ", "KEY={}\n", "({})", "\n{}", '"{}"', "x {}."])
def test_a_secret_is_taken_out_of_any_surrounding(secret: str, around: str) -> None:
    text = redactor.text(around.format(secret))
    assert "[redacted" in text
    assert secret not in text


def pieces(text: str, cuts: list[int]) -> list[str]:
    places = sorted({0, len(text), *(c % (len(text) + 1) for c in cuts)})
    return [text[a:b] for a, b in pairwise(places)]


noise = st.text(st.sampled_from("ab -_'\"\n.пк{}\t-ghpsk"), max_size=30)


@given(noise, st.sampled_from(SECRETS), noise, st.lists(st.integers(0, 10_000), max_size=8))
def test_a_secret_split_at_any_border_never_appears(
    before: str, secret: str, after: str, cuts: list[int]
) -> None:
    stream = Redacted(redactor)
    shown = ""
    for piece in pieces(f"{before} {secret} {after}", cuts):
        shown += stream.feed(piece)
        assert_clean(secret, shown)
    assert_clean(secret, shown + stream.end())


def assert_clean(secret: str, shown: str) -> None:
    """Not the secret, and no part of it that would be worth something."""
    assert secret not in shown
    for start in range(0, len(secret) - 12, 4):
        part = secret[start : start + 12]
        if part not in "-----BEGIN RSA PRIVATE KEY----- -----END RSA PRIVATE KEY-----":
            assert part not in shown


@given(st.text(max_size=200), st.lists(st.integers(0, 10_000), max_size=5))
def test_pieces_together_show_what_the_whole_would_show(text: str, cuts: list[int]) -> None:
    stream = Redacted(redactor)
    shown = "".join(stream.feed(piece) for piece in pieces(text, cuts)) + stream.end()
    assert shown == redactor.text(text)


@pytest.mark.parametrize(
    "text",
    [
        "task-management-component-with-a-long-name-2",
        "the word AKIA alone, and ghp_ alone, and eyJ",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "sk-learn and disk-usage-report-for-the-month-of-may",
    ],
)
def test_what_only_looks_a_little_like_a_secret_stays(text: str) -> None:
    assert redactor.text(text) == text


def test_which_variables_hold_secrets() -> None:
    given = {
        "ANTHROPIC_API_KEY": "rehearsal",
        "STRIPE_KEY": "k3y-0123456789",
        "DATABASE_URL": "postgres://me:pa55word@localhost/db",
        "GIT_CONFIG_KEY_0": "credential.helper",
        "SSH_AUTH_SOCK": "/run/user/1000/ssh",
        "PASSWORD": "${OTHER}",
        "PLAIN": FOUND[0],
        "PORT": "4100",
    }
    assert sorted(secret_values(given)) == sorted(["k3y-0123456789", "pa55word", FOUND[0]])


def make_outbox(place: Path) -> Outbox:
    return Outbox(SessionId("s1"), Spool(place / "1.spool"), lambda: None, Redactor(KNOWN))


@pytest.mark.parametrize("secret", SECRETS)
async def test_no_event_and_no_live_frame_carries_it(tmp_path: Path, secret: str) -> None:
    outbox = make_outbox(tmp_path)
    message = MessageId("m1")
    frames: list[AnyLive] = []
    text = f"The value is {secret} and nothing else."
    for place, letter in enumerate(text):
        outbox.show(
            TextDelta(session=outbox.session, message=message, offset=place, text=letter), 1
        )
        frames += outbox.saying.unseen()
    progress = ToolProgress(session=outbox.session, call="c", tool="Bash", text=f"echo {secret}")
    outbox.show(progress, 1)
    frames += [*outbox.saying.unseen(), *outbox.saying.so_far()]
    outbox.tell(e.AgentMessage(message=message, text=text))
    outbox.tell(e.ToolCalled(call="c", tool="Bash", input={"command": f"echo {secret}", secret: 1}))
    bodies = outbox.spool.after(0, limit=1_000_000)
    told = msgspec.json.encode(frames) + b"".join(bodies)
    assert secret not in told.decode()
    assert json.dumps(secret, ensure_ascii=False)[1:-1] not in told.decode()
    assert "[redacted" in bodies[0].decode()
    outbox.spool.close()


async def test_live_text_runs_on_behind_a_secret_and_lays_itself_together(tmp_path: Path) -> None:
    outbox = make_outbox(tmp_path)
    whole = ""
    said = f"a {KNOWN[1]} b {FOUND[0]} c so on."
    for place in range(0, len(said), 3):
        frame = TextDelta(
            session=outbox.session,
            message=MessageId("m"),
            offset=place,
            text=said[place : place + 3],
        )
        outbox.show(frame, 1)
        for seen in outbox.saying.unseen():
            assert isinstance(seen, TextDelta)
            whole = whole[: seen.offset] + seen.text
    assert whole == f"a {MARK} b [redacted: a GitHub token] c so on."
    outbox.spool.close()
