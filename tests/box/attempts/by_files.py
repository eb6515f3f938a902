"""Attempts by files: to read, to write, and by links that somebody else follows."""

from __future__ import annotations

from tests.box.attempts.attempt import Attempt

FILES = (
    Attempt(
        "read-keys",
        "files",
        "Read ssh keys, cloud logins and the logins of other tools.",
        "cat $HOST/.ssh/* $HOST/.aws/* $HOST/.config/gh/* $HOST/.docker/*; cd $HOST && cat .ssh/id;"
        "grep -rs canary-of $HOST | head; ls -la $HOST/.ssh; tar c $HOST/.ssh | head -c 4000",
        by_landlock=3,
    ),
    Attempt(
        "read-hub",
        "files",
        "Read the hub's token, its store and its settings.",
        "cat $HUB/token $HUB/store.db $HUB/config.toml; ls $HUB; grep -rs canary-of $HUB",
        by_landlock=3,
    ),
    Attempt(
        "read-others",
        "files",
        "Read another session's worktree, conversation and git directory.",
        "cat $OTHER/* $OTHER/.env; cat $HUB/sessions/s2/*; cat $HUB/sessions/s2/box/twin/config;"
        "git -C $OTHER status; git --git-dir=$HUB/sessions/s2/box/twin log",
        by_landlock=3,
    ),
    Attempt(
        "read-checkout",
        "files",
        "Read the main checkout: its files that are in no commit, and its git config.",
        "cat $REPO/.env $REPO/.git/config; git -C $REPO status; git -C $REPO config --list;"
        "git config --list; cat $TWIN/config",
        by_landlock=3,
    ),
    Attempt(
        "write-settings",
        "files",
        "Write to the settings that shells, git, editors and desktops run something from.",
        "for f in .bashrc .profile .zshrc .gitconfig .ssh/config .ssh/authorized_keys "
        ".config/git/config .config/autostart/x.desktop .config/systemd/user/x.service .vimrc; do "
        "mkdir -p $(dirname $HOST/$f); echo $EVIL >> $HOST/$f; done;"
        "git config --global core.pager $EVIL; git config --global alias.status '!'$EVIL;"
        "git config --system core.pager $EVIL; echo $EVIL >> /etc/profile",
        by_landlock=3,
    ),
    Attempt(
        "write-hub",
        "files",
        "Write to the hub's settings, store and token, and to what it notes of the session.",
        "for f in token config.toml store.db sessions/s1/box/link sessions/s1/box/twin.given "
        "sessions/s1/box/twin.seen sessions/s1/box/new; do echo x >> $HUB/$f; rm -f $HUB/$f; done",
        by_landlock=3,
    ),
    Attempt(
        "write-others",
        "files",
        "Write to another session's worktree and git directory.",
        "echo x > $OTHER/made; echo x >> $OTHER/file.txt; rm -rf $OTHER $HUB/sessions/s2;"
        "echo x >> $HUB/sessions/s2/box/twin/config; mv $OTHER $OTHER-away",
        by_landlock=3,
    ),
    Attempt(
        "write-checkout",
        "files",
        "Write to the main checkout, its git config and its hooks.",
        "echo x >> $REPO/file.txt; cp $EVIL $REPO/.git/hooks/post-checkout;"
        "printf '[core]\\n\\tfsmonitor = %s\\n' $EVIL >> $REPO/.git/config; rm $REPO/.git/index",
        by_landlock=3,
    ),
    Attempt(
        "remove-all",
        "files",
        "Remove the user's home, the repository, its remote, the hub and the worktree itself.",
        "rm -rf $REPO $HOST/remote.git $HUB $HOST $OTHER $OWN $PWD ; true",
        by_landlock=3,
    ),
    Attempt(
        "change-toolchain",
        "files",
        "Replace a program of the user's own that is on the path.",
        "echo '#!/bin/sh' > $HOST/.local/bin/tool; cp $EVIL $HOST/.local/bin/git;"
        "mv $HOST/.local/bin $HOST/.local/away; rm -rf $HOST/.local/bin; tool",
        by_landlock=3,
        worked="tool works",
    ),
    Attempt(
        "poison-cache",
        "files",
        "Write into a cache from which the user's own builds take packages.",
        "echo worse > $HOST/.cache/pip/wheel; rm -rf $HOST/.cache/pip; mkdir -p $HOST/.cache/pip;"
        "echo worse > $HOST/.cache/pip/new",
        by_landlock=3,
    ),
    Attempt(
        "open-permissions",
        "files",
        "Make keys readable to others by their permissions, and set files' owners and times.",
        "chmod -R 777 $HOST $HUB $REPO; chown -R 65534 $HOST; touch -d 2001-01-01 $HOST/.bashrc;"
        "setfacl -R -m o:rwx $HOST; chattr +i $HOST/.bashrc",
    ),
    Attempt(
        "left-descriptors",
        "files",
        "Read through descriptors that whoever started the box has left open.",
        "for f in /proc/self/fd/* /proc/1/fd/*; do timeout 2 head -c 4000 $f < $f & done; "
        "for n in 3 4 5 6 7 8 9; do timeout 2 head -c 4000 <&$n & done; "
        "ls -l /proc/self/fd /proc/1; wait",
        by_landlock=3,
    ),
    Attempt(
        "own-settings",
        "files",
        "Change the agent's own settings, hooks and tool servers, which the user's next start of "
        "that agent would run.",
        "cd $HOST/.claude; for f in settings.json settings.local.json; do "
        'rm -f $f; echo "{\\"hooks\\": \\"$EVIL\\"}" > $f; mv $f $f.x; ln -sf $EVIL $f; done;'
        "for d in hooks commands agents plugins skills; do rm -rf $d; mkdir -p $d; "
        "cp $EVIL $d/evil; done; "
        'echo "{\\"mcpServers\\": \\"$EVIL\\"}" > $HOST/.claude.json; echo tried',
        worked="tried",
    ),
)

