"""Whether a repository is of a kind that we can work with; if not, one sentence that says why."""

from __future__ import annotations

from pathlib import Path

from manyhands.git.runner import Git

_FORMATS = ("config", "--no-includes", "--file")


def find_hindrance(path: Path) -> str:
    """Why the repository around `path` cannot be used, or nothing: there is none, or it can."""
    git_dir = _git_dir(path)
    if git_dir is None:
        return ""
    common = git_dir / _common(git_dir)
    extensions = _load_extensions(common)
    if extensions.get("objectformat", "sha1") != "sha1":
        kind = extensions["objectformat"]
        return f"{path} names its objects by {kind}; Manyhands works with sha1 repositories only"
    said = Git(path, hardened=False).run("rev-parse", "--git-dir", check=False)
    if said.returncode == 0:
        return ""
    if extensions.get("refstorage", "files") != "files":
        kind, version = extensions["refstorage"], _version()
        return f"{path} keeps its refs in a {kind}, which this {version} cannot read"
    problem = said.stderr.decode("utf-8", "replace").strip().splitlines() or ["it says nothing"]
    return f"git cannot use {path}: {problem[0].removeprefix('fatal: ')}"


def _git_dir(path: Path) -> Path | None:
    """Without git, which may not be able to tell."""
    for place in (path, *path.parents):
        found = place / ".git"
        if found.is_file():
            link = found.read_text("utf-8", "surrogateescape").removeprefix("gitdir:").strip()
            return place / link
        if found.is_dir():
            return found
        if (place / "HEAD").is_file() and (place / "objects").is_dir():
            return place
    return None


def _common(git_dir: Path) -> str:
    try:
        return (git_dir / "commondir").read_text("utf-8", "surrogateescape").strip()
    except OSError:
        return "."


def _load_extensions(common: Path) -> dict[str, str]:
    argv = (*_FORMATS, common / "config", "-z", "--get-regexp", r"^extensions\.")
    records = Git(Path("/"), hardened=False).run(*argv, check=False).records
    pairs = (record.decode("utf-8", "replace").partition("\n") for record in records)
    return {name.removeprefix("extensions."): value.lower() for name, _, value in pairs}


def _version() -> str:
    return Git(Path("/"), hardened=False).run("version").line
