"""Kinds of secrets that are known by their own form."""

from __future__ import annotations

import re

from manyhands.model.redaction.row import BORDER, Row

LONGEST_KEY = 20_000
_NAME = r"[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
KEY_BEGIN = "-----BEGIN "
_SOME = r"(?:(?!-----)[\s\S])"
_LINES = r"(?:[\s\"'\\+>|,-]|[A-Za-z0-9+/=]{16,})*+"
"""What follows a key's beginning where its end is missing: base64, and what stands around it."""
OPEN_KEY = re.compile(
    rf"-----BEGIN (?:[A-Z0-9 ]{{0,60}}-{{0,5}}\Z|{_NAME}{_SOME}{{0,{LONGEST_KEY}}}+"
    r"(?:-{5,6}[A-Z0-9 ]{0,60}-{0,5})?\Z)"
)
"""A private key whose end is still to come."""
_DATA = "z7Kq9·Lm2xR4vT8wY1bN5cD3fG6hJ0pS"


def _has_digit(match: re.Match[str]) -> bool:
    return any(c.isdigit() for c in match[0])


def _token(kind: str, *starts: str, body: str, why: str, example: str) -> Row:
    """A word that begins with one of `starts`, and goes on as `body`."""
    pattern = f"(?:{'|'.join(map(re.escape, starts))}){body}"
    return Row(kind=kind, anchors=starts, pattern=re.compile(pattern), why=why, example=example)


