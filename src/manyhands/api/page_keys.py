"""A page's own key: it opens the next run of the hub to the pages that this one let in.

A page's token is good for one run of the hub, since whoever listens on the hub's port while no hub
runs is sent it. So each page makes a key that never leaves its memory, and names the public half to
the hub. To the next run it proves itself by signing what that run has just thought up, together
with the address that the page stands at: whoever passes on the question from another address
gets an answer that is good for nothing.
"""

from __future__ import annotations

import base64
import binascii
import hashlib

from manyhands.errors import BadInput

_RAW_KEY, _RAW_SIGNATURE = 65, 64


def key_name(key: str, host: str) -> str:
    """What is kept of a key: it holds for one address only."""
    return hashlib.sha256(f"page key\n{host}\n{key}".encode()).hexdigest()


def require_key(key: str) -> str:
    if len(_decoded(key)) != _RAW_KEY:
        raise BadInput("a page's key is a point of P-256, raw, in base64url")
    return key


def is_signed(key: str, signature: str, nonce: str, host: str) -> bool:
    """By ECDSA over P-256 with SHA-256, as a browser makes it."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
    from cryptography.hazmat.primitives.hashes import SHA256

    raw = _decoded(signature)
    if len(raw) != _RAW_SIGNATURE:
        return False
    numbers = (int.from_bytes(raw[:32]), int.from_bytes(raw[32:]))
    try:
        point = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), _decoded(key))
        point.verify(encode_dss_signature(*numbers), signed_words(nonce, host), ec.ECDSA(SHA256()))
    except (ValueError, InvalidSignature):
        return False
    return True


def signed_words(nonce: str, host: str) -> bytes:
    return f"manyhands page\n{host}\n{nonce}".encode()


def _decoded(text: str) -> bytes:
    try:
        return base64.urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
    except (ValueError, binascii.Error):
        return b""
