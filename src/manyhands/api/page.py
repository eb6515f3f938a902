"""The built page; where it was not built, one that names the one command."""

from __future__ import annotations

import mimetypes
from pathlib import Path

from litestar.exceptions import NotFoundException
from litestar.params import FromPath
from litestar.response import Response

from manyhands.api.route import get

UI = Path(__file__).parent / "ui"
_MISSING = (
    "<!doctype html><meta charset=utf-8><title>manyhands</title>"
    "<h1>The page is not built</h1><p>Run <code>make setup</code> in the checkout, "
    "then reload.</p>"
)


@get(["/", "/{path:path}"], include_in_schema=False)
async def page(path: FromPath[str] = "") -> Response[bytes]:
    """A file of the built page; any other address is a place inside the page itself."""
    name = path.strip("/")
    file = _file(name)
    if file is not None:
        kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        lasting = name.startswith("assets/")  # their names hold a hash of their content
        caching = "public, max-age=31536000, immutable" if lasting else "no-cache"
        return Response(file.read_bytes(), media_type=kind, headers={"cache-control": caching})
    if name.startswith(("api", "assets/")):
        raise NotFoundException(f"there is no /{name}")
    index = UI / "index.html"
    content = index.read_bytes() if index.is_file() else _MISSING.encode()
    return Response(content, media_type="text/html", headers={"cache-control": "no-cache"})


def _file(name: str) -> Path | None:
    try:
        file = (UI / name).resolve()
        found = bool(name) and file.is_file() and file.is_relative_to(UI.resolve())
    except (OSError, ValueError):  # no name that a file could have
        return None
    return file if found else None
