"""Writes the page's TypeScript types from the events and the router, so that all share one truth.

`python scripts/generate_types.py` writes the file; with `--check` it only says whether it is fresh.
"""

from __future__ import annotations

import argparse
import inspect
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec
from litestar.handlers import HTTPRouteHandler
from litestar.params import QueryParameter
from litestar.response import Response
from litestar.routes import HTTPRoute
from litestar.types import Empty
from msgspec import inspect as reflect

from manyhands.api.app import routes
from manyhands.contract import files, hub, landing, review, sessions
from manyhands.contract.live import REVOKED, Piece, Wishes
from manyhands.model import events, live
from manyhands.model.attention import attention
from manyhands.model.landing import events as landing_events
from manyhands.model.landing import merge_events
from manyhands.model.radar import events as radar_events
from manyhands.model.radar import hunks as radar_hunks
from manyhands.model.review import anchor
from manyhands.model.session import session

TARGET = Path(__file__).resolve().parent.parent / "web" / "src" / "api" / "types.gen.ts"
HEADER = f"""\
// Generated from the Python model by scripts/generate_types.py. Do not edit.

export const REVOKED = {REVOKED};
"""
MODULES = (
    *(attention, events, live, session, sessions, anchor, review),
    *(files, hub, landing, merge_events, radar_events, radar_hunks, landing_events),
)
UNIONS = {"AnyEvent": events.AnyEvent, "AnyLive": live.AnyLive}
SAID = (Wishes, Piece, hub.Failure)
"""What goes over the socket, and every refusal."""
NOTHING = "export type Nothing = Readonly<Record<string, never>>;\n"
# Left out of a stored event where they are defaults, but the hub always sends them.
ENVELOPE = frozenset({"seq", "at"})
PLAIN: tuple[tuple[type[reflect.Type], str], ...] = (
    (reflect.AnyType, "unknown"),
    (reflect.CustomType, "unknown"),
    (reflect.BoolType, "boolean"),
    (reflect.IntType, "number"),
    (reflect.FloatType, "number"),
    (reflect.StrType, "string"),
    (reflect.NoneType, "null"),
    (reflect.RawType, "AnyEvent | AnyLive"),
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
                compound = "|" in inner or inner.startswith("readonly")
                return f"readonly ({inner})[]" if compound else f"readonly {inner}[]"
            case reflect.TupleType(item_types=items):
                return f"readonly [{', '.join(self.render(item) for item in items)}]"
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
        # Of a request, which knows all its fields, what has a default may be left out.
        config = kind.cls.__struct_config__
        omits = config.omit_defaults or config.forbid_unknown_fields
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


def handlers() -> Iterator[tuple[str, str, HTTPRouteHandler]]:
    """Each route of the API with its method; nothing of it is asked, so it needs no hub."""
    for route in routes().routes:
        if isinstance(route, HTTPRoute) and route.path_format.startswith("/api/"):
            for handler in route.route_handlers:
                for method in handler.http_methods & {"GET", "POST"}:
                    yield route.path_format.removeprefix("/api"), str(method), handler


def route_table(writer: Writer) -> str:
    """What each route takes and gives, by method and path."""
    tables: dict[str, list[str]] = {"GET": [], "POST": []}
    for path, method, handler in sorted(handlers(), key=lambda found: found[:2]):
        if not path.startswith("/openapi"):
            tables[method].append(f'  readonly "{path}": {{ {entry(handler, writer)} }};')
    return "\n".join(
        f"export interface {name} {{\n" + "\n".join(tables[method]) + "\n}\n"
        for name, method in (("Reads", "GET"), ("Commands", "POST"))
    )


def entry(handler: HTTPRouteHandler, writer: Writer) -> str:
    signature = handler.parsed_fn_signature
    given = signature.parameters.get("data")
    body = writer.render(reflect.type_info(plain(given.annotation))) if given else "null"
    answer = plain(signature.return_type.annotation)
    # Events go out as they are stored; `null` is no answer at all.
    if get_origin(answer) is Response:
        told = "readonly AnyEvent[]" if get_args(answer) == (bytes,) else "null"
    else:
        told = writer.render(reflect.type_info(answer))
    asked = (
        f"body: {body}" if "POST" in handler.http_methods else f"query: {query(handler, writer)}"
    )
    return f"readonly {asked}; readonly answer: {told}"


def query(handler: HTTPRouteHandler, writer: Writer) -> str:
    asked = []
    for field in handler.parsed_fn_signature.parameters.values():
        for mark in get_args(field.raw)[1:] if get_origin(field.raw) is Annotated else ():
            if isinstance(mark, QueryParameter):
                may_miss = "" if field.default is Empty else "?"
                kind = writer.render(reflect.type_info(plain(field.annotation)))
                asked.append(f"readonly {mark.name or field.name}{may_miss}: {kind}")
    return "{ " + "; ".join(asked) + " }" if asked else "Nothing"


def plain(annotation: Any) -> Any:
    return get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation


def typescript() -> str:
    writer = Writer()
    unions = [union(name, members, writer) for name, members in UNIONS.items()]
    table = route_table(writer)
    for said in SAID:
        writer.render(reflect.type_info(said))
    return "\n".join(
        [HEADER, *writer.literals.values(), *writer.structs.values(), *unions, NOTHING, table]
    )


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
