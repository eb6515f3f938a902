"""Lock files pin every version, name no host, and serve every platform."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from tests.project.source_tree import ROOT

PIN = re.compile(r"([A-Za-z0-9._-]+)==([A-Za-z0-9._!]+)(?: ; [^\\]+)?")
HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")
LOCKS = ("constraints.txt", "constraints-node.txt")
PLATFORMS = ("linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64", "win32-x64")


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def locked(name: str = LOCKS[0]) -> dict[str, tuple[str, int]]:
    """Each package with its version and how many of its files are known by hash."""
    text = (ROOT / name).read_text(encoding="utf-8").replace(" \\\n", "\n")
    last, found = "", dict[str, tuple[str, int]]()
    for line in text.splitlines():
        if HASH.fullmatch(line.strip()):
            found[last] = (found[last][0], found[last][1] + 1)
        elif not line.startswith("#"):
            pin = PIN.fullmatch(line)
            assert pin, line
            last = canonical(pin[1])
            found[last] = (pin[2], 0)
    return found


def page_lock() -> dict[str, Any]:
    lock = ROOT / "web" / "package-lock.json"
    assert lock.is_file(), "web/ has no package-lock.json: its packages are not locked"
    loaded: dict[str, Any] = json.loads(lock.read_text(encoding="utf-8"))
    return loaded


@pytest.mark.parametrize("name", LOCKS)
def test_every_package_is_pinned_and_known_by_hash(name: str) -> None:
    assert locked(name)
    assert [package for package, (_, hashes) in locked(name).items() if not hashes] == []
    assert "://" not in (ROOT / name).read_text(encoding="utf-8")


def test_every_dependency_is_pinned() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = settings["project"]["dependencies"] + settings["dependency-groups"]["dev"]
    names = {canonical(re.split(r"[^\w.-]", line)[0]) for line in wanted}
    assert names - set(locked()) == set()


def test_what_builds_the_project_is_pinned_as_it_is_locked() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    pins = [PIN.fullmatch(line) for line in settings["build-system"]["requires"]]
    assert all(pins), "a build requirement is not pinned exactly"
    built_by = {canonical(pin[1]): pin[2] for pin in pins if pin}
    assert built_by.items() <= {name: version for name, (version, _) in locked().items()}.items()
    assert {*_needed("hatchling"), *_needed("editables")} <= set(built_by)


def _needed(package: str) -> Iterator[str]:
    """It, and all that it needs here."""
    yield canonical(package)
    for line in metadata.requires(package) or ():
        if ";" not in line:
            yield from _needed(re.split(r"[^\w.-]", line)[0])


def test_an_altered_file_is_not_installed(tmp_path: Path) -> None:
    """By pip itself, as setup calls it."""
    wheel = tmp_path / "idna-3.20-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("idna.py", "raise SystemExit('altered')\n")
        info = "Metadata-Version: 2.1\nName: idna\nVersion: 3.20\n"
        archive.writestr("idna-3.20.dist-info/METADATA", info)
        archive.writestr("idna-3.20.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr("idna-3.20.dist-info/RECORD", "")
    lock = tmp_path / "lock.txt"
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    [entry] = re.findall(r"^idna==3\.20 (?:.*\\\n)+.*\n", text, re.MULTILINE)
    lock.write_text(entry)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pip", "install", "--no-index", "--find-links", str(tmp_path)),
            *("--no-deps", "--require-hashes", "--target", str(tmp_path / "into")),
            *("--requirement", str(lock)),
        ],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
    )
    assert done.returncode != 0
    assert "DO NOT MATCH THE HASHES" in done.stderr
    assert not (tmp_path / "into").exists()


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
