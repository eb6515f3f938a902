"""A place as different people see it: by theme, by contrast, on a phone, and through axe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

PHONE = 390
Scheme = Literal["light", "dark"]
Contrast = Literal["no-preference", "more"]
COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
CONTRASTS: tuple[Contrast, ...] = ("no-preference", "more")


def require_accessible(page: Page, where: str) -> None:
    """By every rule, and by its colours in both themes, with and without more contrast."""
    require_no_violation(page, where)
    for scheme in SCHEMES:
        for contrast in CONTRASTS:
            page.emulate_media(color_scheme=scheme, contrast=contrast, reduced_motion="reduce")
            require_no_violation(page, f"{where}, {scheme}, contrast {contrast}", COLOURS)


def require_good_on_a_phone(page: Page, where: str) -> None:
    """Nothing scrolls sideways, and axe finds nothing; the page stays that narrow."""
    page.set_viewport_size({"width": PHONE, "height": 844})
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= PHONE, f"{where} scrolls sideways: {wide}"
    # Beside the list, which is a place of its own here, it is only read out.
    seen = page.locator("main").first.evaluate("main => main.clientWidth > 1")
    inside = page.locator("main").first.evaluate("main => main.scrollWidth - main.clientWidth")
    assert not seen or inside <= 0, f"{where} scrolls sideways inside: {inside}"
    require_no_violation(page, f"{where} on a phone")
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme, contrast="no-preference", reduced_motion="reduce")
        require_no_violation(page, f"{where} on a phone, {scheme}", COLOURS)


def require_no_violation(page: Page, where: str, only: Mapping[str, Any] | None = None) -> None:
    found = Axe().run(page, options={"resultTypes": ["violations"], **(only or {})})
    assert found.violations_count == 0, f"{where}: {found.generate_report()}"
