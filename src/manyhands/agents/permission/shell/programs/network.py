"""Programs that fetch and send: which machine they reach, and what they read and write here."""

from __future__ import annotations

import re
from collections.abc import Callable

from manyhands.agents.permission.shell.call import UNSURE, ShellCall, is_loopback
from manyhands.agents.permission.shell.marks import UNKNOWN
from manyhands.agents.permission.shell.programs.operands import judge_row
from manyhands.agents.permission.shell.programs.rows import ROWS, ProgramRow

_VALUED = frozenset(
    [
        *("-A", "-b", "-C", "-d", "-e", "-F", "-H", "-m", "-Q", "-r", "-t", "-u", "-w", "-X", "-y"),
        *(
            "-Y",
            "-z",
            "--cacert",
            "--cert",
            "--connect-timeout",
            "--cookie",
            "--data",
            "--data-ascii",
        ),
        *("--data-binary", "--data-raw", "--data-urlencode", "--form", "--form-string", "--header"),
        *(
            "--json",
            "--limit-rate",
            "--max-redirs",
            "--max-time",
            "--request",
            "--retry",
            "--range",
        ),
        *("--retry-delay", "--retry-max-time", "--user", "--user-agent", "--write-out", "--key"),
        *("--interface", "--referer", "--url-query", "--variable", "--max-filesize", "-U", "-O-"),
        *("--tries", "--timeout", "--wait", "--post-data", "--method", "--body-data", "--password"),
    ]
)
_WRITTEN = frozenset(
    [
        *(
            "-o",
            "--output",
            "-D",
            "--dump-header",
            "-c",
            "--cookie-jar",
            "--trace",
            "--trace-ascii",
        ),
        *("--output-dir", "--stderr", "--etag-save", "--hsts", "--alt-svc", "--libcurl"),
    ]
)
_WGET_WRITTEN = frozenset(
    [
        *("-O", "--output-document", "-P", "--directory-prefix", "-o", "--output-file", "-a"),
        *("--append-output", "--save-cookies", "--warc-file"),
    ]
)
_ADDRESSES = ("--url", "-x", "--proxy", "--preproxy", "--socks5", "--socks5-hostname", "--resolve")
_READ = ("-T", "--upload-file", "--post-file", "--body-file", "-i", "--input-file", "--netrc-file")
_CONFIG = ("-K", "--config", "--unix-socket", "--abstract-unix-socket", "-e", "--execute")


def _fetch(call: ShellCall) -> None:
    call.changes()
    written = _WGET_WRITTEN if call.name == "wget" else _WRITTEN
    words, reached = list(call.arguments), 0
    while words:
        word = words.pop(0)
        name, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
        if not word.startswith("-") or word == "-":
            call.reaches(word)
            reached += 1
            continue
        if not name.startswith("--") and len(name) > 2:
            name, value = _bundle(name, written)
        given = value or (words[0] if words else "")
        takes = not equals and not value and bool(words)
        if name in written:
            call.writes(given) if given != "-" else None
        elif name in _ADDRESSES:
            call.reaches(given)
        elif name in _READ:
            call.reads(given)
        elif name in _CONFIG and not (name == "-e" and call.name == "curl"):
            call.asks("fetches by settings that the command does not show")
        elif name in _VALUED:
            _judge_sent(call, given)
        else:
            takes = False
        if takes:
            words.pop(0)


def _bundle(word: str, written: frozenset[str]) -> tuple[str, str]:
    """The first letter of `-sSLo` that takes a value, and the value where it is attached."""
    for place, letter in enumerate(word[1:], 1):
        name = f"-{letter}"
        if name in written or name in _VALUED or name in (*_ADDRESSES, *_READ, *_CONFIG):
            return name, word[place + 1 :]
    return word[:2] if word[:2] == "--" else "", ""


def _judge_sent(call: ShellCall, value: str) -> None:
    """`-d @file` and `-F a=@file` read a file."""
    if found := re.search(r"(?:^|=)[@<]([^;]+)", value):
        call.reads(found[1])


def _http(call: ShellCall) -> None:
    """httpie: the first word that is no method is the address."""
    words = [word for word in call.arguments if not word.startswith("-")]
    words = words[1:] if words and re.fullmatch(r"[A-Z]+", words[0]) else words
    if words:
        call.reaches(f"localhost{words[0]}" if words[0].startswith(":") else words[0])
    judge_row(call, ProgramRow())


def _rsync(call: ShellCall) -> None:
    for word in call.arguments:
        if word == "-e" or word.startswith(("--rsh", "--rsync-path")):
            call.asks("reaches another machine", depth=1)
        elif re.match(r"[^/]*:", word) and not word.startswith("-"):
            call.asks(f"reaches another machine: {word.partition(':')[0]}")
    judge_row(call, ROWS["cp"])


def _to_host(call: ShellCall) -> None:
    """The first word that is no option is the machine."""
    hosts = [word for word in call.arguments if not word.startswith("-")]
    call.changes()
    if not hosts or not is_loopback(hosts[0]):
        call.asks("reaches another machine", depth=1)


_HOSTS = re.compile(r"(?:-h|--host=?|-H)(.*)")


def _database(call: ShellCall) -> None:
    """A database of the session's own is its to use; another machine's is not."""
    words = call.arguments
    for number, word in enumerate(words):
        if found := _HOSTS.fullmatch(word):
            host = found[1] or (words[number + 1] if number + 1 < len(words) else "")
            if UNKNOWN in host:
                call.asks(f"reaches an address that is {UNSURE}")
            elif host and not is_loopback(host) and not host.startswith("/"):
                call.asks(f"reaches another machine: {host}")
    judge_row(call, ProgramRow())


READERS: dict[str, Callable[[ShellCall], None]] = {
    **dict.fromkeys(("curl", "wget"), _fetch),
    **dict.fromkeys(("http", "https", "xh", "xhs"), _http),
    "rsync": _rsync,
    **dict.fromkeys(("nc", "ncat", "telnet", "ping"), _to_host),
    **dict.fromkeys(("psql", "pg_dump", "mysql", "mysqldump", "redis-cli", "mongosh"), _database),
}
