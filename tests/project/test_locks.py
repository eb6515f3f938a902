"""Lock files pin every version, name no host, and serve every platform."""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

import pytest

from tests.project.source_tree import ROOT

PIN = re.compile(r"[A-Za-z0-9._-]+==[A-Za-z0-9._!]+")
PLATFORMS = ("linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64", "win32-x64")


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pins() -> list[str]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def page_lock() -> dict[str, Any]:
    lock = ROOT / "web" / "package-lock.json"
    assert lock.is_file(), "web/ has no package-lock.json: its packages are not locked"
    loaded: dict[str, Any] = json.loads(lock.read_text(encoding="utf-8"))
    return loaded


def test_the_constraints_are_plain_pins() -> None:
    assert pins()
    assert [line for line in pins() if not PIN.fullmatch(line)] == []


def test_every_dependency_is_pinned() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = settings["project"]["dependencies"] + settings["dependency-groups"]["dev"]
    names = {canonical(re.split(r"[^\w.-]", line)[0]) for line in wanted}
    assert names - {canonical(line.partition("==")[0]) for line in pins()} == set()


def test_the_page_lock_names_no_host() -> None:
    text = json.dumps(page_lock()["packages"])
    assert "resolved" not in text
    assert not re.search(r"registry\.|\.tgz", text)


def test_the_page_lock_keeps_its_hashes() -> None:
    packages = page_lock()["packages"]
    open_ones = [
        name
        for name, entry in packages.items()
        if name and not entry.get("link") and "integrity" not in entry and not entry.get("inBundle")
    ]
    assert open_ones == []


@pytest.mark.parametrize("platform", PLATFORMS)
def test_the_page_lock_holds_the_bundler_for_every_platform(platform: str) -> None:
    bindings = [name for name in page_lock()["packages"] if "@rolldown/binding-" in name]
    assert any(f"@rolldown/binding-{platform}" in name for name in bindings), bindings


def test_the_bundler_is_pinned_exactly() -> None:
    package = json.loads((ROOT / "web" / "package.json").read_text(encoding="utf-8"))
    assert re.fullmatch(r"\d+\.\d+\.\d+", package["devDependencies"]["vite"])
