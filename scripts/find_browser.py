"""Prints the path of a working Chromium or Chrome, and brings one where none is found.

The order: the one named by MANYHANDS_BROWSER, one that is installed, Playwright's own download
(bounded in time), the distribution's package where we may install it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
)
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "~/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "~/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/usr/lib/chromium/chromium",
    "/opt/google/chrome/chrome",
    "/snap/bin/chromium",
)
PACKAGE_COMMANDS = (
    ("apt-get", ("apt-get", "update", "-qq")),
    ("apt-get", ("apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium")),
    ("dnf", ("dnf", "install", "-y", "-q", "chromium")),
    ("pacman", ("pacman", "-S", "--noconfirm", "--needed", "chromium")),
    ("apk", ("apk", "add", "--quiet", "chromium")),
    ("zypper", ("zypper", "--non-interactive", "--quiet", "install", "chromium")),
)
DOWNLOAD_SECONDS = 120
PACKAGE_SECONDS = 600


def say(text: str) -> None:
    print(f"browser: {text}", file=sys.stderr, flush=True)


def works(path: str) -> bool:
    """Whether it tells its version: some distributions ship a stub that only advertises."""
    try:
        done = subprocess.run([path, "--version"], capture_output=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and bool(done.stdout.strip())


def candidates() -> Iterator[str]:
    for name in NAMES:
        found = shutil.which(name)
        if found:
            yield found
    for place in PLACES:
        path = Path(place).expanduser()
        if path.is_file():
            yield str(path)
    downloaded = downloaded_path()
    if downloaded is not None:
        yield downloaded


def downloaded_path() -> str | None:
    """Where Playwright keeps its own Chromium, if it has been downloaded."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).is_file() else None


def find_installed() -> str | None:
    return next((path for path in candidates() if works(path)), None)


def bounded(argv: Sequence[str], seconds: float) -> bool:
    """Runs a command whose output is only progress; says whether it went well in time."""
    try:
        done = subprocess.run(
            argv, stdin=subprocess.DEVNULL, stdout=sys.stderr, timeout=seconds, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def download() -> None:
    say(f"none installed; trying Playwright's download (at most {DOWNLOAD_SECONDS} s)")
    bounded([sys.executable, "-m", "playwright", "install", "chromium"], DOWNLOAD_SECONDS)


def privilege() -> list[str] | None:
    """The words before a command that installs packages; None where we may not."""
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        return []
    if shutil.which("sudo") and bounded(["sudo", "-n", "true"], 10):
        return ["sudo", "-n"]
    return None


def install_package() -> None:
    before = privilege()
    if before is None:
        return
    for program, command in PACKAGE_COMMANDS:
        if shutil.which(program):
            say(f"trying the distribution's package: {' '.join(command)}")
            bounded([*before, *command], PACKAGE_SECONDS)


def find() -> str | None:
    named = os.environ.get("MANYHANDS_BROWSER")
    if named:
        if not works(named):
            say(f"MANYHANDS_BROWSER names {named}, which does not run")
            return None
        return named
    for bring in (None, download, install_package):
        if bring is not None:
            bring()
        found = find_installed()
        if found:
            return found
    return None


def main() -> int:
    found = find()
    if found is None:
        say(
            "no working Chromium or Chrome, and none could be brought. "
            "Install one, or name it: MANYHANDS_BROWSER=/path/to/chromium"
        )
        return 1
    print(found)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
