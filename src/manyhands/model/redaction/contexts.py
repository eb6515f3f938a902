"""Kinds of secrets that are known by where they stand: after a telling name, or in an address."""

from __future__ import annotations

import base64
import binascii
import re

from manyhands.model.redaction.judging import is_placeholder, is_random
from manyhands.model.redaction.row import Row, linear

LONGEST = 512
NAMES = (
    *("pass", "pwd", "secret", "token", "credential"),
    *("api_key", "api-key", "apikey", "access_key", "accesskey", "account_key", "accountkey"),
    *("private_key", "privatekey", "signing_key", "encryption_key", "master_key", "auth_key"),
)
"""In lower case: what a name that stands for a secret has in it, up to a few letters more."""
_VALUE = rf"[^\s\"'`,;)}}\]<>&\\]{{4,{LONGEST}}}"
_GIVEN = r"[ \t]{0,8}(?P<is>:=|=>|=|:)[ \t]{0,8}(?P<quote>\\?[\"'`])?"
_NAMED = rf"(?P<name>[A-Za-z0-9_-]{{2,40}}+)(?:\\?[\"'])?\]?{_GIVEN}"
_SIGN = r"[\\\"']{0,3}\]?[ \t]{0,8}[:=]"
_PLURAL = re.compile(r"(?i)tokens|passed|passes|passing|tokenizer|passthrough|secretary")


def _is_assigned(match: re.Match[str]) -> bool:
    """A value that is written out: whether a shell's or a config's line, or a program's text."""
    value, text, start = match["secret"], match.string, match.start()
    if is_placeholder(value) or _PLURAL.match(match["name"]):
        return False
    before = text[start - 1 : start] if start else ""
    if match["name"].lower() == "pass" and not (before.isalnum() or before in ("_", "-")):
        return False  # a verdict, not a word
    if match["is"] == "=" and not match["quote"] and _is_shell(match, before):
        return len(value) >= 6 or not value.isalpha()
    return is_random(value, 8 if match["quote"] else 12)


def _is_shell(match: re.Match[str], before: str) -> bool:
    """`NAME=value` in capitals or `--name=value`, which no program's own text looks like."""
    tight = match.end("is") == match.start("secret") and match.end("name") == match.start("is")
    name = match["name"]
    loud = name.upper() == name and (before.isupper() or not before.isalnum())
    return tight and (loud or match.string[: match.start()].rstrip(_WORD)[-1:] == "-")


_WORD = "abcdefghijklmnopqrstuvwxyz"


def _is_flag(match: re.Match[str]) -> bool:
    value = match["secret"].rstrip(",.;")
    return not is_placeholder(value) and not value.startswith("-") and not value.isdigit()


def _is_basic(match: re.Match[str]) -> bool:
    """What comes after the word is a name and a password, or stands in a header."""
    before = match.string[max(0, match.start() - 20) : match.start()].lower()
    if "authorization" in before:
        return not is_placeholder(match["secret"])
    try:
        return b":" in base64.b64decode(match["secret"] + "==", validate=False)[1:64]
    except (binascii.Error, ValueError):
        return False


def _is_bearer(match: re.Match[str]) -> bool:
    return is_random(match["secret"], 12)


def _is_password(match: re.Match[str]) -> bool:
    return not is_placeholder(match["secret"]) and match["secret"] != match["user"]


def _is_user(match: re.Match[str]) -> bool:
    return is_random(match["secret"], 20)


CONTEXTS: tuple[Row, ...] = (
    Row(
        kind="a password in an address",
        anchors=("://",),
        pattern=re.compile(
            r"(?<=[A-Za-z0-9+.-])://(?P<user>[^\s:/@\"'`<>]{0,256}+):"
            r"(?P<secret>[^\s/\"'`<>\\]{1,256})@"
        ),
        is_one=_is_password,
        signs=(r"://[^\s:/@]*:[^\s/@]+@",),
        why="opens what it is the address of",
        example="postgres://app:z7Kq·9Lm2@db.example/app",
    ),
    Row(
        kind="a token in an address",
        anchors=("://",),
        pattern=re.compile(r"(?<=[A-Za-z0-9+.-])://(?P<secret>[A-Za-z0-9_-]{20,256}+)@"),
        is_one=_is_user,
        signs=(r"://[A-Za-z0-9_-]{20}[A-Za-z0-9_-]*@",),
        why="opens what it is the address of",
        example="https://z7Kq9Lm2xR4v·T8wY1bN5cD3f@git.example/x.git",
    ),
    Row(
        kind="basic authentication",
        anchors=("basic ",),
        any_case=True,
        pattern=re.compile(r"(?i)(?<![A-Za-z0-9])basic {1,4}(?P<secret>[A-Za-z0-9+/=_-]{6,4096})"),
        is_one=_is_basic,
        why="is a name and a password",
        example="Authorization: Basic YXBwOno3S3E5·TG0yeFI0dg==",
    ),
    Row(
        kind="a bearer token",
        anchors=("bearer ",),
        any_case=True,
        pattern=re.compile(r"(?i)(?<![A-Za-z0-9])bearer {1,4}(?P<secret>[A-Za-z0-9._~+/=-]{12,})"),
        is_one=_is_bearer,
        why="is a login of whoever bears it",
        example="Authorization: Bearer z7Kq9Lm2·xR4vT8wY1bN5",
    ),
    Row(
        kind="a password in a command",
        anchors=("--pass", "--token", "--secret", "--api-key", "--user", "-u "),
        signs=("--(?:pass|token|secret|api-key)", "(?:-u|--user)[ =][^\\s:]*:"),
        any_case=True,
        pattern=re.compile(
            r"(?<![\w-])(?:--(?i:password|passwd|pass|passphrase|token|secret|api-key)[ ]{1,4}"
            r"|(?:-u|--user)[ =]{1,4}[\"']?[^\s:\"'/]{1,64}+:(?=[^\s\"'/]{0,64}\d))"
            rf"[\"']?(?P<secret>[^\s\"'`<>]{{4,{LONGEST}}})"
        ),
        is_one=_is_flag,
        why="was typed for a program",
        example="deploy --password z7Kq9·Lm2",
    ),
    Row(
        kind="a value that looks like a secret",
        anchors=NAMES,
        signs=(rf"(?:{'|'.join(NAMES)})[a-z0-9_-]{{0,40}}{_SIGN}",),
        any_case=True,
        pattern=re.compile(rf"{_NAMED}(?P<secret>{_VALUE})"),
        is_one=_is_assigned,
        why="stands after a name that says so, such as DB_PASS or AWS_SECRET_ACCESS_KEY",
        example="DB_PASS=z7Kq9·Lm2xR4v",
    ),
)
_NAMES = "|".join(NAMES)
_IS = r"(?:\\?[\"'])?\]?[ \t]{0,8}(?::=|=>|=|:)"
OPEN_VALUE = linear(
    rf"(?i)(?:(?:{_NAMES})[a-z0-9_-]{{0,40}}{_IS}[ \t]{{0,8}}(?:\\?[\"'`])?"
    r"|(?:basic|bearer|-u|--[a-z-]{3,16}) {1,4}[\"']?(?:[^\s:\"'/]{1,64}:)?)"
    r"[^\s\"'`]*\z"
)
"""A value whose end is still to come, after what makes it telling."""
