"""Attempts by git: against the repository, and to have the user's own git run something."""

from __future__ import annotations

from tests.box.attempts.attempt import Attempt

_CONFIG = (
    "core.fsmonitor core.pager core.sshCommand core.editor core.askPass core.alternateRefsCommand "
    "core.gitProxy diff.external diff.x.command diff.x.textconv filter.x.clean filter.x.smudge "
    "filter.x.process merge.x.driver sequence.editor gpg.program gpg.ssh.program "
    "uploadpack.packObjectsHook remote.origin.uploadpack credential.helper interactive.diffFilter "
    "difftool.x.cmd browser.x.cmd pager.status pager.log pager.diff"
)

GIT = (
    Attempt(
        "replace-link",
        "git",
        "Put a git directory of its own in the place of the worktree's link to the repository.",
        "rm -rf .git; mv .git away; mkdir .git2; git init -q --bare .git2;"
        "for k in core.fsmonitor=$EVIL core.bare=false; do git config -f .git2/config "
        "${k%%=*} ${k#*=}; done;"
        "mv -T .git2 .git; echo gitdir: $PWD/.git2 > .git; ln -sf $PWD/.git2 .git; umount .git",
    ),
    Attempt(
        "hooks",
        "git",
        "Write hooks of every kind, and lead git to a directory of them.",
        "for h in pre-commit post-commit post-checkout post-index-change reference-transaction "
        "fsmonitor-watchman pre-auto-gc post-rewrite post-merge pre-receive update post-update "
        "proc-receive; do mkdir -p $TWIN/hooks; cp $EVIL $TWIN/hooks/$h; done; "
        "git config core.hooksPath $TWIN/hooks; echo a > a; git add a; git commit -qm hooked; "
        "git log -1 --format=%s",
        by_landlock=3,
        worked="hooked",
    ),
    Attempt(
        "configured-programs",
        "git",
        "Name programs by every setting and attribute that makes git run one.",
        f"for k in {_CONFIG}; do git config $k $EVIL; done; git config alias.status '!'$EVIL; "
        "git config alias.log '!'$EVIL; git config filter.x.required true; "
        "printf '* filter=x diff=x merge=x\\n' > .gitattributes; echo more >> file.txt; "
        "git config core.fsmonitor $EVIL; git -c filter.x.clean=cat -c filter.x.process= "
        "-c core.fsmonitor=false -c gpg.program=true add -A; "
        "git -c core.fsmonitor=false -c filter.x.process= -c filter.x.clean=cat commit -qm named; "
        "echo tried",
        by_landlock=3,
        worked="tried",
    ),
    Attempt(
        "includes",
        "git",
        "Bring settings in by includes and by settings of one worktree.",
        "printf '[core]\\n\\tfsmonitor = %s\\n\\tpager = %s\\n' $EVIL $EVIL > included;"
        "git config include.path $PWD/included; git config includeIf.gitdir:/.path $PWD/included;"
        "git config extensions.worktreeConfig true; git config --worktree core.fsmonitor $EVIL;"
        "cp included $TWIN/config.worktree; git -c core.fsmonitor=false commit --allow-empty -qm i;"
        "echo tried",
        by_landlock=3,
        worked="tried",
    ),
    Attempt(
        "worktree-elsewhere",
        "git",
        "Tell its git that its worktree is the main checkout or the user's home.",
        "git config core.worktree $REPO; git reset -q --hard; git clean -qfdx; git checkout -q .;"
        "git config core.worktree $HOST; git reset -q --hard; git clean -qfdx; git add -A",
        by_landlock=3,
    ),
    Attempt(
        "common-directory",
        "git",
        "Have its git directory say that all else is in one with settings of its own.",
        "git init -q --bare own; git --git-dir=own config core.fsmonitor $EVIL;"
        "echo $PWD/own > $TWIN/commondir; echo $PWD/.git > $TWIN/gitdir; git status | head -3",
        by_landlock=3,
    ),
    Attempt(
        "alternates",
        "git",
        "Borrow objects from where it cannot look, so that they come over.",
        "printf '%s\\n' $OTHER/.git/objects $HUB/sessions/s2/box/twin/objects $HOST/private/objects"
        " >> $TWIN/objects/info/alternates; git commit -q --allow-empty -m borrowed;"
        "git cat-file --batch-check --batch-all-objects | wc -l",
        by_landlock=3,
    ),
    Attempt(
        "twin-of-links",
        "git",
        "Make HEAD, the refs and the packed refs of its git directory links to keys.",
        "cd $TWIN; for f in HEAD packed-refs ORIG_HEAD MERGE_HEAD; do rm -f $f; "
        "ln -s $HOST/.ssh/id $f; done; rm -rf logs; ln -s $HOST/.ssh logs; rm -rf refs/heads; "
        "ln -s $REPO/.git/refs/heads refs/heads",
        by_landlock=3,
    ),
    Attempt(
        "twin-of-pipes",
        "git",
        "Make files of its git directory pipes, at which whoever reads them would wait for ever.",
        "cd $TWIN; for f in HEAD packed-refs index config MERGE_HEAD objects/info/alternates; do "
        "rm -f $f; mkfifo $f; done",
        by_landlock=3,
    ),
    Attempt(
        "twin-of-size",
        "git",
        "Make files of its git directory larger than any memory.",
        "cd $TWIN; for f in HEAD packed-refs index config MERGE_MSG logs/HEAD; do "
        "truncate -s 60G $f; done",
        by_landlock=3,
    ),
    Attempt(
        "index-of-links",
        "git",
        "Make its index and its settings links to keys and to the repository's own.",
        "cd $TWIN; rm index config; ln -s $REPO/.git/index index; ln -s $REPO/.git/config config;"
        "git add -A; ln -sf $HOST/.ssh/id index",
        by_landlock=3,
    ),
    Attempt(
        "large-file-of-links",
        "git",
        "Pass off a key as a large file that comes over with a commit.",
        "n=$(printf x | sha256sum | cut -c1-64); d=$TWIN/lfs/objects/$(echo $n | cut -c1-2)/"
        "$(echo $n | cut -c3-4); mkdir -p $d; ln -s $HOST/.ssh/id $d/$n; "
        "mkdir -p $TWIN/lfs/objects/aa; ln -s $HOST/.ssh $TWIN/lfs/objects/aa/bb; "
        "git commit -q --allow-empty -m large; cat $REPO/.git/lfs/objects/*/*/*",
        by_landlock=3,
    ),
    Attempt(
        "nested-repository",
        "git",
        "Commit a repository within the worktree whose settings name programs.",
        "git init -q sub; git -C sub commit -q --allow-empty -m inner; git add sub;"
        "git commit -qm nested; for k in core.fsmonitor core.pager diff.external; do "
        "git -C sub config $k $EVIL; done; mkdir -p sub/.git/hooks; "
        "for h in post-index-change post-checkout pre-commit; do cp $EVIL sub/.git/hooks/$h; done;"
        "echo x > sub/x; cp -r sub loose; git log -1 --format=%s",
        by_landlock=3,
        worked="nested",
    ),
    Attempt(
        "submodule-directory",
        "git",
        "Write settings that name programs into the git directory of a submodule.",
        "m=$(git rev-parse --git-path modules); mkdir -p $m; git init -q --bare $m/sub 2>&1;"
        "git --git-dir=$m/sub config core.fsmonitor $EVIL; "
        "printf '[submodule \"sub\"]\\n\\tpath = sub\\n\\turl = ./sub\\n' > .gitmodules;"
        "mkdir -p sub; echo gitdir: $(realpath $m)/sub > sub/.git; "
        "git --git-dir=$m/sub config core.bare false; "
        "git --git-dir=$m/sub config core.worktree $PWD/sub; "
        "git -c core.fsmonitor=false -C sub commit -q --allow-empty -m inner;"
        "git add .gitmodules; git update-index --add --cacheinfo "
        "160000,$(git -c core.fsmonitor=false -C sub rev-parse HEAD),sub; git commit -qm module;"
        "git log -1 --format=%s",
        by_landlock=3,
        worked="module",
    ),
    Attempt(
        "delete-refs",
        "git",
        "Delete branches, tags and the stash of the repository, and move the main branch.",
        "git branch -D main theirs; git tag -d v1; git stash clear; git update-ref -d refs/stash;"
        "git update-ref refs/heads/main HEAD; git push -q $REPO :theirs :refs/tags/v1 +HEAD:main;"
        "git push -q origin :main +HEAD:theirs; git -C $REPO branch -D theirs;"
        "rm -rf $REPO/.git/refs $REPO/.git/packed-refs $REPO/.git/logs",
        by_landlock=3,
    ),
    Attempt(
        "delete-objects",
        "git",
        "Delete the repository's objects by hand, by a collector and by pruning.",
        "rm -rf $REPO/.git/objects; git reflog expire --expire=now --all; git gc -q --prune=now;"
        "git prune --expire=now; git repack -adfq; git prune-packed;"
        "for d in $(cat $TWIN/objects/info/alternates); do rm -rf $d; rm -rf $d/*; done",
        by_landlock=3,
    ),
    Attempt(
        "branch-of-links",
        "git",
        "Make the session's branch a name for the main branch, and replace commits by others.",
        "git symbolic-ref refs/heads/mh/otter refs/heads/main; git commit -q --allow-empty -m x;"
        "git replace -f HEAD HEAD~1; git update-ref refs/manyhands/x HEAD; "
        "git notes add -m x; git worktree add -q ../stolen main; git bisect start; echo tried",
        by_landlock=3,
        worked="tried",
    ),
)
