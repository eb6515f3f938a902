"""The bare repository behind the loopback forge: real refs, real merges."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

UPDATE_HOOK = """\
#!/bin/sh
if grep -qxF "$1" "$GIT_DIR/protected" 2>/dev/null; then
  echo "error: GH006: Protected branch update failed for $1." >&2
  exit 1
fi
"""
PERSON = {
    "GIT_AUTHOR_NAME": "Forge",
    "GIT_AUTHOR_EMAIL": "forge@example.invalid",
    "GIT_COMMITTER_NAME": "Forge",
    "GIT_COMMITTER_EMAIL": "forge@example.invalid",
}


class Bare:
    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True)
        self.git("init", "-q", "--bare", "-b", "main", ".")
        self.git("config", "http.receivepack", "true")
        hook = path / "hooks" / "update"
        hook.write_text(UPDATE_HOOK)
        hook.chmod(0o755)

    def git(self, *words: str, check: bool = True, given: str = "") -> str:
        env = {"PATH": os.environ["PATH"], "HOME": str(self.path), **PERSON}
        done = subprocess.run(
            ["git", *words],
            input=given,
            cwd=self.path,
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert not check or done.returncode == 0, done.stderr
        return done.stdout.strip() if done.returncode == 0 else ""

    def protect(self, branch: str) -> None:
        (self.path / "protected").write_text(f"refs/heads/{branch}\n")

    def begin_at(self, commit: str) -> None:
        """With the default branch alone, at that commit; nothing is protected."""
        (self.path / "protected").unlink(missing_ok=True)
        for ref in self.git("for-each-ref", "--format=%(refname)").splitlines():
            self.git("update-ref", "-d", ref)
        if commit and self.git("cat-file", "-t", commit, check=False):
            self.git("update-ref", "refs/heads/main", commit)

    def write(self, branch: str, path: str, text: str, *, after: str = "") -> str:
        """One more commit of that branch, which begins where `after` is; its only file is new."""
        parent = self.tip(branch) or after
        blob = self.git("hash-object", "-w", "--stdin", given=text)
        there = self.git("ls-tree", parent) if parent else ""
        left = [line for line in there.splitlines() if not line.endswith(f"\t{path}")]
        tree = self.git("mktree", given="\n".join([*left, f"100644 blob {blob}\t{path}"]) + "\n")
        made = self.git("commit-tree", tree, *(["-p", parent] if parent else []), "-m", path)
        self.git("update-ref", f"refs/heads/{branch}", made)
        return made

    def tip(self, branch: str) -> str:
        return self.git("rev-parse", "-q", "--verify", f"refs/heads/{branch}", check=False)

    def delete(self, branch: str) -> None:
        self.git("update-ref", "-d", f"refs/heads/{branch}")

    def ahead(self, base: str, head: str) -> int:
        return int(self.git("rev-list", "--count", head, f"^refs/heads/{base}"))

    def merges_clean(self, base: str, head: str) -> bool:
        return bool(self.git("merge-tree", "--write-tree", base, head, check=False))

    def merge(self, base: str, head: str, method: str, title: str) -> str:
        """The commit that the base is at then."""
        before = self.tip(base)
        tree = self.git("merge-tree", "--write-tree", base, head).splitlines()[0]
        parents = ["-p", before, *(["-p", head] if method == "merge" else [])]
        made = self.git("commit-tree", tree, *parents, "-m", title)
        self.git("update-ref", f"refs/heads/{base}", made, before)
        return made
