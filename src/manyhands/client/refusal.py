"""The hub's error shape ``{code, message, hint}``, turned back into the error it was."""

from __future__ import annotations

import msgspec

from manyhands import errors
from manyhands.errors import ManyhandsError


class Refusal(msgspec.Struct):
    code: str
    message: str
    hint: str = ""


_KINDS: list[type[ManyhandsError]] = [
    ManyhandsError,
    *ManyhandsError.__subclasses__(),
    errors.ForgeDenied,
]
_BY_CODE = {kind.code: kind for kind in _KINDS}
_BY_STATUS: dict[int, type[ManyhandsError]] = {
    400: errors.BadInput,
    401: errors.NotTrusted,
    403: errors.NotTrusted,
    404: errors.NotFound,
    409: errors.NotPossible,
    413: errors.BadInput,
    415: errors.BadInput,
}


def as_error(data: bytes, status: int = 500) -> ManyhandsError | None:
    """None where the bytes are not the hub's error shape."""
    try:
        said = msgspec.json.decode(data, type=Refusal)
    except msgspec.DecodeError:
        return None
    kind = _BY_CODE.get(said.code) or _BY_STATUS.get(status, ManyhandsError)
    # Not by the constructor: some kinds take other fields, which did not travel.
    error = kind.__new__(kind)
    ManyhandsError.__init__(error, said.message, hint=said.hint)
    return error
