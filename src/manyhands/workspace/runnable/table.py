"""What a repository can bring that somebody runs without being told to: one table, tool by tool.

`paths` are globs from the top: ``*`` stays within a folder, ``**`` does not, and upper and lower
case are the same, as they are on many disks. `runs` says what of it is run, `when` by which
occasion; both are shown to whoever is asked for trust. `read` says how commands in it name further
files of the repository, which then count as well. Rows that are `installing` only decide what an
install fetches and runs, so they count where one is about to be made.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Reading = Literal["", "json", "words", "shell", "files"]
"""Not at all; the strings of a JSON file; all words; what a script calls; any file it names."""


@dataclass(frozen=True)
class RunnableRow:
    tool: str
    paths: tuple[str, ...]
    runs: str
    when: str
    read: Reading = ""
    installing: bool = False


AT_START = "when an agent starts, or at its tool calls"
AT_GIT = "at commit, checkout, merge or push"
AT_INSTALL = "when dependencies are installed"

AGENTS = (
    RunnableRow(
        "Manyhands",
        (".manyhands.toml",),
        "its commands",
        "at setup, checks and teardown, and as services",
    ),
    RunnableRow("Manyhands", (".manyhands/**",), "scripts and pipelines", "when named", "shell"),
    RunnableRow(
        "Claude Code",
        (".claude/*.json",),
        "hooks, status line, key helpers, plugins",
        AT_START,
        "json",
    ),
    RunnableRow(
        "Claude Code",
        tuple(f"**/.claude/{kind}/**" for kind in ("agents", "commands", "skills")),
        "commands and hooks that they carry",
        AT_START,
        "shell",
    ),
    RunnableRow(
        "Claude Code", (".claude/hooks/**", ".claude/plugins/**"), "all", AT_START, "shell"
    ),
    RunnableRow("tool servers", (".mcp.json",), "each server's command", AT_START, "json"),
    RunnableRow(
        "Codex",
        (".codex/**", "**/.agents/skills/**"),
        "tool servers, hooks, notify, rules of what may run unasked",
        AT_START,
        "words",
    ),
    RunnableRow(
        "opencode",
        ("opencode.json", "opencode.jsonc", ".opencode/**"),
        "plugins and tools, as code in its own process; tool servers; formatters",
        AT_START,
        "words",
    ),
    RunnableRow(
        "Gemini CLI",
        (".gemini/**",),
        "tool servers, hooks, extensions, discovery commands",
        AT_START,
        "words",
    ),
    RunnableRow("Qwen Code", (".qwen/**",), "tool servers, hooks, extensions", AT_START, "words"),
    RunnableRow(
        "Mistral Vibe", (".vibe/**",), "tools, as Python code; tool servers", AT_START, "words"
    ),
    RunnableRow("goose", (".goose/**",), "recipes and extensions", AT_START, "words"),
    RunnableRow(
        "Cursor",
        (".cursor/*.json", *(f".cursor/{k}/**" for k in ("hooks", "commands", "agents", "skills"))),
        "hooks and tool servers",
        AT_START,
        "words",
    ),
    RunnableRow(
        "other agents",
        (
            *(f"{name}/**" for name in (".amp", ".augment", ".factory", ".kiro", ".crush")),
            *(".github/hooks/**", ".github/agents/**", ".github/mcp.json", ".copilot/**"),
            *(".crush.json", "crush.json", ".aider.conf.yml", ".continue/**", ".roo/mcp.json"),
        ),
        "hooks and tool servers",
        AT_START,
        "words",
    ),
    RunnableRow(
        "editors",
        (".vscode/tasks.json", ".vscode/mcp.json", ".zed/tasks.json"),
        "tasks and tool servers",
        "when the worktree is opened in one",
        "words",
    ),
)
GIT = (
    RunnableRow(
        "git", (".githooks/**",), "hooks, where core.hooksPath names them", AT_GIT, "shell"
    ),
    RunnableRow("husky", (".husky/**", ".huskyrc*"), "git hooks", AT_GIT, "shell"),
    RunnableRow(
        "pre-commit",
        (".pre-commit-config.yaml", ".pre-commit-config.yml", ".pre-commit-hooks.yaml"),
        "each hook's entry",
        AT_GIT,
        "words",
    ),
    RunnableRow(
        "lefthook",
        ("lefthook.y*ml", ".lefthook.y*ml", "lefthook-local.y*ml", ".lefthook/**"),
        "its commands",
        AT_GIT,
        "words",
    ),
    RunnableRow("Overcommit", (".overcommit.yml", ".git-hooks/**"), "its hooks", AT_GIT, "words"),
)
SHELLS = (
    RunnableRow(
        "direnv", ("**/.envrc",), "the whole script", "when a shell enters the folder", "shell"
    ),
    RunnableRow(
        "mise",
        ("mise*.toml", ".mise*.toml", ".mise/**", ".config/mise*", ".config/mise/**"),
        "hooks, tasks and templates of variables",
        "when a shell enters the folder",
        "words",
    ),
)
NODE = (
    RunnableRow(
        "npm",
        ("**/.npmrc",),
        "script-shell, node-options, git and other programs that it names",
        "whenever npm or pnpm runs",
        "words",
    ),
    RunnableRow(
        "pnpm",
        (".pnpmfile.*", "pnpmfile.*", "pnpm-workspace.yaml"),
        "hooks, as code in its own process; which packages may run scripts",
        "whenever pnpm runs",
        "words",
    ),
    RunnableRow(
        "Yarn",
        ("**/.yarnrc", "**/.yarnrc.yml", ".yarn/releases/**", ".yarn/plugins/**"),
        "yarnPath in Yarn's own place, plugins",
        "whenever yarn runs",
        "words",
    ),
    RunnableRow("bun", ("**/bunfig.toml",), "preloaded code", "whenever bun runs", "words"),
    RunnableRow(
        "npm, pnpm, Yarn, bun",
        (
            *("**/package-lock.json", "**/npm-shrinkwrap.json", "**/pnpm-lock.yaml"),
            *("**/yarn.lock", "**/bun.lock", "**/bun.lockb", ".yarn/patches/**", "patches/**"),
            ".pnp.*js",
        ),
        "install scripts of the packages that it pins",
        AT_INSTALL,
        installing=True,
    ),
)
PYTHON = (
    RunnableRow(
        "pip, uv, Poetry",
        ("**/pyproject.toml", "**/setup.cfg", "uv.toml", "poetry.toml"),
        "the build backend and what it loads",
        AT_INSTALL,
        "words",
        installing=True,
    ),
    RunnableRow("pip, uv", ("**/setup.py",), "the whole script", AT_INSTALL, installing=True),
    RunnableRow(
        "pip, uv, Poetry",
        ("**/uv.lock", "**/poetry.lock"),
        "setup scripts of the packages that it pins",
        AT_INSTALL,
        installing=True,
    ),
    RunnableRow(
        "pip",
        ("requirements*.txt",),
        "setup scripts of the packages that it names",
        AT_INSTALL,
        "files",
        installing=True,
    ),
)
RUST = (
    RunnableRow(
        "cargo",
        (".cargo/config", ".cargo/config.toml", "rust-toolchain", "rust-toolchain.toml"),
        "wrappers, credential providers, a toolchain of its own",
        "whenever cargo runs",
        "words",
    ),
)
TABLE: tuple[RunnableRow, ...] = (*AGENTS, *GIT, *SHELLS, *NODE, *PYTHON, *RUST)

PACKAGE = "package.json"
"""Of this only parts count, see `parts.py`."""


def _pattern(glob: str) -> str:
    """A regular expression for the lower-case path."""
    words = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    split = re.split(r"(\*\*/|\*\*|\*|\?)", glob.lower())
    return "".join(words.get(part) or re.escape(part) for part in split)


def _compiled(rows: Iterable[RunnableRow]) -> tuple[tuple[RunnableRow, re.Pattern[str]], ...]:
    return tuple((row, re.compile("|".join(map(_pattern, row.paths)), re.DOTALL)) for row in rows)


_COMPILED = _compiled(TABLE)


def row_of(path: str, *, installing: bool) -> RunnableRow | None:
    """The row that a path falls under."""
    low = path.lower()
    return next(
        (
            row
            for row, pattern in _COMPILED
            if (installing or not row.installing) and pattern.fullmatch(low)
        ),
        None,
    )


def _beginnings(*, anywhere: bool) -> re.Pattern[str]:
    names = {
        path.removeprefix("**/").split("/")[0]
        for row in TABLE
        for path in row.paths
        if path.startswith("**/") is anywhere
    }
    return re.compile("|".join(map(_pattern, sorted(names | {PACKAGE}))), re.DOTALL)


_AT_TOP, _ANYWHERE = _beginnings(anywhere=False), _beginnings(anywhere=True)


@functools.lru_cache(maxsize=100_000)
def begins_a_row(name: str, at_top: bool = False) -> bool:
    """Whether a row may match at or below a file or folder of this name, in lower case."""
    return bool(_ANYWHERE.fullmatch(name) or (at_top and _AT_TOP.fullmatch(name)))
