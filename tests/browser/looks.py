"""A place as different people see it: by theme, by contrast, on a phone, and through axe."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, TimeoutError

PHONE = 390
# Beside the list, which is a place of its own on a phone, `main` is only read out.
TOO_WIDE = f"""() => {{
  const main = document.querySelector("main");
  if (main === null) return [1, 1];
  const inside = main.clientWidth > 1 ? main.scrollWidth - main.clientWidth : 0;
  return [document.documentElement.scrollWidth - {PHONE}, inside];
}}"""
Scheme = Literal["light", "dark"]
Contrast = Literal["no-preference", "more"]
COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
CONTRASTS: tuple[Contrast, ...] = ("no-preference", "more")


def require_accessible(page: Page, where: str) -> None:
    """By every rule, and by its colours in both themes, with and without more contrast."""
    looks = [(scheme, contrast) for scheme in SCHEMES for contrast in CONTRASTS]
    for number, (scheme, contrast) in enumerate(looks):
        page.emulate_media(color_scheme=scheme, contrast=contrast, reduced_motion="reduce")
        # Every rule has the colours in it, so the first look needs no second one.
        only = COLOURS if number else None
        require_no_violation(page, f"{where}, {scheme}, contrast {contrast}", only)


def require_good_on_a_phone(page: Page, where: str) -> None:
    """Nothing scrolls sideways, and axe finds nothing; the page stays that narrow."""
    page.set_viewport_size({"width": PHONE, "height": 844})
    # What draws itself anew for the width does so after it was told.
    with suppress(TimeoutError):
        page.wait_for_function(f"Math.max(...({TOO_WIDE})()) <= 0")
    outside, inside = page.evaluate(TOO_WIDE)
    assert outside <= 0, f"{where} scrolls sideways by {outside}"
    assert inside <= 0, f"{where} scrolls sideways inside by {inside}"
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme, contrast="no-preference", reduced_motion="reduce")
        only = None if scheme == SCHEMES[0] else COLOURS
        require_no_violation(page, f"{where} on a phone, {scheme}", only)


def require_no_violation(
    page: Page, where: str, only: Mapping[str, Any] | None = None, inside: str | None = None
) -> None:
    # Half a megabyte of script, which a page that has it need not read again. What is evaluated in
    # its place comes back whole: axe itself would take longer than what it finds.
    axe = Axe("null") if page.evaluate("'axe' in window") else Axe()
    found = axe.run(page, inside, {"resultTypes": ["violations"], **(only or {})})
    assert found.violations_count == 0, f"{where}: {found.generate_report()}"
