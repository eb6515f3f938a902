"""A `git` that finds the twin where nothing can be bound over the worktree's `.git`.

A small script that comes first on the session's PATH. It looks for a repository as git itself does,
from where git would start; if that is the session's worktree, git is run with the twin in its
place, in all other cases as it is. A `GIT_DIR` that is set stays, so it changes nothing below git:
hooks and aliases have git's own directory first on their PATH, and are told the git directory.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from shlex import quote

from manyhands.box.outline import bin_directory
from manyhands.git.replacing import replace_file
from manyhands.model.box import Box

# Parents are reached by `..`, as the kernel knows them, so no link on the way can mislead. Nothing
# is started but git, and stat needs no right that Landlock could deny.
SCRIPT = r"""#!/bin/sh
# In this session git works with a git directory of its own.
real=@GIT@
twin=@TWIN@
worktree=@WORKTREE@

[ -z "${GIT_DIR+set}" ] || exec "$real" "$@"

is_repository() {
    [ -d "$1" ] && { [ -e "$1/HEAD" ] || [ -h "$1/HEAD" ]; } &&
        { [ -d "$1/objects" ] || [ -f "$1/commondir" ]; } &&
        { [ -d "$1/refs" ] || [ -f "$1/commondir" ]; }
}

is_ceiling() {
    set -f
    old=$IFS
    IFS=:
    for ceiling in $GIT_CEILING_DIRECTORIES; do
        [ -n "$ceiling" ] && [ "$ceiling" -ef "$1" ] && IFS=$old && return 0
    done
    IFS=$old
    return 1
}

# Whether git, started in this directory, finds the session's worktree.
is_session() {
    at=$1
    while :; do
        if [ -e "$at/.git" ] || [ -h "$at/.git" ]; then
            [ -f "$at/.git" ] && { [ "$at" -ef "$worktree" ]; return; }
            is_repository "$at/.git" && return 1
        fi
        is_repository "$at" && return 1
        [ "$at" -ef "$worktree" ] && return 0
        [ "$at/.." -ef "$at" ] && return 1
        at=$at/..
        [ -n "$GIT_CEILING_DIRECTORIES" ] && is_ceiling "$at" && return 1
    done
}

is_link() {
    case $1 in
    /*) at=$1 ;;
    *) at=$start/$1 ;;
    esac
    [ -f "$at" ] && [ "$at" -ef "$worktree/.git" ]
}

start=.
awaits=
command=
named=
position=0
swapped=0
for word; do
    position=$((position + 1))
    case $awaits in
    repository)
        is_link "$word" || exec "$real" "$@"
        swapped=$position
        awaits=
        continue
        ;;
    directory)
        case $word in
        '') ;;
        /*) start=$word ;;
        *) start=$start/$word ;;
        esac
        awaits=
        continue
        ;;
    value)
        awaits=
        continue
        ;;
    esac
    if [ -n "$command" ]; then
        case $word in
        -b | --initial-branch | --template | --object-format | --ref-format) awaits=value ;;
        --separate-git-dir | --separate-git-dir=*) named=yes ;;
        -*) ;;
        *) named=yes ;;
        esac
        continue
    fi
    case $word in
    -C) awaits=directory ;;
    -c | --work-tree | --namespace | --super-prefix | --config-env | --attr-source) awaits=value ;;
    --git-dir) awaits=repository ;;
    --git-dir=*)
        is_link "${word#--git-dir=}" || exec "$real" "$@"
        swapped=$position
        ;;
    --bare) exec "$real" "$@" ;;
    -*) ;;
    clone | version) exec "$real" "$@" ;;
    init | init-db) command=init ;;
    *) break ;;
    esac
done

# Git was told of the very link that leads to the other git directory.
if [ "$swapped" != 0 ]; then
    position=0
    for word; do
        position=$((position + 1))
        shift
        if [ "$position" = "$swapped" ]; then
            case $word in
            --git-dir=*) word=--git-dir=$twin ;;
            *) word=$twin ;;
            esac
        fi
        set -- "$@" "$word"
    done
    exec "$real" "$@"
fi

# A new repository is made where it is said, whatever is above; only in the worktree's own place
# is it the session's.
if [ "$command" = init ]; then
    [ -z "$named" ] && [ "$start" -ef "$worktree" ] || exec "$real" "$@"
fi

if is_session "$start"; then
    export GIT_DIR="$twin"
    export GIT_WORK_TREE="${GIT_WORK_TREE-$worktree}"
fi
exec "$real" "$@"
"""


def write_git_shim(box: Box, git: str) -> Path:
    """The directory that must come first on the session's PATH, with the script in it."""
    directory = Path(bin_directory(box))
    values = {"@GIT@": git, "@TWIN@": box.twin, "@WORKTREE@": box.worktree}
    text = re.sub("@[A-Z]+@", lambda found: quote(values[found[0]]), SCRIPT)
    file, content = directory / "git", os.fsencode(text)
    if not file.is_file() or file.read_bytes() != content:
        replace_file(file, content, 0o755)
    return directory


def real_git(path: str) -> str:
    """The git that is found on a search path, past any script of ours."""
    for directory in filter(None, path.split(os.pathsep)):
        found = shutil.which("git", path=directory)
        if found and not _is_shim(Path(found)):
            return found
    return "/usr/bin/git"


def _is_shim(file: Path) -> bool:
    with file.open("rb") as opened:
        return b"In this session git works" in opened.read(200)
