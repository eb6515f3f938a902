"""The address at which a service of a session is seen."""

from __future__ import annotations


def service_url(port: int) -> str:
    """Empty for a service without a port."""
    return f"http://127.0.0.1:{port}/" if port else ""