LINKS = (
    Attempt(
        "link-out",
        "links",
        "Write through symbolic links in the worktree that lead outside.",
        "ln -s $HOST/.bashrc a; echo x >> a; ln -s $REPO b; echo x > b/made; ln -s / c;"
        "cat c$HOST/.ssh/id; echo x >> c$HOST/.bashrc; ln -s $HUB/token d; cat d; git add -A;"
        "git commit -qm links",
        by_landlock=3,
    ),
    Attempt(
        "hard-link",
        "links",
        "Take hard links of keys, objects and programs into the worktree and write to those.",
        "ln $HOST/.ssh/id a; cat a; ln $HOST/.local/bin/tool b && echo x >> b;"
        "o=$(find $REPO/.git/objects -type f | head -1); ln $o c && chmod u+w c && echo x > c;"
        "ln $HOST/.cache/pip/wheel d && echo x > d; ln $OWN/box/link e && echo x > e",
        by_landlock=3,
    ),
    Attempt(
        "home-for-next",
        "links",
        "Leave links in the private home, so that the next box is mounted over what is outside.",
        "for w in .config .cache .local .cargo .npm go .config/git .local/share; do "
        "rm -rf $HOST/$w; mv $HOST/$w $HOST/x.$$; mkdir -p $(dirname $HOST/$w); "
        "ln -s $HOST-target $HOST/$w; ln -s /oldroot$HOST-target $HOST/$w; done; cd $HOST;"
        "for w in .config .cache .local; do rm -rf $w; ln -s ../../../../..$HOST-target $w; done",
        by_landlock=3,
    ),
    Attempt(
        "scratch-for-next",
        "links",
        "Leave links in the scratch directory where the next box has its mounts.",
        "cd /tmp; top=$(echo $HOST | cut -d/ -f3); mv /tmp/$top /tmp/away; rm -rf /tmp/$top;"
        "ln -s $HOST-target /tmp/$top; ln -s /oldroot /tmp/$top; cd ${TMPDIR:-/tmp} && rm -rf ./*;"
        "ln -s $HOST-target away; echo tried",
        by_landlock=3,
        worked="tried",
    ),
    Attempt(
        "interpreter-for-next",
        "links",
        "Pass off the hub's home, the main checkout or a home's keys as the interpreter of a "
        "virtual environment, so that the next box has them.",
        "mkdir -p .venv/bin venv/bin env/bin; ln -sf $HUB/token .venv/bin/python;"
        "ln -sf $REPO/.env venv/bin/python; printf '#!%s/private/run\\n' $HOST > script;"
        "ln -sf $PWD/script env/bin/python; chmod +x script; echo tried",
        by_landlock=3,
        worked="tried",
    ),
    Attempt(
        "settings-for-next",
        "links",
        "Leave links among the agent's own settings, so that the next box has where they lead.",
        "cd $HOST/.claude; for n in agents commands hooks plugins skills settings.local.json; do "
        "rm -rf $n; ln -s $HOST/.ssh $n; done; mv settings.json away; ln -s $HUB settings.json;"
        "echo tried",
        worked="tried",
    ),
    Attempt(
        "odd-names",
        "links",
        "Have file and branch names that hold line breaks and orders to a terminal.",
        "printf x > \"$(printf 'a\\033]0;owned\\007\\nb')\"; git add -A; git commit -qm odd;"
        "printf '%040d' 0 > \"$TWIN/refs/heads/$(printf 'a\\033]0;owned\\007')\"; echo tried",
        by_landlock=3,
        worked="tried",
    ),
)
