"""What users install: a wheel with the page in it, equal from a checkout and from an sdist."""

from __future__ import annotations

import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import build_ui
import pytest

from tests.project.source_tree import ROOT, project_files

pytestmark = [
    pytest.mark.packaging,
    pytest.mark.timeout(300),
    pytest.mark.xdist_group("packaging"),
]


def run(*argv: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(word) for word in argv],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def build(root: Path, kind: str, out: Path) -> Path:
    """Builds without isolation: the backend and a fresh page are there already."""
    code = f"import sys, hatchling.build as b; print(b.build_{kind}(sys.argv[1]))"
    out.mkdir(exist_ok=True)
    done = run(sys.executable, "-c", code, out, cwd=root)
    assert done.returncode == 0, done.stderr
    return out / done.stdout.split()[-1]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of everything git would commit, with the page that setup built."""
    root = tmp_path_factory.mktemp("checkout")
    for path in project_files():
        target = root / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)
    page = build_ui.Page(ROOT)
    assert page.is_built(), "the page is not built: run `make setup`"
    assert not page.is_stale(), "the built page is stale: run `make setup`"
    shutil.copytree(page.built, build_ui.Page(root).built, dirs_exist_ok=True)
    return root


@pytest.fixture(scope="module")
def wheel(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(checkout, "wheel", tmp_path_factory.mktemp("wheel"))


def test_the_wheel_holds_the_page_and_the_licence(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "manyhands/api/ui/index.html" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert not [name for name in names if "node_modules" in name or name.startswith("tests/")]


def test_the_sdist_makes_the_same_wheel_without_building_the_page(
    checkout: Path, wheel: Path, tmp_path: Path
) -> None:
    sdist = build(checkout, "sdist", tmp_path / "sdist")
    assert run("tar", "-xzf", sdist, "-C", tmp_path).returncode == 0
    unpacked = tmp_path / sdist.name.removesuffix(".tar.gz")
    assert not build_ui.Page(unpacked).is_stale()
    again = build(unpacked, "wheel", tmp_path / "again")
    assert sorted(zipfile.ZipFile(again).namelist()) == sorted(zipfile.ZipFile(wheel).namelist())


def test_the_wheel_installs_with_both_commands(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    binaries = tmp_path / "venv" / "bin"
    done = run(binaries / "python", "-m", "pip", "install", "--no-index", "--no-deps", wheel)
    assert done.returncode == 0, done.stderr
    assert (binaries / "manyhands").is_file()
    assert (binaries / "mh").is_file()
    where = run(binaries / "python", "-c", "import manyhands; print(manyhands.__file__)")
    page = Path(where.stdout.strip()).parent / "api" / "ui" / "index.html"
    assert page.is_file()


def test_a_wheel_without_a_page_is_refused(checkout: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    shutil.copytree(checkout, bare)
    shutil.rmtree(build_ui.Page(bare).built)
    shutil.rmtree(bare / "web")
    code = "import sys, hatchling.build as b; b.build_wheel(sys.argv[1])"
    done = run(sys.executable, "-c", code, tmp_path, cwd=bare)
    assert done.returncode != 0
    assert "no built page" in done.stderr + done.stdout
