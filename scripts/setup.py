"""Makes `.venv` complete: packages as locked, the page built, bytecode compiled.

Runs before anything is installed, so it uses the standard library alone. A stamp in `.venv`
holds the digest of everything that went in: equal means there is nothing to do.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import build_ui

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
STAMP = VENV / ".manyhands-setup"
INPUTS = (
    "pyproject.toml",
    "constraints.txt",
    "constraints-node.txt",
    "hatch_build.py",
    "scripts/build_ui.py",
    "scripts/setup.py",
    "src/manyhands/__init__.py",
)


def say(text: str) -> None:
    print(f"setup: {text}", file=sys.stderr, flush=True)


def run(*argv: str | Path) -> None:
    subprocess.run([str(word) for word in argv], cwd=ROOT, stdin=subprocess.DEVNULL, check=True)


def pip_install(*words: str | Path) -> None:
    run(PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *words)


def answer(code: str) -> str:
    """What the environment's Python prints for this code; nothing if it cannot run."""
    try:
        done = subprocess.run(
            [str(PYTHON), "-c", code], capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def wanted_stamp() -> str:
    total = hashlib.sha256()
    for name in INPUTS:
        total.update(f"{name}\0".encode() + (ROOT / name).read_bytes())
    return total.hexdigest()


def is_running_inside() -> bool:
    return Path(sys.prefix).resolve() == VENV.resolve()


def ensure_environment() -> None:
    """A working `.venv` of the Python that runs this."""
    version = answer("import pip, sys; print(sys.version_info[:2])")
    if is_running_inside() or version == str(sys.version_info[:2]):
        return
    say(f"creating .venv with Python {sys.version.split()[0]}")
    run(sys.executable, "-m", "venv", "--clear", VENV)


def install_locked(lock: str) -> None:
    """Exactly the files that the lock knows by hash, and nothing that they would ask for beside."""
    pip_install("--no-deps", "--require-hashes", "--requirement", lock)


def ensure_page() -> None:
    """The page, built by the environment's Python, which may hold a Node of its own."""
    script = ROOT / "scripts" / "build_ui.py"
    needs_node = subprocess.run([PYTHON, script, "--needs-node"], check=False).returncode == 0
    if needs_node:
        say("no usable Node on PATH: installing one from PyPI")
        install_locked("constraints-node.txt")
    if build_ui.Page(ROOT).is_stale():
        say("building the page")
        run(PYTHON, script)


def ensure_packages() -> None:
    wanted = wanted_stamp()
    if build_ui.load_text(STAMP) == wanted:
        return
    say("installing packages")
    STAMP.unlink(missing_ok=True)
    install_locked("constraints.txt")
    # The project itself has no hash: it is built here, by what was just installed.
    pip_install("--no-index", "--no-deps", "--no-build-isolation", "--editable", ".")
    STAMP.write_text(wanted + "\n", encoding="utf-8")


def compile_bytecode() -> None:
    run(PYTHON, "-m", "compileall", "-q", "src")


def main() -> int:
    if shutil.which("git") is None:
        say("git is not on PATH; Manyhands needs git >= 2.38")
        return 1
    try:
        ensure_environment()
        ensure_page()
        ensure_packages()
        compile_bytecode()
    except subprocess.CalledProcessError as failure:
        say(f"failed (exit {failure.returncode}): {' '.join(failure.cmd)}")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
