"""What every test gets: a HOME of its own, an identity for git, and no key of anybody's."""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path

import find_browser
import pytest
from hypothesis import HealthCheck, settings

from tests.support.package_managers import fetch_package_managers
from tests.support.postgres import app, postgres

__all__ = ["app", "postgres"]

# A busy machine is no failure: no stopwatch. And what passed once passes again, unless the code
# changed: other examples than the usual ones come with --hypothesis-profile=curious.
PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("patient", PATIENT, derandomize=True)
settings.register_profile("curious", PATIENT)
settings.load_profile("patient")

# Whatever the person at the machine uses must not reach a test, nor an agent that it starts.
FOREIGN_PREFIXES = ("ANTHROPIC_", "CLAUDE", "OPENAI_", "GEMINI_", "GOOGLE_", "AWS_", "GIT_", "XDG_")
FOREIGN_NAMES = ("MANYHANDS_HOME", "GH_TOKEN", "GITHUB_TOKEN", "VISUAL", "EDITOR")
GITCONFIG = """\
[user]
  name = Test Person
  email = person@example.invalid
[init]
  defaultBranch = main
[commit]
  gpgSign = false
"""


SHARED = ("hub", "lasting_hub", "running", "shared", "furnished")
"""Fixtures that take seconds to make, where a module's tests have one together."""


def is_foreign(name: str) -> bool:
    return name.startswith(FOREIGN_PREFIXES) or name in FOREIGN_NAMES


def pytest_configure(config: pytest.Config) -> None:
    """Moves HOME before the first import, so that session fixtures live in it too."""
    for name in filter(is_foreign, list(os.environ)):
        del os.environ[name]
    home = Path(tempfile.mkdtemp(prefix="mh-home-"))
    (home / ".gitconfig").write_text(GITCONFIG, encoding="utf-8")
    os.environ.update(HOME=str(home), GIT_CONFIG_NOSYSTEM="1")
    config.add_cleanup(lambda: shutil.rmtree(home, ignore_errors=True))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is loaded now stays until the end, and need not be looked at for garbage."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that share a hub go to the same worker; else each worker would start one. The long
    runs come first, so that nobody waits for them alone at the end."""
    items.sort(key=lambda item: item.get_closest_marker("torture") is None)
    for item in items:
        if item.get_closest_marker("xdist_group") is None and _shares(item):
            item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))


def pytest_collection_finish(session: pytest.Session) -> None:
    """A worker tells its groups by the names of its tests; where it cannot, nothing would fail, but
    each worker would start every hub, and the suite take half as long again."""
    if hasattr(session.config, "workerinput") and session.config.option.loadgroup:
        grouped = (item for item in session.items if item.get_closest_marker("xdist_group"))
        if lost := [item.nodeid for item in grouped if "@" not in item.nodeid]:
            raise pytest.UsageError(f"{len(lost)} tests lost their group, {lost[0]} first")


def _shares(item: pytest.Item) -> bool:
    known = item._fixtureinfo.name2fixturedefs if isinstance(item, pytest.Function) else {}
    return any(known[name][-1].scope == "module" for name in SHARED if name in known)


@pytest.fixture(scope="session")
def browser_path() -> str:
    """A working Chromium or Chrome; a machine without one fails the test and says so."""
    found = os.environ.get("MANYHANDS_BROWSER") or find_browser.find_installed()
    if found is None:
        pytest.fail("no Chromium or Chrome is installed; `make test` brings one", pytrace=False)
    return found


@pytest.fixture(scope="session")
def package_managers(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What PATH lacks of pnpm, yarn and uv."""
    return fetch_package_managers(tmp_path_factory.getbasetemp().parent / "package-managers")
