"""The address of a preview: what a web service of a session is called in a browser. Pure.

Each has an origin of its own, and all are of one site with the page at `PAGE_HOST`, so that cookies
of an app work in a frame of the page.
"""

from __future__ import annotations

PAGE_HOST = "manyhands.localhost"
LONGEST_LABEL = 63
"""Of a part of a name in DNS."""


def preview_label(service: str, slug: str, session: str) -> str:
    """The first part of a preview's host; no two services of two sessions share one.

    A slug holds no two hyphens in a row, so where the service's name ends is never in doubt.
    """
    name = service.replace("_", "-")
    label = f"{name}--{slug}"
    return label if len(label) <= LONGEST_LABEL else f"{name}---{session}".lower()


def preview_url(service: str, slug: str, session: str, port: int) -> str:
    """`port` is the one on which the hub serves previews."""
    return f"http://{preview_label(service, slug, session)}.{PAGE_HOST}:{port}"
