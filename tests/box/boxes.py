"""A box of a session that there could be, on a directory of the test's own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from manyhands.box import landlock, outline
from manyhands.model.box import Box

PYTHON = tuple(dict.fromkeys((sys.prefix, sys.base_prefix, str(Path(sys.executable).parent))))
ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}


@dataclass(frozen=True)
class Furnished:
    """The box, and what is around it."""

    box: Box
    outside: Path
    home: Path

    def run(
        self, argv: Sequence[str], env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            landlock.confined(self.box, argv, cwd=Path(self.box.worktree)),
            env=outline.environment(self.box, {**ENVIRONMENT, **(env or {})}),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def python(self, code: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return self.run([sys.executable, "-IS", "-c", code, *map(str, arguments)])


def furnish(root: Path) -> Furnished:
    """A home with a secret, a toolchain and an agent's settings, and a session's directories."""
    home, own, outside = root / "home", root / "hub" / "s1" / "box", root / "outside"
    worktree = root / "worktrees" / "otter"
    toolchain, settings = home / ".tool", home / ".agent"
    for directory in (own / "twin", own / "tmp", own / "home", worktree, outside):
        directory.mkdir(parents=True)
    for directory in (home / ".ssh", toolchain, settings):
        directory.mkdir(parents=True)
    (home / ".ssh" / "id").write_text("secret", encoding="utf-8")
    (outside / "kept").write_text("kept", encoding="utf-8")
    (worktree / "file").write_text("mine", encoding="utf-8")
    program = toolchain / "hello"
    program.write_text("#!/bin/sh\necho hello\n", encoding="utf-8")
    program.chmod(0o755)
    box = Box(
        level="files",
        by="landlock",
        worktree=str(worktree),
        scratch=str(own / "tmp"),
        home=str(home),
        private_home=str(own / "home"),
        twin=str(own / "twin"),
        link=str(own / "link"),
        read=(str(toolchain), *PYTHON),
        write=(str(settings),),
    )
    return Furnished(box, outside, home)
