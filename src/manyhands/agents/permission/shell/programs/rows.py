"""The table: what the programs of everyday work do with their words, and why one is asked about.

A program that is not here is taken for one that does anything inside the worktree, as `make`
does: words cannot tell. Whatever it is handed that looks like a path or an address is looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Operands = Literal["text", "read", "write", "entry", "into", "link", "named"]
"""What the operands are: no paths; files to read; to write; names that go; sources and, last, where
they go; where a link leads and where it lies; or what is not known."""


@dataclass(frozen=True)
class ProgramRow:
    operands: Operands = "named"
    quiet: bool = False
    """Changes nothing by itself."""
    first: int = 0
    """So many of the first operands are no paths: a pattern, a filter, a mode."""
    instead: frozenset[str] = frozenset()
    """Options that take the place of these."""
    text: frozenset[str] = frozenset()
    """Options whose value is no path."""
    written: frozenset[str] = frozenset()
    """Options whose value is a file to write."""
    loud: frozenset[str] = frozenset()
    """Options by which a quiet program changes or runs something."""
    lists: bool = False
    """Prints paths of what it was given."""
    asks: str = ""
    """Always asked about, and why."""


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_TEXT = ProgramRow("text", quiet=True)
_READ = ProgramRow("read", quiet=True)

_PLAIN: dict[str, ProgramRow] = {
    **dict.fromkeys(_set(": [ cal echo expr false id locale nproc"), _TEXT),
    **dict.fromkeys(_set("seq test true tty type uname uptime which"), _TEXT),
    **dict.fromkeys(_set("whoami whereis yes break continue exit return shift wait jobs"), _TEXT),
    **dict.fromkeys(_set("tput getconf free pgrep ps pwd shopt umask ulimit let arch"), _TEXT),
    **dict.fromkeys(_set("cat cmp comm df diff dirname basename du file fold fmt head"), _READ),
    **dict.fromkeys(_set("hexdump join less ls md5sum more nl od readlink realpath"), _READ),
    **dict.fromkeys(_set("rev sha1sum sha256sum sha512sum shasum cksum stat strings tac"), _READ),
    **dict.fromkeys(_set("tail wc base64 cloc tokei scc lsof expand unexpand tsort"), _READ),
    "printf": ProgramRow("text", quiet=True, loud=_set("-v")),
    "tr": _TEXT,
    "sleep": ProgramRow("text"),
    "date": ProgramRow("text", quiet=True, loud=_set("-s --set")),
    "file": ProgramRow("read", quiet=True, loud=_set("-C --compile")),
    "less": ProgramRow("read", quiet=True, loud=_set("-o -O --log-file"), written=_set("-o -O")),
    "base64": ProgramRow("read", quiet=True, loud=_set("-o --output"), written=_set("-o --output")),
    "set": ProgramRow("text"),
    "cut": ProgramRow("read", quiet=True, text=_set("-d -f -c -b --delimiter --fields")),
    "column": ProgramRow("read", quiet=True, text=_set("-s -o -t")),
    "paste": ProgramRow("read", quiet=True, text=_set("-d --delimiters")),
    "sort": ProgramRow(
        "read",
        quiet=True,
        text=_set("-t -k --key --field-separator -S"),
        written=_set("-o --output"),
        loud=_set("-o --output --compress-program -T --temporary-directory"),
    ),
    "uniq": ProgramRow("into", quiet=True),
    "tree": ProgramRow(
        "read", quiet=True, text=_set("-I -P -L"), written=_set("-o"), loud=_set("-o")
    ),
    "grep": ProgramRow(
        "read",
        quiet=True,
        first=1,
        instead=_set("-e -f --regexp --file"),
        text=_set("-e --regexp -m -A -B -C --include --exclude --exclude-dir --color --colour"),
        lists=True,
    ),
    "rg": ProgramRow(
        "read",
        quiet=True,
        first=1,
        instead=_set("-e -f --regexp --file --files"),
        text=_set("-e --regexp -g --glob -t -T --type -m -A -B -C -r --replace --iglob"),
        loud=_set("--pre --search-zip -z --hostname-bin"),
        lists=True,
    ),
    "fd": ProgramRow(
        "read",
        quiet=True,
        first=1,
        text=_set("-e -E --exclude --extension -t --type -d --max-depth"),
        loud=_set("-x -X --exec --exec-batch"),
        lists=True,
    ),
    "jq": ProgramRow(
        "read", quiet=True, first=1, text=_set("--arg --argjson --indent"), instead=_set("-f")
    ),
    "yq": ProgramRow("read", quiet=True, first=1, loud=_set("-i --inplace")),
    "xxd": ProgramRow("into", quiet=True, loud=_set("-r")),
    "touch": ProgramRow("write", text=_set("-d -t --date")),
    "tee": ProgramRow("write"),
    "mkdir": ProgramRow("write", text=_set("-m --mode")),
    "mkfifo": ProgramRow("write"),
    "truncate": ProgramRow("write", text=_set("-s --size")),
    "chmod": ProgramRow("write", first=1, instead=_set("--reference")),
    "chown": ProgramRow("write", first=1, instead=_set("--reference")),
    "chgrp": ProgramRow("write", first=1, instead=_set("--reference")),
    "rm": ProgramRow("entry"),
    "rmdir": ProgramRow("entry"),
    "unlink": ProgramRow("entry"),
    "shred": ProgramRow("write", text=_set("-n -s")),
    "patch": ProgramRow(
        "write", text=_set("-p --strip"), written=_set("-o --output -d --directory -r")
    ),
    "cp": ProgramRow("into", text=_set("-S --suffix")),
    "install": ProgramRow("into", text=_set("-m -o -g --mode --owner --group")),
    "mv": ProgramRow("into", text=_set("-S --suffix")),
    "ln": ProgramRow("link"),
    "dd": ProgramRow("named"),
    "split": ProgramRow("into", text=_set("-l -b -n -a")),
}
_PLAIN["egrep"] = _PLAIN["fgrep"] = _PLAIN["grep"]
_PLAIN["ag"] = _PLAIN["ack"] = ProgramRow("read", quiet=True, first=1, loud=_set("--pager"))
_PLAIN["ls"] = ProgramRow("read", quiet=True, lists=True, text=_set("-I --ignore --color"))

STRICT = _set("dd tar unzip zip rsync gzip gunzip 7z cpio bsdtar xz zstd")
"""Known to write what they name: a word that is not known is not let pass."""

_ASKED: dict[str, str] = {
    "acts as another user": "sudo su doas pkexec runuser sudoedit visudo",
    "leaves something that runs later, or on its own": (
        "crontab at batch atrm systemd-run systemctl launchctl service initctl rc-service loginctl"
        " schtasks anacron"
    ),
    "works in containers, which reach beyond the worktree": (
        "docker docker-compose podman podman-compose nerdctl buildah lxc lxd multipass vagrant"
        " colima limactl"
    ),
    "reaches another machine": (
        "ssh scp sftp mosh autossh sshfs ssh-copy-id rclone ftp lftp telnet nc ncat netcat socat"
        " nmap ping ping6 traceroute dig nslookup host whois mail sendmail mutt ngrok cloudflared"
        " tailscale croc"
    ),
    "handles keys": (
        "ssh-add ssh-agent ssh-keygen gpg gpg2 security secret-tool keyctl pass op vault age"
    ),
    "acts on a forge under the user's name": "gh glab hub tea",
    "acts on other machines or services under the user's name": (
        "aws gcloud gsutil az kubectl helm oc terraform tofu pulumi ansible ansible-playbook vercel"
        " netlify heroku fly flyctl wrangler firebase supabase railway doctl linode-cli eksctl k9s"
        " twine stripe sentry-cli datadog-ci"
    ),
    "commands Manyhands itself": "manyhands mh",
    "starts another agent, which nobody would watch": (
        "claude codex opencode gemini qwen vibe goose aider cursor-agent amp crush codex-acp"
        " claude-agent-acp"
    ),
    "signals processes that may not be its own": "pkill killall fuser skill xkill",
    "installs for the user or the whole system": (
        "apt apt-get aptitude dpkg dnf yum rpm zypper pacman yay apk snap flatpak brew port choco"
        " winget scoop pipx conda mamba micromamba rustup nvm fnm volta pyenv rbenv asdf mise sdk"
        " corepack easy_install gem cpan cpanm luarocks opam ghcup nix-env"
    ),
    "changes the system": (
        "mount umount chroot unshare nsenter modprobe insmod sysctl iptables nft ufw ifconfig"
        " useradd userdel usermod groupadd passwd chsh chfn mkfs fdisk parted swapon swapoff"
        " losetup"
        " shutdown reboot halt poweroff hostnamectl timedatectl localectl update-alternatives"
        " ldconfig defaults networksetup scutil diskutil chattr setfacl mknod"
    ),
    "acts on the user's desktop": "open xdg-open osascript pbcopy pbpaste xclip xsel wl-copy code",
    "acts in terminals that others share": "tmux screen zellij",
    "changes what commands mean": "alias unalias enable bind complete",
    "uses another repository tool that we do not know": "jj hg svn fossil git-lfs git-filter-repo",
}

ROWS: dict[str, ProgramRow] = {
    **_PLAIN,
    **{name: ProgramRow(asks=why) for why, names in _ASKED.items() for name in names.split()},
}

GLOBAL = _set("-g --global --location=global --system")
LOOKING = _set("ls list root bin prefix view outdated why explain info")
_PUBLISHES = "publishes under the user's name"
_CONFIG = "changes the user's own settings"
_INSTALLS = "installs for the user or the whole system"
_REGISTRY = {
    **dict.fromkeys(_set("publish unpublish deprecate owner access dist-tag team"), _PUBLISHES),
    **dict.fromkeys(_set("token login logout adduser profile hook star"), _PUBLISHES),
    **dict.fromkeys(("link", "ln", "unlink"), _INSTALLS),
    "global": _INSTALLS,
    "set": _CONFIG,
}
VERBS: dict[str, dict[str, str]] = {
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun"), _REGISTRY),
    "cargo": {
        **dict.fromkeys(("install", "uninstall"), _INSTALLS),
        **dict.fromkeys(_set("publish login logout yank owner"), _PUBLISHES),
    },
    "go": {"install": _INSTALLS, "telemetry": _CONFIG},
    "uv": {"tool": _INSTALLS, "python": _INSTALLS, "self": _INSTALLS, "publish": _PUBLISHES},
    "poetry": {"publish": _PUBLISHES, "config": _CONFIG, "self": _INSTALLS},
    "hatch": {"publish": _PUBLISHES},
    "flit": {"publish": _PUBLISHES},
    "pdm": {"publish": _PUBLISHES, "self": _INSTALLS},
    "composer": {"global": _INSTALLS},
    "mvn": {"deploy": _PUBLISHES, "release:perform": _PUBLISHES},
    "dotnet": {"nuget": _PUBLISHES},
    "deno": {"install": _INSTALLS, "upgrade": _INSTALLS},
    **{name: {} for name in ("bundle", "pipenv", "rye", "mise", "direnv")},
}
SETTING = {("npm", "config"), ("pnpm", "config"), ("yarn", "config"), ("pip", "config")}
RUNNING = {
    *((name, "run") for name in ("uv", "poetry", "pipenv", "pdm", "hatch", "rye")),
    *((name, "exec") for name in ("npm", "pnpm", "yarn", "bundle", "mise", "direnv")),
}
"""They run the rest of their words."""
SETS = _set("set delete edit unset rm")
