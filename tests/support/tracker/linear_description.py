"""Linear's API as its own SDK knows it: a GraphQL schema made out of the SDK's published types."""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

import graphql

from tests.support.published import load_published

SDK = (
    "@linear/sdk@98.0.0",
    "fd1737a0cc4fe6ede4374878c8bf2d80dac27163bf593495f3673774e20095cc",
    "package/dist/index-D2pH4Pk9.d.mts",
)
ROOTS = {
    "Query": {"issues", "searchIssues", "issue", "teams"},
    "Mutation": {"issueUpdate", "commentCreate", "issueCreate"},
}
OBJECTS = (
    *("Issue", "IssueConnection", "IssueSearchPayload", "IssueSearchResult", "PageInfo"),
    *("Team", "TeamConnection", "WorkflowState", "WorkflowStateConnection", "User", "ActorBot"),
    *("Comment", "CommentConnection", "IssueLabel", "IssueLabelConnection"),
    *("IssuePayload", "CommentPayload"),
)
"""What is looked at; of these every field that leads to another of them, or to a plain value."""
BUILT_IN = {"ID", "String", "Boolean", "Int", "Float"}
_TYPE = re.compile(r"^type (\w+) = (?:\w+ & )*\{\n(.*?)^\};", re.MULTILINE | re.DOTALL)
_ENUM = re.compile(r"^declare enum (\w+) \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r"^  (\w+)(\?)?: ([^;]+);$", re.MULTILINE)
_VALUE = re.compile(r'= "([^"]+)"')
_NOTE = re.compile(r"/\*\*.*?\*/", re.DOTALL)


class Field(NamedTuple):
    name: str
    type: str
    """As GraphQL writes it."""
    inner: str


@functools.cache
def schema() -> graphql.GraphQLSchema:
    return graphql.build_schema(_written(), no_location=True)


def _written() -> str:
    text = _NOTE.sub("", load_published(*SDK).decode())
    types = {name: _fields(body) for name, body in _TYPE.findall(text)}
    enums = {name: _VALUE.findall(body) for name, body in _ENUM.findall(text)}
    kept, found = {*OBJECTS, *enums}, list[str]()
    named: set[str] = set()
    for name in (*ROOTS, *OBJECTS):
        lines = []
        for field in types[name]:
            is_plain = field.inner in kept or field.inner not in types
            if field.name not in ROOTS.get(name, {field.name}) or not is_plain:
                continue
            asked = types.get(f"{name}{field.name[0].upper()}{field.name[1:]}Args", [])
            named |= {field.inner, *(one.inner for one in asked)}
            given = ", ".join(f"{one.name}: {one.type}" for one in asked)
            lines.append(f"  {field.name}{f'({given})' if given else ''}: {field.type}")
        found.append(f"type {name} {{\n" + "\n".join(lines) + "\n}")
    return "\n".join([*found, *_inputs(types, enums, named)])


def _inputs(
    types: dict[str, list[Field]], enums: dict[str, list[str]], named: set[str]
) -> list[str]:
    """All that an argument can be, whatever we make of it."""
    made: list[str] = []
    known = {*OBJECTS, *BUILT_IN}
    while left := named - known:
        name = min(left)
        known.add(name)
        if name in enums:
            made.append(f"enum {name} {{ {' '.join(enums[name])} }}")
        elif name in types:
            fields = "\n".join(f"  {one.name}: {one.type}" for one in types[name])
            made.append(f"input {name} {{\n{fields}\n}}")
            named |= {one.inner for one in types[name]}
        else:
            made.append(f"scalar {name}")
    return made


def _fields(body: str) -> list[Field]:
    return [
        Field(name, *_type(written, bool(optional)))
        for name, optional, written in _FIELD.findall(body)
        if name != "__typename"
    ]


def _type(written: str, optional: bool) -> tuple[str, str]:
    if found := re.fullmatch(r"(?:Input)?Maybe<(.*)>", written, re.DOTALL):
        shown, inner = _type(found[1], True)
        return shown, inner
    end = "" if optional else "!"
    if found := re.fullmatch(r"Array<(.*)>", written, re.DOTALL):
        shown, inner = _type(found[1], False)
        return f"[{shown}]{end}", inner
    found = re.fullmatch(r'Scalars\["(\w+)"\]', written)
    name = found[1] if found else written.strip()
    return f"{name}{end}", name if re.fullmatch(r"\w+", name) else "String"
