"""Git's verbs: what stays in the worktree, and what all worktrees of the repository share."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from manyhands.agents.permission.shell.call import UNSURE, ShellCall
from manyhands.agents.permission.shell.marks import UNKNOWN, shown
from manyhands.agents.permission.shell.paths import display, resolved
from manyhands.agents.permission.shell.state import ShellState


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


READS = _words(
    "annotate blame cat-file check-attr check-ignore check-mailmap cherry count-objects describe"
    " diff diff-files diff-index diff-tree for-each-ref for-each-repo fmt-merge-msg grep help log"
    " ls-files ls-tree merge-base name-rev range-diff rev-list rev-parse shortlog show show-branch"
    " show-ref status var verify-commit verify-pack verify-tag version whatchanged"
)
WORKS = _words(
    "add am apply archive bisect bundle checkout checkout-index cherry-pick citool clean commit"
    " commit-graph commit-tree difftool fetch format-patch fsck hash-object hook init"
    " interpret-trailers ls-remote merge merge-file merge-index merge-tree mergetool mktree mv"
    " patch-id pull read-tree rebase rerere reset restore revert rm shell stage stripspace switch"
    " unpack-file update-index write-tree range-diff request-pull"
)
SHARED: dict[str, str] = {
    **dict.fromkeys(
        ("gc", "prune", "repack", "pack-refs", "maintenance", "prune-packed"),
        ("tidies the repository that all worktrees share"),
    ),
    **dict.fromkeys(
        ("update-ref", "symbolic-ref", "pack-objects", "fast-import"),
        ("moves refs that all worktrees share"),
    ),
    **dict.fromkeys(
        ("filter-branch", "filter-repo", "replace", "subtree"),
        ("rewrites history that all worktrees share"),
    ),
    **dict.fromkeys(
        ("push", "send-pack", "send-email", "svn", "p4", "lfs", "daemon"),
        ("sends to another machine"),
    ),
    "credential": "handles keys",
    "sparse-checkout": "changes the repository's shared config",
    "instaweb": "leaves something that runs on its own",
}
_CONFIG_HARMLESS = re.compile(
    r"(?:color\.[\w.]+|advice\.\w+|user\.(?:name|email)|core\.(?:quotepath|autocrlf)"
    r"|commit\.gpgsign|tag\.gpgsign|log\.\w+|pager\.\w+|init\.defaultbranch"
    r"|diff\.(?:renames|algorithm|context|noprefix|mnemonicprefix|renamelimit|submodule)"
    r"|merge\.(?:conflictstyle|renamelimit)|rebase\.(?:autosquash|autostash)|gc\.auto)(?:=.*)?",
    re.IGNORECASE | re.DOTALL,
)
_MESSAGES = _words("commit merge tag stash notes revert cherry-pick am rebase")
_VALUED = _words("-e --grep --author -S -G --format --pretty -L")
_LOUD = _words(
    "--output --ext-diff --textconv --open-files-in-pager --exec --upload-pack --receive-pack"
)


def judge_git(call: ShellCall) -> None:
    words, state = list(call.arguments), call.state
    while words and words[0].startswith("-"):
        option = words.pop(0)
        if option == "-C":
            state = _elsewhere(call, state, words.pop(0) if words else "")
        elif option == "-c":
            _judge_setting(call, words.pop(0) if words else "")
        elif option.startswith(
            ("--git-dir", "--work-tree", "--exec-path=", "--config-env", "--name")
        ):
            call.asks(f"points git elsewhere by {shown(option)}")
            if "=" not in option and option != "--exec-path":
                del words[:1]
        elif option in ("--version", "--help"):
            return
    if not words:
        return
    verb, *rest = words
    call.state, before = state, call.state
    depth = len(call.words) - len(rest)
    _judge_verb(call, verb, rest, depth)
    call.state = before


def _judge_setting(call: ShellCall, setting: str) -> None:
    call.changes()
    name, _, value = setting.partition("=")
    if name.lower() in ("core.pager", "core.editor", "sequence.editor"):
        call.reads_script(value, call)
    elif not _CONFIG_HARMLESS.fullmatch(setting):
        call.asks(f"runs git with another setting: {shown(setting)}")


def _elsewhere(call: ShellCall, state: ShellState, place: str) -> ShellState:
    if UNKNOWN in place:
        call.asks(f"works in a directory that is {UNSURE}")
        return state
    found = list(resolved(place, state.cwds, str(call.bounds.home)))
    outside = [path for path in found if not call.bounds.writable(path)]
    if outside:
        call.asks(f"works in another repository: {display(outside[0], call.bounds)}")
    moved = state.fork()
    moved.cwds = tuple(found) or state.cwds
    return moved


def _judge_verb(call: ShellCall, verb: str, rest: list[str], depth: int) -> None:
    if UNKNOWN in verb:
        call.asks(f"runs a git command that is {UNSURE}")
        return
    if reader := _READERS.get(verb):
        reader(call, rest, depth)
    elif reason := SHARED.get(verb):
        call.asks(reason, depth=depth)
    elif verb in WORKS:
        call.changes()
    elif verb not in READS:
        call.asks(f"runs a git command that we do not know: {shown(verb)}", depth=depth)
    _judge_words(call, verb, rest)


def _judge_words(call: ShellCall, verb: str, rest: list[str]) -> None:
    """Paths among the words, and options by which a verb that reads writes or runs something."""
    words, operands = list(rest), list[str]()
    patterns = 1 if verb == "grep" and "-e" not in rest else 0
    while words:
        word = words.pop(0)
        if word.startswith("-") and word != "-":
            _judge_option(call, verb, word, words)
        else:
            operands.append(word)
    for word in operands[patterns:]:
        if UNKNOWN in word:
            call.changes()
        else:
            call.names(word, quiet=verb in READS)
    names = verb == "ls-files" or "--name-only" in rest or (verb == "grep" and "-l" in rest)
    listing = names and verb in ("ls-files", "diff", "grep")
    call.lists = listing and not call.part.changes and not call.part.objections


def _judge_option(call: ShellCall, verb: str, word: str, words: list[str]) -> None:
    name, equals, value = word.partition("=")
    if any(loud.startswith(name) for loud in _LOUD if len(name) > 3) or name.startswith("-O"):
        call.changes()
    if name == "--unsafe-paths":
        call.asks("writes outside the worktree: wherever the patch says", matter="code")
    message = name in ("-m", "--message") or re.fullmatch(r"-[a-z]*m", word)
    if (verb in _MESSAGES and message) or word in _VALUED:
        del words[: 0 if equals else 1]
    elif (len(name) > 4 and "--output-directory".startswith(name)) or (
        name == "-o" and verb in ("format-patch", "archive")
    ):
        call.writes(value if equals else (words.pop(0) if words else ""))
    elif value and name not in _VALUED:
        call.names(value, quiet=verb in READS)


def _config(call: ShellCall, rest: list[str], depth: int) -> None:
    reading = _words("--get --get-all --get-regexp --get-urlmatch --list -l get list --show-origin")
    values = [word for word in rest if not word.startswith("-")]
    scope = {"--global", "--system"} & set(rest)
    asked = reading & set(rest) or (len(values) == 1 and values[0] not in ("unset", "edit", "set"))
    if asked and not {"--unset", "--unset-all", "--edit", "-e", "--remove-section"} & set(rest):
        return
    whose = "the user's own git settings" if scope else "the repository's shared config"
    call.asks(f"changes {whose}", depth=depth)


def _remote(call: ShellCall, rest: list[str], depth: int) -> None:
    verbs = [word for word in rest if not word.startswith("-")]
    if verbs and verbs[0] not in ("show", "get-url"):
        call.asks("changes the repository's shared config", depth=depth)


def _stash(call: ShellCall, rest: list[str], depth: int) -> None:
    verb = rest[0] if rest and not rest[0].startswith("-") else "push"
    if verb in ("list", "show"):
        return
    call.changes()
    if verb not in ("push", "pop", "apply", "save", "create"):
        call.asks("drops what is on the stash, which all worktrees share", depth=depth + 1)


def _worktree(call: ShellCall, rest: list[str], depth: int) -> None:
    if rest[:1] != ["list"]:
        call.asks("changes the worktrees of others", depth=depth + 1)


_MOVING = _words(
    "-d -D -m -M -c -C -f --delete --move --copy --force -u --set-upstream-to --unset-upstream"
    " --edit-description --track -t"
)


def _branch(call: ShellCall, rest: list[str], depth: int) -> None:
    if any(
        word.partition("=")[0] in _MOVING or re.fullmatch(r"-[a-zA-Z]*[dDmMcCf]\w*", word)
        for word in rest
        if word.startswith("-")
    ):
        call.asks("moves or removes branches, which all worktrees share")
        return
    listing = _words("-a -r -v -vv -l --all --remotes --list --show-current --contains --merged")
    names = [word for word in rest if not word.startswith("-")]
    if (
        names
        and not listing & {word.partition("=")[0] for word in rest}
        and "--no-merged" not in rest
    ):
        call.changes()


def _tag(call: ShellCall, rest: list[str], depth: int) -> None:
    listing = _words("-l --list -n --contains --merged --no-merged --points-at --sort -v --verify")
    if not rest or listing & {word.partition("=")[0] for word in rest} or rest[0].startswith("-n"):
        return
    call.asks("changes tags, which all worktrees share")


def _reflog(call: ShellCall, rest: list[str], depth: int) -> None:
    if rest[:1] and rest[0] in ("expire", "delete", "drop"):
        call.asks("forgets commits that nothing else keeps", depth=depth + 1)


def _submodule(call: ShellCall, rest: list[str], depth: int) -> None:
    call.changes()
    if rest[:1] and rest[0] not in ("status", "summary", "--quiet"):
        call.asks("changes the repository's shared config", depth=depth + 1)


def _notes(call: ShellCall, rest: list[str], depth: int) -> None:
    if rest[:1] and rest[0] not in ("list", "show"):
        call.asks("moves refs that all worktrees share", depth=depth + 1)


def _fetch(call: ShellCall, rest: list[str], depth: int) -> None:
    call.changes()
    for word in rest:
        if word.startswith("-"):
            if word in ("-p", "-P", "--prune", "--prune-tags", "-f", "--force", "-u", "--refmap"):
                call.asks("moves or removes refs that all worktrees share")
        elif UNKNOWN in word:
            call.asks(f"fetches from an address that is {UNSURE}")
        elif re.match(r"[^/:]+@[^/:]+:", word):
            call.asks(f"reaches another machine: {word.partition(':')[0]}")
        elif ":" in word and "://" not in word:
            call.asks("moves or removes refs that all worktrees share")


def _clone(call: ShellCall, rest: list[str], depth: int) -> None:
    call.changes()
    for word in rest:
        if re.match(r"[^/:-][^/:]*:(?!//)", word) or UNKNOWN in word:
            call.asks(f"reaches another machine: {shown(word)}")


def _checkout(call: ShellCall, rest: list[str], depth: int) -> None:
    call.changes()
    if any(word in ("-B", "-C", "--force-create", "--orphan=") for word in rest):
        call.asks("moves a branch, which all worktrees share")
    if "--ignore-other-worktrees" in rest:
        call.asks("takes a branch that another worktree holds")
    made = any(word in ("-b", "-c", "--create", "--detach", "-d", "--") for word in rest)
    names = [word for word in rest if not word.startswith("-")]
    if not made and len(names) == 1 and _is_another_session(call, names[0]):
        call.asks(f"takes another session's branch: {names[0]}")


def _is_another_session(call: ShellCall, name: str) -> bool:
    """Beside our own branch there are those of the other sessions: `mh/…` and `mh/…`."""
    own = current_branch(call.bounds.worktree)
    return name != own and "/" in own and name.startswith(own.rpartition("/")[0] + "/")


def current_branch(worktree: Path) -> str:
    """Read from the files: this is no place to run git."""
    try:
        link = worktree / ".git"
        pointer = link.read_text("utf-8", "replace") if link.is_file() else ""
        directory = Path(pointer.removeprefix("gitdir:").strip()) if pointer else link
        head = (worktree / directory / "HEAD").read_text("utf-8", "replace").strip()
    except OSError:
        return ""
    return head.removeprefix("ref: refs/heads/") if head.startswith("ref:") else ""


def _rebase(call: ShellCall, rest: list[str], depth: int) -> None:
    call.changes()
    names = [word for word in rest if not word.startswith("-")]
    valued = {"-x", "--exec", "--onto", "-s", "-X"} & set(rest)
    if "--update-refs" in rest or (len(names) > 1 and not valued):
        call.asks("moves or removes branches, which all worktrees share")
    for number, word in enumerate(rest):
        if word in ("-x", "--exec") or word.startswith("--exec="):
            script = word.partition("=")[2] or " ".join(rest[number + 1 : number + 2])
            call.reads_script(script, call)


def _bisect(call: ShellCall, rest: list[str], depth: int) -> None:
    call.changes()
    if rest[:1] == ["run"] and len(rest) > 1:
        call.runs(rest[1:], call)


_READERS: dict[str, Callable[[ShellCall, list[str], int], None]] = {
    "config": _config,
    "remote": _remote,
    "stash": _stash,
    "worktree": _worktree,
    "branch": _branch,
    "tag": _tag,
    "reflog": _reflog,
    "submodule": _submodule,
    "notes": _notes,
    "fetch": _fetch,
    "pull": _fetch,
    "clone": _clone,
    "checkout": _checkout,
    "switch": _checkout,
    "rebase": _rebase,
    "bisect": _bisect,
}