TOKENS: tuple[Row, ...] = (
    Row(
        kind="a private key",
        anchors=(KEY_BEGIN,),
        pattern=re.compile(
            rf"-----BEGIN {_NAME}(?:{_SOME}{{0,{LONGEST_KEY}}}+-?-----END {_NAME}|{_LINES})"
        ),
        why="signs and decrypts as its owner: PEM, OpenSSH and PGP alike",
        example="-----BEGIN OPENSSH PRIVATE· KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5v\nbmUAAAAE\n"
        "-----END OPENSSH PRIVATE· KEY-----",
    ),
    _token(
        "a GitHub token",
        *("ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
        body=r"[A-Za-z0-9]{20,}",
        why="acts on GitHub as a person or an app",
        example="ghu·_" + _DATA + "01xY",
    ),
    _token(
        "a GitHub token",
        "github_pat_",
        body=r"[A-Za-z0-9_]{20,}",
        why="acts on GitHub as a person",
        example="github·_pat_11ABCDE0" + _DATA,
    ),
    _token(
        "a GitLab token",
        *("glpat-", "glrt-", "gldt-", "glcbt-", "glptt-", "glagent-"),
        body=r"[A-Za-z0-9_.-]{16,}",
        why="acts on GitLab as a person, a runner or a job",
        example="glpat·-" + _DATA,
    ),
    _token(
        "an Anthropic key",
        "sk-ant-",
        body=r"[A-Za-z0-9_-]{16,}",
        why="spends its owner's money",
        example="sk-·ant-api03-" + _DATA,
    ),
    Row(
        kind="an OpenAI key",
        anchors=("sk-",),
        signs=("sk-[A-Za-z0-9_-]{20}",),
        # A class name such as task-management-and-so-on is none.
        pattern=re.compile(BORDER + r"sk-[A-Za-z0-9_-]{20,}"),
        is_one=_has_digit,
        why="spends its owner's money; others have keys of this form too",
        example="sk-·proj-" + _DATA,
    ),
    _token(
        "a Google key",
        "AIza",
        body=r"[A-Za-z0-9_-]{35}",
        why="uses Google's services at its owner's cost",
        example="AIza·Sy" + _DATA + "xY",
    ),
    _token(
        "a Google token",
        *("GOCSPX-", "ya29."),
        body=r"[A-Za-z0-9_-]{20,}",
        why="logs in to Google as an app or a person",
        example="GOCSPX·-" + _DATA,
    ),
    _token(
        "a Stripe key",
        *("sk_live_", "rk_live_", "sk_test_", "rk_test_", "whsec_"),
        body=r"[A-Za-z0-9]{16,}",
        why="moves its owner's money",
        example="rk_·live_" + _DATA,
    ),
    _token(
        "a Slack token",
        *("xoxa-", "xoxb-", "xoxe-", "xoxe.", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-"),
        body=r"[A-Za-z0-9.-]{10,}",
        why="reads and writes in a workspace",
        example="xox·b-123456789012-" + _DATA,
    ),
    _token(
        "a Slack webhook",
        "hooks.slack.com/",
        body=r"(?:services|workflows|triggers)/(?P<secret>[A-Za-z0-9/_-]{20,})",
        why="writes into a channel",
        example="https://hooks.slack·.com/services/T00000000/B00000000/" + _DATA,
    ),
    _token(
        "a Discord webhook",
        *("discord.com/api/", "discordapp.com/api/"),
        body=r"(?:v\d{1,2}/)?webhooks/\d{5,25}/(?P<secret>[A-Za-z0-9_-]{20,})",
        why="writes into a channel",
        example="https://discord·.com/api/webhooks/123456789012345678/" + _DATA * 2,
    ),
    _token(
        "an npm token",
        "npm_",
        body=r"[A-Za-z0-9]{36}",
        why="publishes packages",
        example="npm·_" + _DATA + "01xYz",
    ),
    _token(
        "a PyPI token",
        "pypi-",
        body=r"A[A-Za-z0-9_-]{39,}",
        why="publishes packages",
        example="pypi·-AgEIcHlwaS5vcmcC" + _DATA,
    ),
    _token(
        "a Hugging Face token",
        *("hf_", "api_org_"),
        body=r"[A-Za-z0-9]{30,}",
        why="reads and writes models and data",
        example="hf·_" + _DATA + "xY",
    ),
    _token(
        "a SendGrid key",
        "SG.",
        body=r"[A-Za-z0-9_-]{16,64}+\.[A-Za-z0-9_-]{16,}",
        why="sends mail in its owner's name",
        example="SG·.z7Kq9Lm2xR4vT8wY1bN5cD." + _DATA,
    ),
    Row(
        kind="a Twilio key",
        anchors=("SK",),
        signs=("SK[0-9a-f]{8}",),
        pattern=re.compile(BORDER + r"SK[0-9a-f]{32}(?![A-Za-z0-9])"),
        why="calls and writes at its owner's cost",
        example="SK·0123456789abcdef0123456789abcdef",
    ),
    Row(
        kind="a Telegram bot's token",
        anchors=(":AA",),
        signs=("[0-9]:AA",),
        pattern=re.compile(r"(?<=\d{8}):AA[A-Za-z0-9_-]{32,}"),
        why="speaks as the bot",
        example="123456789:AA·F" + _DATA + "xY",
    ),
    Row(
        kind="an Azure secret",
        anchors=("Q~",),
        pattern=re.compile(r"(?<=\d)Q~[A-Za-z0-9_.~-]{31,}"),
        why="logs in to Azure as an app",
        example="abc8·Q~" + _DATA + "xY",
    ),
    Row(
        kind="an Azure signature",
        anchors=("sig=",),
        pattern=re.compile(r"(?<=[?&])sig=(?P<secret>[A-Za-z0-9%+/=_-]{30,})"),
        why="opens a storage account",
        example="?sv=2022-11-02&sig·=" + _DATA + "%3D",
    ),
    Row(
        kind="an AWS key",
        anchors=("AKIA", "ASIA"),
        pattern=re.compile(r"(?<![A-Z0-9])A[KS]IA[0-9A-Z]{16}(?![A-Z0-9])"),
        why="names an account, and stands beside its secret",
        example="AKIA·IOSFODNN7EXAMPLE",
    ),
    Row(
        kind="an AWS secret key",
        anchors=("AKIA", "ASIA"),
        pattern=re.compile(
            r"A[KS]IA[0-9A-Z]{16}[\"'\s,:;|]{1,8}(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])"
        ),
        why="acts in the account beside whose name it stands",
        example="AKIA·IOSFODNN7EXAMPLE,wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLE·KEY",
    ),
    _token(
        "a DigitalOcean token",
        *("dop_v1_", "doo_v1_", "dor_v1_"),
        body=r"[0-9a-f]{40,}",
        why="runs machines at its owner's cost",
        example="dop·_v1_" + "0123456789abcdef" * 4,
    ),
    _token(
        "a Docker token",
        *("dckr_pat_", "dckr_oat_"),
        body=r"[A-Za-z0-9_-]{20,}",
        why="publishes images",
        example="dckr·_pat_" + _DATA,
    ),
    _token(
        "a Vault token",
        *("hvs.", "hvb."),
        body=r"[A-Za-z0-9_-]{24,}",
        why="reads other secrets",
        example="hvs·." + _DATA,
    ),
    _token(
        "a Groq key",
        "gsk_",
        body=r"[A-Za-z0-9]{32,}",
        why="spends its owner's money",
        example="gsk·_" + _DATA + "0123456789",
    ),
    _token(
        "a Grafana token",
        "glsa_",
        body=r"[A-Za-z0-9_]{32,}",
        why="reads and changes dashboards and their sources",
        example="glsa·_" + _DATA + "_0a1b2c3d",
    ),
    _token(
        "an Atlassian token",
        "ATATT3",
        body=r"[A-Za-z0-9_=-]{40,}",
        why="acts in Jira and Confluence as a person",
        example="ATATT·3xFf" + _DATA + "0123456789",
    ),
    _token(
        "a Shopify token",
        *("shpat_", "shpca_", "shppa_", "shpss_"),
        body=r"[0-9a-fA-F]{32}",
        why="runs a shop",
        example="shpat·_0123456789abcdef0123456789abcdef",
    ),
    _token(
        "an age key",
        "AGE-SECRET-KEY-1",
        body=r"[0-9A-Z]{50,}",
        why="decrypts files",
        example="AGE-SECRET·-KEY-1" + "QZRY9X8GF2TVDW0S3JN5" * 3,
    ),
    Row(
        kind="a web token",
        anchors=("eyJ",),
        signs=(r"eyJ[A-Za-z0-9_-]*\.eyJ",),
        pattern=re.compile(
            BORDER + r"eyJ[A-Za-z0-9_-]{8,}+\.eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]+"
        ),
        why="is a login, for as long as it holds",
        example="eyJ·hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.sgn-_4tz7Kq9Lm2xR4vT8",
    ),
)
