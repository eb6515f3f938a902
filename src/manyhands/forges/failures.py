"""Why a forge did not do what was asked, in words."""

from __future__ import annotations

import math

import msgspec

from manyhands.errors import ForgeDenied, ForgeFailed

UNKNOWN = 401
DENIED = (UNKNOWN, 403)
FIRST_SERVER_ERROR = 500
_HINTS = {
    403: "the token may not do this: give it the right, or use another",
    404: "the repository, or what was asked for in it, is not there or not visible to the token",
    409: "something moved meanwhile: look with `manyhands pr status` and try again",
    429: "try again later",
}


class _Detail(msgspec.Struct, frozen=True):
    message: str = ""
    field: str = ""
    code: str = ""


class _Body(msgspec.Struct, frozen=True):
    message: str | list[str] | dict[str, list[str] | str] = ""
    error: str = ""
    error_description: str = ""
    errors: list[_Detail | str] | str | None = None


def refusal(
    host: str, method: str, path: str, status: int, body: bytes, token_hint: str
) -> ForgeFailed:
    said = _said(body)
    if status >= FIRST_SERVER_ERROR:
        return ForgeFailed(
            f"{host} is in trouble (HTTP {status}{f': {said}' if said else ''})",
            hint="nothing is lost; try again in a while",
            status=status,
        )
    what = f"{host} refused {method} {path}: {said or 'no reason given'} (HTTP {status})"
    kind = ForgeDenied if status in DENIED else ForgeFailed
    hint = _HINTS.get(status, "")
    if status == UNKNOWN:
        hint = f"the token is wrong or has expired: {token_hint}"
    return kind(what, hint=hint, status=status)


def told_to_wait(host: str, seconds: float) -> ForgeFailed:
    return ForgeFailed(
        f"{host} asks to be left alone for {math.ceil(seconds)} seconds: too many requests",
        hint="nothing is lost; try again then",
        status=429,
    )


def no_answer(host: str, reason: BaseException) -> ForgeFailed:
    return ForgeFailed(
        f"{host} does not answer: {str(reason) or type(reason).__name__}",
        hint="nothing is lost; try again in a while",
    )


def _said(body: bytes) -> str:
    """Each forge has ways of its own to say why, and some say it twice."""
    try:
        said = msgspec.json.decode(body, type=_Body)
    except msgspec.DecodeError:
        return ""
    details = [said.errors] if isinstance(said.errors, str) else list(said.errors or ())
    texts = [d if isinstance(d, str) else d.message or f"{d.field} {d.code}" for d in details]
    parts = [*_sentences(said.message), said.error, said.error_description, *texts]
    once = dict.fromkeys(part.strip().rstrip(".") for part in parts)
    return "; ".join(filter(None, once))[:500]


def _sentences(message: str | list[str] | dict[str, list[str] | str]) -> list[str]:
    if isinstance(message, str):
        return [message]
    if isinstance(message, list):
        return message
    return [
        f"{field} {text}"
        for field, texts in message.items()
        for text in ([texts] if isinstance(texts, str) else texts)
    ]
