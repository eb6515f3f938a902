"""What a preview shows in the place of an app that is not up: why, and the app once it is."""

from __future__ import annotations

import base64
import hashlib
import html
from http import HTTPStatus

UP_PATH = "/.well-known/manyhands/up"
"""AppAnswer by the preview itself, once something listens or after a while."""
_SCRIPT = (
    "(async()=>{for(;;){try{const a=await fetch('" + UP_PATH + "',{cache:'no-store'});"
    "if(a.status===204){location.reload();return}}catch{"
    "await new Promise(r=>setTimeout(r,1000))}}})()"
)
_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;color-scheme:light dark;margin:15vh auto;"
    "max-width:34rem;padding:0 1rem}h1{font-size:1.1rem}"
    "code,pre{font-family:ui-monospace,monospace}pre{white-space:pre-wrap;font-size:13px}"
)


def _hashed(text: str) -> str:
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


_POLICY = (
    f"default-src 'none'; script-src {_hashed(_SCRIPT)}; style-src {_hashed(_STYLE)}; "
    "connect-src 'self'"
)


def waiting_page(service: str, slug: str, port: int, tail: str, frames: bytes) -> bytes:
    """For a browser that wants to show the app; `tail` is what it said last."""
    said = f"<p>It said last:</p><pre>{html.escape(tail)}</pre>" if tail else ""
    title = html.escape(f"{service} of {slug} is not up yet")
    body = (
        f"<!doctype html><meta charset=utf-8><title>{title}</title><style>{_STYLE}</style>"
        f"<h1>{title}</h1><p>Nothing listens on port <code>{port}</code> of this session. "
        f"Once something does, this page shows it.</p>{said}<script>{_SCRIPT}</script>"
    ).encode()
    more = b"Content-Security-Policy: " + _POLICY.encode() + b"\r\nRetry-After: 1\r\n" + frames
    return answer(503, body, more, kind=b"text/html; charset=utf-8")


def plain(status: int, sentence: str, more: bytes = b"") -> bytes:
    return answer(status, f"{sentence}\n".encode(), more)


def answer(
    status: int, body: bytes, more: bytes = b"", *, kind: bytes = b"text/plain; charset=utf-8"
) -> bytes:
    """A whole answer, after which the connection ends."""
    return (
        b"HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n"
        b"Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n%s"
        b"Connection: close\r\n\r\n%s"
    ) % (status, HTTPStatus(status).phrase.encode(), kind, len(body), more, body)
