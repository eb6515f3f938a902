"""A forge's refusals, each as one sentence with what to do next."""

from __future__ import annotations

import math

import msgspec

from manyhands.errors import ForgeDenied, ForgeFailed

_HINTS = {
    401: "the token is wrong or has expired: `gh auth login`, or see [github] in config.toml",
    403: "the token may not do this: give it the right, or use another",
    404: "the repository, or what was asked for in it, is not there or not visible to the token",
    409: "something moved meanwhile: look with `manyhands pr status` and try again",
    429: "try again later",
}
DENIED = (401, 403)
FIRST_SERVER_ERROR = 500


class _Detail(msgspec.Struct, frozen=True):
    message: str = ""
    field: str = ""
    code: str = ""


class _Body(msgspec.Struct, frozen=True):
    message: str = ""
    errors: list[_Detail | str] | str = []


def refusal(host: str, method: str, path: str, status: int, body: bytes) -> ForgeFailed:
    said = _said(body)
    if status >= FIRST_SERVER_ERROR:
        return ForgeFailed(
            f"{host} is in trouble (HTTP {status}{f': {said}' if said else ''})",
            hint="nothing is lost; try again in a while",
            status=status,
        )
    what = f"{host} refused {method} {path}: {said or 'no reason given'} (HTTP {status})"
    kind = ForgeDenied if status in DENIED else ForgeFailed
    return kind(what, hint=_HINTS.get(status, ""), status=status)


def told_to_wait(host: str, seconds: float) -> ForgeFailed:
    return ForgeFailed(
        f"{host} asks to be left alone for {math.ceil(seconds)} seconds: too many requests",
        hint="nothing is lost; try again then",
        status=429,
    )


def no_answer(host: str, error: Exception) -> ForgeFailed:
    reason = getattr(error, "exc", error)
    return ForgeFailed(
        f"{host} does not answer: {str(reason) or type(reason).__name__}",
        hint="nothing is lost; try again in a while",
    )


def _said(body: bytes) -> str:
    try:
        said = msgspec.json.decode(body, type=_Body)
    except msgspec.DecodeError:
        return ""
    details = [said.errors] if isinstance(said.errors, str) else list(said.errors)
    texts = [d if isinstance(d, str) else d.message or f"{d.field} {d.code}" for d in details]
    return "; ".join(filter(None, [said.message.rstrip("."), *map(str.strip, texts)]))[:500]
