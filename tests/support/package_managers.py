"""pnpm, yarn and uv for the tests: the machine's own, else fetched once from their registries."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
from pathlib import Path

from filelock import FileLock

NPMRC = "offline=true\naudit=false\nfund=false\nupdate-notifier=false\n"
"""For a HOME of the tests, whose packages are all files: nothing is to be asked for outside."""
SECONDS = 240


def fetch_package_managers(place: Path) -> str:
    """The directories with what the machine lacks, as an addition to PATH."""
    # The person's own settings say which registries to ask; nothing else of theirs is read.
    env = {**os.environ, "HOME": pwd.getpwuid(os.getuid()).pw_dir}
    node, python = place / "node", place / "python"
    wanted = {
        "pnpm": ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(node), "pnpm@9"],
        "yarn": ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(node), "yarn@1"],
        "uv": [sys.executable, "-m", "pip", "install", "-q", "--target", str(python), "uv"],
    }
    programs = node / "node_modules/.bin"
    made = {"pnpm": programs, "yarn": programs, "uv": python / "bin"}
    with FileLock(f"{place}.lock"):
        for name, argv in wanted.items():
            if shutil.which(name) is None and not (made[name] / name).exists():
                subprocess.run(argv, env=env, check=True, capture_output=True, timeout=SECONDS)
    return os.pathsep.join(dict.fromkeys(map(str, made.values())))
