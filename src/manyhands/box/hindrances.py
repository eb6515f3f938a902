"""Why a machine has no full box, and what would change that: a table, in one sentence each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from manyhands.box import landlock
from manyhands.model.box import Means

Hindrance = Literal["missing", "old", "apparmor", "count", "clone", "forbidden", "proc", "late", ""]
CLONE = "kernel.unprivileged_userns_clone"
COUNT = "user.max_user_namespaces"
APPARMOR = "kernel.apparmor_restrict_unprivileged_userns"

INSTALLERS = {
    **dict.fromkeys(("debian", "ubuntu"), "sudo apt install bubblewrap"),
    **dict.fromkeys(("fedora", "rhel", "centos"), "sudo dnf install bubblewrap"),
    "arch": "sudo pacman -S bubblewrap",
    **dict.fromkeys(("suse", "opensuse"), "sudo zypper install bubblewrap"),
    "alpine": "sudo apk add bubblewrap",
}
APPARMOR_FILE = "/etc/apparmor.d/bwrap"
APPARMOR_PROFILE = (
    r"abi <abi/4.0>,\ninclude <tunables/global>\n"
    r"profile bwrap {} flags=(unconfined) {{\n  userns,\n}}\n"
)
"""As `printf` takes it."""
REASONS: dict[Hindrance, str] = {
    "missing": "bubblewrap is not installed",
    "old": "this bubblewrap is older than 0.8",
    "apparmor": "AppArmor forbids bubblewrap to make user namespaces",
    "count": "this machine allows no more user namespaces",
    "clone": "this kernel forbids user namespaces to ordinary users",
    "forbidden": "bubblewrap may not make namespaces here, as in a container",
    "proc": "bubblewrap may not mount its own /proc here, as in a container",
    "late": "bubblewrap did not end in time",
    "": "bubblewrap does not work here",
}


def hindrance_of(said: str, sysctls: Mapping[str, str]) -> Hindrance:
    """By what bubblewrap said, and what the kernel is set to."""
    if "Unknown option" in said:
        return "old"
    if "mount proc" in said:
        return "proc"
    if sysctls.get(COUNT) == "0" or "ENOSPC" in said or "No space left" in said:
        return "count"
    if not any(word in said.lower() for word in ("permission", "not permitted")):
        return ""
    if sysctls.get(CLONE) == "0":
        return "clone"
    return "apparmor" if sysctls.get(APPARMOR) == "1" else "forbidden"


def judged(
    hindrance: Hindrance, version: int, *, program: str = "", system: Iterable[str] = ()
) -> Means:
    """What is left without a full box, by the version of Landlock that works."""
    why, fix = REASONS[hindrance], fix_of(hindrance, program, system)
    if version < landlock.LEAST:
        lacking = "Landlock is too old" if version else "there is no Landlock in its place"
        return Means(reason=f"{why}, and {lacking}", fix=fix)
    *most, last = landlock.stays_open(version)
    open_still = f"{', '.join(most)}, and {last}"
    reason = f"{why}, and Landlock in its place leaves open: {open_still}"
    return Means(level="files", by="landlock", reason=reason, fix=fix)


def fix_of(hindrance: Hindrance, program: str, system: Iterable[str]) -> str:
    match hindrance:
        case "missing" | "old":
            known = (INSTALLERS[name] for name in system if name in INSTALLERS)
            how = next(known, "")
            newer = ", of version 0.8 or newer" if hindrance == "old" else ""
            return f"install bubblewrap{newer}" + (f": `{how}`" if how else "")
        case "apparmor":
            profile = APPARMOR_PROFILE.format(program or "/usr/bin/bwrap")
            return (
                f"allow it by a profile: `printf '{profile}' | sudo tee {APPARMOR_FILE} && "
                "sudo systemctl reload apparmor`"
            )
        case "count":
            return f"allow some: `sudo sysctl -w {COUNT}=15000`"
        case "clone":
            return f"allow them: `sudo sysctl -w {CLONE}=1`"
        case "forbidden":
            return "start the container with `--security-opt seccomp=unconfined`"
        case "proc":
            return "start the container with `--security-opt systempaths=unconfined`"
        case _:
            return "run `bwrap --unshare-all --ro-bind / / true` and see what it says"


def distribution(os_release: str) -> tuple[str, ...]:
    """Its own name first, then those it is like."""
    lines = dict(line.split("=", 1) for line in os_release.splitlines() if "=" in line)
    named = (lines.get(key, "").strip("\"'").split() for key in ("ID", "ID_LIKE"))
    return tuple(name for names in named for name in names)
