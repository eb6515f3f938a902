"""Walks the syntax tree of a command line, in the order in which the shell would run it.

Directories and variables are followed as far as the text says what they are. At the end every
command of the tree must have been met: what the walk does not understand is asked about.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from manyhands.agents.permission.bounds import Bounds
from manyhands.agents.permission.shell.call import UNSURE, Ledger, Piped, ShellCall
from manyhands.agents.permission.shell.line import CommandLine, Objection, Part
from manyhands.agents.permission.shell.marks import INSIDE, OUT, TOKEN, UNKNOWN, brief, shown
from manyhands.agents.permission.shell.outputs import output_of
from manyhands.agents.permission.shell.paths import display
from manyhands.agents.permission.shell.programs.dispatch import judge
from manyhands.agents.permission.shell.redirects import Redirects
from manyhands.agents.permission.shell.state import ShellState
from manyhands.agents.permission.shell.syntax import Script, Unreadable, descendants, parse
from manyhands.agents.permission.shell.variables import Variables
from manyhands.agents.permission.shell.words import WordReader

if TYPE_CHECKING:
    from tree_sitter import Node

MUST_BE_MET = frozenset(
    [
        *("command", "declaration_command", "file_redirect", "command_substitution"),
        *("process_substitution", "herestring_redirect", "heredoc_redirect"),
    ]
)
MOST_ROUNDS = 30
NESTED = 8
"""Scripts within scripts, as in `bash -c 'bash -c …'`."""


def look(command: str, bounds: Bounds) -> CommandLine:
    """What the command line would do, as far as its text says."""
    found = CommandLine()
    state = ShellState(bounds, (str(bounds.cwd),))
    if not bounds.writable(str(bounds.cwd)):
        where = display(str(bounds.cwd), bounds)
        found.objections.append(
            Objection(f"runs outside the worktree: {where}", reads=True, matter="reads")
        )
    _look_at(command, state, found, Ledger(), 0)
    return found


def _look_at(
    command: str, state: ShellState, found: CommandLine, ledger: Ledger, depth: int
) -> None:
    try:
        if depth > NESTED:
            raise Unreadable("is nested too deeply to be judged")
        script = parse(command)
        Walk(script, found, ledger, depth).all(state)
    except Unreadable as unreadable:
        found.objections.append(Objection(str(unreadable)))
    except RecursionError:
        found.objections.append(Objection("is nested too deeply to be judged"))


class Walk:
    def __init__(self, script: Script, found: CommandLine, ledger: Ledger, depth: int) -> None:
        self._script = script
        self._found = found
        self._ledger = ledger
        self._depth = depth
        self._met: set[int] = set()
        self._words = WordReader(self._substitute)
        self._redirects = Redirects(script, self._words, self._met)
        self._variables = Variables(self._words, self._text)
        self._kinds: dict[str, Callable[[Node, ShellState, Piped], bool]] = {
            "command": self._command,
            "test_command": self._command,
            "redirected_statement": self._redirected,
            "pipeline": self._pipeline,
            "list": self._list,
            "if_statement": self._branches,
            "case_statement": self._branches,
            "for_statement": self._for,
            "while_statement": self._loop,
            "c_style_for_statement": self._loop,
            "function_definition": self._function,
            "variable_assignment": self._assigned,
            "variable_assignments": self._assigned,
            "declaration_command": self._assigned,
            "unset_command": self._assigned,
        }

    def all(self, state: ShellState) -> None:
        self._run(self._script.root, state)
        nodes = descendants(self._script.root)
        missed = [n for n in nodes if n.type in MUST_BE_MET and n.id not in self._met]
        if missed:
            raise Unreadable("holds something that cannot be read as a command")

    def _run(self, node: Node, state: ShellState, piped: Piped = "") -> bool:
        """Whether what it prints are paths inside the worktree."""
        if node.type == "subshell":
            state = state.fork()
        return self._kinds.get(node.type, self._sequence)(node, state, piped)

    def _sequence(self, node: Node, state: ShellState, piped: Piped) -> bool:
        lists: list[bool] = []
        children = node.children
        for number, child in enumerate(children):
            if not child.is_named or child.type == "comment":
                continue
            follows = children[number + 1].type if number + 1 < len(children) else ""
            lists.append(self._run(child, state.fork() if follows == "&" else state, piped))
            state.settle()
        return bool(lists) and all(lists)

    def _list(self, node: Node, state: ShellState, piped: Piped) -> bool:
        left, right = _statements(node)[:2]
        operator = next(c.type for c in node.children if c.type in ("&&", "||"))
        before = state.fork()
        self._run(left, state, piped)
        if operator == "&&":
            saved, state.maybe = state.maybe, ()
            state.doubts = (*state.doubts, dict(state.variables))
            lists = self._run(right, state, piped)
            state.maybe = (*state.maybe, *saved)
            return lists and _is_move(left)
        if _leaves(right):
            # `cd x || exit`: whoever goes on has succeeded.
            self._run(right, before, piped)
            state.maybe = ()
            return False
        failed = before.fork()
        failed.become(before, state.fork())
        if _is_move(left):
            failed.cwds = before.cwds
        self._run(right, failed, piped)
        state.become(state.fork(), failed)
        return False

    def _pipeline(self, node: Node, state: ShellState, piped: Piped) -> bool:
        lists = False
        for number, child in enumerate(_statements(node)):
            if number or node.children[0].type in ("|", "|&"):
                piped = "inside" if lists else "unknown"
            lists = self._run(child, state.fork(), piped)
        return lists

    def _redirected(self, node: Node, state: ShellState, piped: Piped) -> bool:
        """A redirection belongs to the last command of its body."""
        body = node.child_by_field_name("body")
        redirects = [child for child in node.children if child != body]
        part = Part(("…",))
        extra = self._redirects.judge(redirects, self._call([], state, part, piped))
        if part.objections or part.changes:
            self._found.parts.append(part)
        lists = False
        if body is not None:
            after = self._handed_over(body, state, piped, extra.words, extra.handed)
            lists = after and not part.changes
        for rest in extra.rest:
            if rest.type == "pipeline" and rest.children[0].type in ("|", "|&"):
                self._pipeline(rest, state, piped)
            else:
                self._run(rest, state, piped)
        return lists

    def _handed_over(
        self, body: Node, state: ShellState, piped: Piped, words: list[str], handed: str | None
    ) -> bool:
        if body.type in ("command", "test_command"):
            return self._command(body, state, piped, words, handed)
        if words:
            raise Unreadable("cannot be read as a shell command")
        return self._run(body, state, "unknown" if handed is not None else piped)

    def _command(
        self,
        node: Node,
        state: ShellState,
        piped: Piped,
        extra: list[str] | None = None,
        handed: str | None = None,
    ) -> bool:
        self._met.add(node.id)
        _require_plain_gaps(node)
        part = Part(())
        call = self._call([], state, part, piped)
        aside = state.fork()
        words: list[str] = []
        redirects: list[Node] = []
        if node.type == "test_command":
            self._words.visit(node, state)
            words = ["["]
        else:
            for child in node.children:
                if child.type == "variable_assignment":
                    # For the command's own environment: its words do not see it.
                    self._variables.assign(child, aside, part)
                    part.plain = False
                elif child.type.endswith("_redirect"):
                    redirects.append(child)
                else:
                    words += self._words.fields(child, state)
        found = self._redirects.judge(redirects, call)
        words += [*found.words, *(extra or [])]
        part.words = tuple(map(shown, words))
        self._found.parts.append(part)
        if found.rest:
            raise Unreadable("cannot be read as a shell command")
        if not words:
            state.variables = aside.variables
            return False
        call.words = words
        call.handed = found.handed if found.handed is not None else handed
        self._judge(call)
        return call.lists and part.plain

    def _call(self, words: list[str], state: ShellState, part: Part, piped: Piped) -> ShellCall:
        return ShellCall(words, state, part, self._ledger, self._nested, self._script_of, piped)

    def _judge(self, call: ShellCall) -> None:
        self._ledger.commands -= 1
        if self._ledger.commands < 0:
            raise Unreadable("has too many parts to be judged")
        judge(call)

    def _nested(self, words: list[str], outer: ShellCall) -> None:
        part = Part(tuple(map(shown, words)), plain=outer.part.plain)
        self._found.parts.append(part)
        call = self._call(words, outer.state, part, outer.piped)
        call.handed = outer.handed
        self._judge(call)
        outer.lists = call.lists

    def _script_of(self, text: str, outer: ShellCall) -> None:
        self._text(text, outer.state)

    def _text(self, text: str, state: ShellState) -> None:
        """A script within the script; what it cannot know, it cannot be judged by."""
        if UNKNOWN in text or OUT in text:
            self._found.objections.append(Objection(f"runs a text that is {UNSURE}: {brief(text)}"))
        else:
            _look_at(shown(text), state.fork(), self._found, self._ledger, self._depth + 1)

    def _substitute(self, node: Node, state: ShellState) -> str:
        self._met.add(node.id)
        first = len(self._found.parts)
        inner = state.fork()
        lists: list[bool] = []
        for child in _statements(node):
            if child.type.endswith("_redirect"):  # $(<file)
                lists.append(False)
                part = Part(("<",))
                self._found.parts.append(part)
                self._redirects.judge([child], self._call([], inner, part, ""))
            else:
                lists.append(self._run(child, inner))
                inner.settle()
        listed = bool(lists) and all(lists)
        return INSIDE if listed else output_of(self._found.parts[first:], state)

    def _branches(self, node: Node, state: ShellState, piped: Piped) -> bool:
        """The conditions run, then any one of the branches, or none."""
        ends = self._clause(node, state, piped)
        state.become(state.fork(), *ends)
        return False

    def _clause(self, node: Node, state: ShellState, piped: Piped) -> list[ShellState]:
        branch: ShellState | None = None
        ends: list[ShellState] = []
        for child in node.children:
            if child.type in ("then", "else", "case_item"):
                branch = state.fork()
                ends.append(branch)
            if child.type == "case_item" and branch is not None:
                self._run_item(child, branch, piped)
            elif child.type in ("elif_clause", "else_clause"):
                ends += self._clause(child, state, piped)
            elif _is_statement(child):
                here = branch or state
                self._run(child, here, piped)
                here.settle()
            elif child.is_named and child.type not in ("comment", "case_item"):
                self._words.fields(child, state)
        return ends

    def _run_item(self, node: Node, state: ShellState, piped: Piped) -> None:
        for child in node.children:
            if not child.is_named or child.type == "comment":
                continue
            if _is_statement(child):
                self._run(child, state, piped)
                state.settle()
            else:
                self._words.fields(child, state)

    def _for(self, node: Node, state: ShellState, piped: Piped) -> bool:
        name = node.child_by_field_name("variable")
        body = node.child_by_field_name("body")
        given = [c for c in node.named_children if c not in (name, body) and c.type != "comment"]
        values = [word for child in given for word in self._words.fields(child, state)]
        if name is None or body is None:
            raise Unreadable("cannot be read as a shell command")
        variable = (name.text or b"").decode()
        part = Part(("for", variable))
        self._found.parts.append(part)
        if self._variables.matters(variable):
            part.changes = True
        if not values or len(values) > MOST_ROUNDS:
            values = [UNKNOWN]
        self._rounds(body, state, [(variable, value) for value in values], piped)
        return False

    def _loop(self, node: Node, state: ShellState, piped: Piped) -> bool:
        if node.type == "c_style_for_statement":
            header = [child for child in node.children if child.type != "do_group"]
            counted = [n for child in header for n in descendants(child)]
            names = [n.text or b"" for n in counted if n.type == "variable_name"]
            state.variables.update({name.decode(): TOKEN for name in names})
        self._rounds(node, state, [], piped)
        return False

    def _rounds(
        self, node: Node, state: ShellState, values: list[tuple[str, str]], piped: Piped
    ) -> None:
        """Once for each value, and once more where a round ends elsewhere than it began."""
        start = state.cwds
        for name in self._variables.assigned_in(node):
            state.variables[name] = UNKNOWN
        before = state.fork()
        for name, value in values or [("", "")]:
            if name:
                state.variables[name] = value
            self._run_item(node, state, piped)
        if state.cwds != start:
            again = state.cwds
            self._run_item(node, state, piped)
            if state.cwds != again:
                raise Unreadable(f"changes its directory in a loop: {again[0]}")
        state.become(before, state.fork())

    def _function(self, node: Node, state: ShellState, piped: Piped) -> bool:
        """JudgedCall where it is defined, whoever calls it with whatever."""
        name = node.child_by_field_name("name")
        inner = state.fork()
        inner.variables.update(dict.fromkeys("123456789", UNKNOWN))
        redirects = [c for c in node.children if c.type.endswith("_redirect")]
        part = Part(("function",))
        self._found.parts.append(part)
        extra = self._redirects.judge(redirects, self._call([], inner, part, ""))
        if extra.words or extra.rest or name is None:
            raise Unreadable("cannot be read as a shell command")
        body = node.child_by_field_name("body")
        if body is not None:
            self._run(body, inner, "unknown")
            if inner.cwds != state.cwds:
                raise Unreadable("changes its directory in a function")
        for changed in self._variables.assigned_in(node):
            state.variables[changed] = UNKNOWN
        return False

    def _assigned(self, node: Node, state: ShellState, piped: Piped) -> bool:
        part = Part((node.type,))
        self._met.add(node.id)
        self._found.parts.append(part)
        self._variables.declare(node, state, part)
        return False


def _statements(node: Node) -> list[Node]:
    return [child for child in node.named_children if child.type != "comment"]


_STATEMENTS = frozenset(
    [
        *("command", "test_command", "redirected_statement", "pipeline", "list", "subshell"),
        *("if_statement", "case_statement", "for_statement", "while_statement", "do_group"),
        *("c_style_for_statement", "function_definition", "variable_assignment"),
        *("variable_assignments", "declaration_command", "unset_command", "negated_command"),
        *("compound_statement",),
    ]
)


def _is_statement(node: Node) -> bool:
    return node.type in _STATEMENTS


def _is_move(node: Node) -> bool:
    """A plain `cd`: where it fails, one is where one was."""
    name = node.child_by_field_name("name") if node.type == "command" else None
    return name is not None and name.text == b"cd"


def _leaves(node: Node) -> bool:
    """Whether a statement ends the shell that runs it: `exit 1`, `{ echo no; exit 1; }`."""
    while node.type == "compound_statement" and _statements(node):
        node = _statements(node)[-1]
    name = node.child_by_field_name("name") if node.type == "command" else None
    return name is not None and name.text in (b"exit", b"return")


def _require_plain_gaps(node: Node) -> None:
    """Words are apart where the shell would part them, and nowhere else."""
    source, position = node.text or b"", 0
    for child in node.children:
        gap = source[position : child.start_byte - node.start_byte]
        if gap.replace(b"\\\n", b"").strip(b" \t\n"):
            raise Unreadable("cannot be read as a shell command")
        position = child.end_byte - node.start_byte
