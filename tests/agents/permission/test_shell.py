"""What holds for any command line: no way round a question, and no line that takes long."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from manyhands.agents.permission.bounds import Bounds
from manyhands.agents.permission.policy import Ask, decide, judge
from manyhands.agents.permission.shell.syntax import LONGEST
from manyhands.agents.permission.shell.walk import look
from tests.agents.permission.corpus import cases, make_bounds

HARMLESS = [
    "ls -la",
    "git status",
    "pytest -q",
    "echo 'a; b > c'",
    "(cd src && ls)",
    "npm test",
]
ASKED = [
    *("git push", "rm -rf ../x", "curl https://example.invalid", "sudo ls", "echo > /outside/f"),
    *("cat ~/.ssh/id_rsa", "git stash clear", "docker ps", "kill 1", "touch escape/f", "$X y"),
]
JOINS = [
    *("{a}; {b}", "{a} && {b}", "{a} || {b}", "{a} | {b}", "{a}\n{b}", "{a} & {b}", "{b}; {a}"),
    *("{a} $({b})", '{a} "$({b})"', "{a} `{b}`", "{a} <({b})", "({b}); {a}", "{{ {b}; }}; {a}"),
    *("if {a}; then {b}; fi", "while {b}; do {a}; done", "{a} > >({b})", "f() {{ {b}; }}; {a}"),
    *("cat <<E && {b}\n{a}\nE", "cat <<E\n$({b})\nE", "x=$({b}); {a}", "! {b}", "time {b}"),
]
QUOTES: list[Callable[[str], str]] = [
    lambda word: word,
    lambda word: f"'{word}'",
    lambda word: f'"{word}"',
    lambda word: "".join(f"\\{sign}" for sign in word),
    lambda word: f"{word[0]}''{word[1:]}",
    lambda word: f'{word[:-1]}"{word[-1]}"',
    lambda word: "$'" + "".join(f"\\x{ord(sign):02x}" for sign in word) + "'",
]


@pytest.fixture(scope="module")
def bounds() -> Iterator[Bounds]:
    with tempfile.TemporaryDirectory() as name:
        yield make_bounds(Path(name).resolve())


def is_asked(command: str, bounds: Bounds) -> bool:
    return isinstance(decide("auto", "Bash", {"command": command}, bounds), Ask)


@given(a=st.sampled_from(HARMLESS), b=st.sampled_from(ASKED), join=st.sampled_from(JOINS))
def test_nothing_harmless_hides_what_is_asked_about(
    bounds: Bounds, a: str, b: str, join: str
) -> None:
    assert is_asked(join.format(a=a, b=b), bounds)


@given(
    before=st.sampled_from(HARMLESS),
    sign=st.sampled_from([">", ">>", ">|", "&>", "&>>", "2>", "1>", ">&", " > ", "2>&1 >"]),
    path=st.sampled_from(
        ["/outside/f", "../f", "src/../../f", "escape/f", "//outside/f", "/tmp/f"]
    ),
    quote=st.sampled_from(QUOTES),
    after=st.sampled_from(["", " a", " 2>&1", "; ls", " | cat", "\nls", " && ls", " # x"]),
)
def test_no_output_goes_outside_unseen_however_it_is_quoted(
    bounds: Bounds, before: str, sign: str, path: str, quote: Callable[[str], str], after: str
) -> None:
    assert is_asked(f"{before} {sign}{quote(path)}{after}", bounds)


@given(
    words=st.sampled_from([tuple(case.command.split(" ")) for case in cases() if case.command]),
    quotes=st.lists(st.sampled_from(QUOTES), min_size=1, max_size=4),
)
def test_quotes_and_escapes_change_no_verdict(
    bounds: Bounds, words: tuple[str, ...], quotes: list[Callable[[str], str]]
) -> None:
    # Plain words alone: in others a quote is a change of meaning.
    assume(all(word and all(sign.isalnum() or sign in "-./_" for sign in word) for word in words))
    assume(words[0] not in ("if", "while", "for", "local", "export", "declare", "time", "coproc"))
    wrapped = " ".join(quotes[n % len(quotes)](word) for n, word in enumerate(words))
    call, same = {"command": " ".join(words)}, {"command": wrapped}
    assert judge("Bash", same, bounds).deed == judge("Bash", call, bounds).deed


parts = st.sampled_from(["..", ".", "src", "escape", "within", "x", "~", "", "...", "a b", "tree"])
paths = st.builds(
    lambda start, rest: start + "/".join(rest),
    st.sampled_from(["", "/", "~/", "./", "../", "//"]),
    st.lists(parts, min_size=1, max_size=6),
)


@given(path=paths, quote=st.sampled_from(["{}", '"{}"', "-- {}", "a {}", ">{}", "a>{}"]))
def test_no_command_names_a_path_outside_unseen(bounds: Bounds, path: str, quote: str) -> None:
    # Unquoted, a space makes two words of it; quoted, a tilde is a name.
    assume(" " not in path or quote[0] == '"')
    assume("~" not in path or quote[0] != '"')
    assume(not path.startswith("~") or path.startswith("~/"))
    home = path.replace("~", str(bounds.home), 1) if path.startswith("~/") else path
    real = Path(os.path.realpath(bounds.worktree / home))
    places = (bounds.worktree, *bounds.scratch, *bounds.plans)
    if not any(real.is_relative_to(place) for place in places):
        assert is_asked(f"touch {quote.format(path)}", bounds)


WORDS = """
touch echo cat cd tee cp mv ln -s mkdir -p ls sed -i bash -c sh env xargs find . -exec {} ; + eval
exec command source if then else fi for f in do done while true x=../outside/v $x "$x" '$x' $HOME
~ ~/outside/w ../outside/a ../outside escape escape/b src src/.. .. a b ' " \\ && & || | ( ) { } >
>> >| &> 2> 2>&1 >& < << <<< <<E <<'E' E $( ` ${ $(( )) [[ ]] ! # $'\\x2e./outside/c' -
{..,.}/outside/d */e .*/outside/g f() function case esac x) -- -t --target-directory=../outside
printf export trap EXIT . $1 $@ .\\./outside/s -delete -o --output=new git log diff ;; A=1
"""
lines = st.builds(
    lambda start, rest: start + "".join(rest),
    st.sampled_from(
        ["touch", "echo x >", "cd src;", "ls | xargs", "find .", "cat <<E", "git diff", ""]
    ),
    st.lists(
        st.builds(
            str.__add__,
            st.sampled_from([" ", " ", " ", ""]),
            st.sampled_from([*WORDS.split(), "\n"]),
        ),
        min_size=1,
        max_size=7,
    ),
)
TOOLS = """bash cat cp env find git ln ls mkdir mv printf sed sh tee touch true xargs"""


@pytest.fixture(scope="module")
def few_programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Nothing else is to be had when a line is really run."""
    place = tmp_path_factory.mktemp("programs")
    for name in TOOLS.split():
        for directory in ("/usr/bin", "/bin", "/usr/local/bin"):
            if Path(directory, name).exists() and not (place / name).exists():
                (place / name).symlink_to(Path(directory, name))
    return place


@settings(max_examples=150, deadline=None)
@given(line=lines)
def test_what_passes_unasked_leaves_the_outside_alone_when_it_really_runs(
    few_programs: Path, line: str
) -> None:
    with tempfile.TemporaryDirectory() as name:
        bounds = make_bounds(Path(name).resolve())
        deed = judge("Bash", {"command": line}, bounds).deed
        if deed not in ("reads", "works"):
            return
        (bounds.worktree / "a").write_text("here")
        within, beyond = _tree(bounds.worktree), _tree(bounds.home, bounds.worktree)
        env = {"PATH": str(few_programs), "HOME": str(bounds.home), "GIT_DIR": "none"}
        subprocess.run(
            ["bash", "-c", line],
            cwd=bounds.worktree,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=120,
            check=False,
        )
        assert _tree(bounds.home, bounds.worktree) == beyond
        assert deed == "works" or _tree(bounds.worktree) == within


def _tree(top: Path, besides: Path | None = None) -> list[tuple[str, bytes]]:
    found = [path for path in top.rglob("*") if not (besides and path.is_relative_to(besides))]
    kept = [path for path in sorted(found) if not path.is_dir() or path.is_symlink()]
    return [
        (str(p), str(p.readlink()).encode() if p.is_symlink() else p.read_bytes()) for p in kept
    ]


HARD: dict[str, Callable[[int], str]] = {
    "newlines": lambda n: "ls" + "\n" * n,
    "a here-document": lambda n: "cat > a <<'E'\n" + "f(x) | g({y}) $z\n" * (n // 17) + "E\n",
    "a document for python": lambda n: "python3 - <<'E'\n" + "open('/etc/x')\n" * (n // 15) + "E\n",
    "an unfinished pipe": lambda n: "a|" * (n // 2),
    "unfinished braces": lambda n: "${" * (n // 2),
    "unfinished documents": lambda n: "cat " + "<<A " * (n // 4) + "\n",
    "documents that never end": lambda n: "cat <<A\n" * (n // 8),
    "commands": lambda n: "a;" * (n // 2),
    "words": lambda n: "touch " + "a " * (n // 2),
    "different words": lambda n: "touch " + " ".join(map(str, range(n // 6))),
    "globs": lambda n: "touch " + "*/* " * (n // 4),
    "brackets": lambda n: "(" * n,
    "nested substitutions": lambda n: "$(" * (n // 3) + "ls" + ")" * (n // 3),
    "quotes": lambda n: "'\"" * (n // 2),
    "backslashes": lambda n: "echo " + "\\" * n,
    "a long word": lambda n: "touch " + "a" * n,
    "parts of a path": lambda n: "touch " + "a/" * (n // 2),
    "braces": lambda n: "touch " + "{a,b}" * (n // 5),
    "an address": lambda n: "curl http://" + "a." * (n // 2),
    "a sed script": lambda n: "sed 's/" + "a" * n + "' b",
    "an inline program": lambda n: "python3 -c '" + "/a" * (n // 2) + "'",
    "equals": lambda n: "tool --x" + "=/a" * (n // 3),
    "assignments": lambda n: "a=b " * (n // 4),
    "a loop": lambda n: "for i in " + "a " * (n // 2) + "; do touch $i; done",
}


@pytest.mark.parametrize("kind", HARD)
def test_the_time_for_a_line_grows_no_faster_than_the_line(bounds: Bounds, kind: str) -> None:
    def cost(size: int) -> float:
        best = float("inf")
        for _ in range(3):
            start = time.process_time()
            look(HARD[kind](size), bounds)
            best = min(best, time.process_time() - start)
        return best

    cost(100)
    # Sixteen times the line may take 16 times as long, not 256 times; what is refused takes none.
    assert cost(64_000) < 64 * cost(4_000) + 0.05


def test_a_line_that_is_too_long_is_asked_about_and_not_read(bounds: Bounds) -> None:
    found = judge("Bash", {"command": "echo " + "a" * LONGEST}, bounds)
    assert found.deed == "reaches"
    assert "too long to be judged" in found.reason


def test_a_file_of_a_thousand_lines_is_written_unasked(bounds: Bounds) -> None:
    text = "def f(x):\n    return {'a': [x | 1, (x)]};  # `$HOME` > /etc/x\n" * 500
    line = {"command": f"mkdir -p src && cat > src/a.py <<'END'\n{text}END\ncat src/a.py | head -3"}
    assert judge("Bash", line, bounds).deed == "works"
    line = {"command": f"cat > src/a.py <<'END'\n{text}END\ntouch /outside/f"}
    assert judge("Bash", line, bounds).deed == "reaches"
    # What only looks like a document hides nothing.
    line = {"command": f"echo \"<<'END'\n\"; git push\n{text}END\n"}
    assert judge("Bash", line, bounds).deed == "reaches"
    line = {"command": f"bash <<'END'\n{'ls | cat;' * 500}\ngit push\nEND\n"}
    assert judge("Bash", line, bounds).deed == "reaches"


def test_the_grammar_is_loaded_with_the_first_command_and_not_before() -> None:
    check = (
        "import sys\n"
        "import manyhands.keeper.host, manyhands.agents.permission.policy as policy\n"
        "from pathlib import Path\n"
        "from manyhands.agents.permission.bounds import Bounds\n"
        "assert not [name for name in sys.modules if 'tree_sitter' in name]\n"
        "here = Bounds(Path('/w'), Path('/w'), Path('/h'))\n"
        "policy.decide('auto', 'Write', {'file_path': 'a'}, here)\n"
        "assert not [name for name in sys.modules if 'tree_sitter' in name]\n"
        "policy.decide('auto', 'Bash', {'command': 'ls'}, here)\n"
        "assert [name for name in sys.modules if 'tree_sitter' in name]\n"
    )
    subprocess.run([sys.executable, "-c", check], check=True)
