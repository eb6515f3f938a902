"""Writes the page's TypeScript types from the Python model, so that both sides share one truth.

`python scripts/generate_types.py` writes the file; with `--check` it only says whether it is fresh.
"""

from __future__ import annotations

import argparse
import inspect
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import UnionType
from typing import Any, Literal, get_args, get_origin

import msgspec
from msgspec import inspect as reflect

from manyhands.hub import review, review_diff
from manyhands.model import anchor, attention, events, live, session, views

TARGET = Path(__file__).resolve().parent.parent / "web" / "src" / "api" / "types.gen.ts"
HEADER = """\
// Generated from the Python model by scripts/generate_types.py. Do not edit.
"""
MODULES = (attention, events, live, session, views, anchor, review, review_diff)
VIEWS = (
    views.SessionView,
    views.RepoView,
    views.AgentView,
    review.ReviewView,
    review_diff.Listing,
    review_diff.Contents,
)
UNIONS = {"AnyEvent": events.AnyEvent, "AnyLive": live.AnyLive}
# Left out of a stored event where they are defaults, but the hub always sends them.
ENVELOPE = frozenset({"seq", "at"})
PLAIN: tuple[tuple[type[reflect.Type], str], ...] = (
    (reflect.AnyType, "unknown"),
    (reflect.BoolType, "boolean"),
    (reflect.IntType, "number"),
    (reflect.FloatType, "number"),
    (reflect.StrType, "string"),
    (reflect.NoneType, "null"),
)


def literal_names() -> dict[frozenset[str], str]:
    """The model's named literals; a literal's name is its meaning, so the page keeps it."""
    found: dict[frozenset[str], str] = {}
    for module in MODULES:
        for name, value in vars(module).items():
            if get_origin(value) is Literal:
                prefix = "Attention" if module is attention else ""
                found.setdefault(frozenset(get_args(value)), prefix + name)
    return found


class Writer:
    """Renders structs in the order in which they are met, each once."""

    def __init__(self) -> None:
        self.names = literal_names()
        self.literals: dict[str, str] = {}
        self.structs: dict[str, str] = {}

    def render(self, kind: reflect.Type) -> str:
        for plain, name in PLAIN:
            if isinstance(kind, plain):
                return name
        match kind:
            case reflect.LiteralType(values):
                return self.literal(values)
            case reflect.UnionType(types):
                return " | ".join(self.render(part) for part in types)
            case reflect.DictType(key_type=key, value_type=value):
                return f"Record<{self.render(key)}, {self.render(value)}>"
            case reflect.VarTupleType(item_type=item) | reflect.ListType(item_type=item):
                inner = self.render(item)
                return f"readonly ({inner})[]" if "|" in inner else f"readonly {inner}[]"
            case reflect.StructType():
                return self.struct(kind)
        raise TypeError(f"no TypeScript for {kind!r}")

    def literal(self, values: Iterable[Any]) -> str:
        text = " | ".join(msgspec.json.encode(value).decode() for value in values)
        name = self.names.get(frozenset(values))
        if name is None:
            return text
        self.literals[name] = f"export type {name} = {text};\n"
        return name

    def struct(self, kind: reflect.StructType) -> str:
        name = kind.cls.__name__
        if name not in self.structs:
            self.structs[name] = ""  # met: a struct may hold itself
            self.structs[name] = self.body(kind, name)
        return name

    def body(self, kind: reflect.StructType, name: str) -> str:
        lines = [f"export interface {name} {{"]
        if kind.tag_field is not None:
            lines.append(f"  readonly {kind.tag_field}: {msgspec.json.encode(kind.tag).decode()};")
        omits = kind.cls.__struct_config__.omit_defaults
        for field in kind.fields:
            may_miss = omits and not field.required and field.encode_name not in ENVELOPE
            mark = "?" if may_miss else ""
            lines.append(f"  readonly {field.encode_name}{mark}: {self.field(kind, field)};")
        return doc(kind.cls) + "\n".join([*lines, "}"]) + "\n"

    def field(self, kind: reflect.StructType, field: reflect.Field) -> str:
        is_live = issubclass(kind.cls, live.LiveFrame) and field.name == "live"
        return "true" if is_live else self.render(field.type)


def doc(cls: type) -> str:
    text = cls.__dict__.get("__doc__") or ""
    line = " ".join(inspect.cleandoc(text).split("\n\n")[0].split())
    return f"/** {line} */\n" if line else ""


def union(name: str, members: UnionType, writer: Writer) -> str:
    parts = [writer.render(reflect.type_info(member)) for member in get_args(members)]
    return f"export type {name} =\n" + "\n".join(f"  | {part}" for part in parts) + ";\n"


def typescript() -> str:
    writer = Writer()
    unions = [union(name, members, writer) for name, members in UNIONS.items()]
    for view in VIEWS:
        writer.render(reflect.type_info(view))
    return "\n".join([HEADER, *writer.literals.values(), *writer.structs.values(), *unions])


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="exit 1 if the file is stale")
    chosen = parser.parse_args(argv)
    wanted = typescript()
    if chosen.check:
        return 0 if TARGET.is_file() and TARGET.read_text(encoding="utf-8") == wanted else 1
    TARGET.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
