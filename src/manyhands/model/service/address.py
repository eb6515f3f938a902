"""The address at which a service of a session is seen."""

from __future__ import annotations


def service_url(name: str, slug: str, port: int) -> str:
    """Of the service called so, of the session with that slug; empty where it has no port."""
    return f"http://127.0.0.1:{port}/" if port else ""
