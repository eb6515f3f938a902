"""A forge's token for git: for exactly the addresses it is meant for, and nowhere to be read."""

from __future__ import annotations

import contextlib
import shlex
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from urllib.parse import unquote, urlsplit

from manyhands.git.runner import Git


@contextlib.contextmanager
def with_token(git: Git, token: str, urls: Sequence[str]) -> Iterator[Git]:
    """The same git, which hands the token over where one of the addresses asks for it; by a
    nameless file that only git inherits."""
    if not token:
        yield git
        return
    with tempfile.TemporaryFile() as file:
        file.write(f"username=x-access-token\npassword={token}\n".encode())
        file.flush()
        file.seek(0)
        # The empty one makes git forget every other helper, which would store the token.
        git = git.having({"credential.helper": ""})
        helper = credential_helper(file.fileno(), urls)
        settings = {"credential.helper": helper, "credential.useHttpPath": "true"}
        # Whoever is elsewhere by now is told of, not followed.
        settings["http.followRedirects"] = "false"
        yield replace(git.having(settings), inherit=(file.fileno(),))


def credential_helper(descriptor: int, urls: Sequence[str]) -> str:
    """A shell's words that answer for exactly these addresses, and their large files."""
    parts = [urlsplit(url) for url in urls]
    places = [
        f"{p.scheme}://{p.netloc.rpartition('@')[2]}/{unquote(p.path).strip('/')}" for p in parts
    ]
    known = [place + more for place in places for more in ("", "/info/lfs", ".git/info/lfs")]
    return (
        '!f() { test "$1" = get || return 0; p= h= w=; '
        'while IFS= read -r l && test -n "$l"; do case $l in '
        "protocol=*) p=${l#*=};; host=*) h=${l#*=};; path=*) w=${l#*=};; esac; done; "
        f'case "$p://$h/$w" in {"|".join(map(shlex.quote, known))}) cat /dev/fd/{descriptor};; '
        "esac; }; f"
    )
