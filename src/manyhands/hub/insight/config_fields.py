"""The user's settings as fields that a form can show: name, kind, value, default and meaning.

They are read from the structs that the config is parsed with, so a new setting is in the form
by being a setting. Its meaning is the line that stands under it in the source.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import inspect as reflect

from manyhands.config import Settings
from manyhands.contract.hub import Field, FieldKind


def fields(settings: Settings, given: dict[str, Any]) -> list[Field]:
    """`given` is the file as parsed; tables of free names (agents) are not for a form."""
    found: list[Field] = []
    info = reflect.type_info(Settings)
    assert isinstance(info, reflect.StructType)
    for section in info.fields:
        if isinstance(section.type, reflect.StructType):
            values = getattr(settings, section.name)
            found += _section(section.encode_name, section.type, values, given)
    return found


def _section(
    name: str, kind: reflect.StructType, values: Any, given: dict[str, Any]
) -> Iterator[Field]:
    says = _meanings(kind.cls)
    table = given.get(name, {})
    for field in kind.fields:
        plain, optional = _without_none(field.type)
        yield Field(
            key=f"{name}.{field.encode_name}",
            kind=_kind(plain),
            value=msgspec.to_builtins(getattr(values, field.name)),
            default=msgspec.to_builtins(_default(field)),
            given=field.encode_name in table,
            optional=optional,
            choices=_words(plain.value_type if isinstance(plain, reflect.DictType) else plain),
            names=_words(plain.key_type) if isinstance(plain, reflect.DictType) else (),
            says=says.get(field.name, ""),
        )


def _default(field: reflect.Field) -> Any:
    if field.default is not msgspec.NODEFAULT:
        return field.default
    return None if field.default_factory is msgspec.NODEFAULT else field.default_factory()


def _without_none(kind: reflect.Type) -> tuple[reflect.Type, bool]:
    if isinstance(kind, reflect.UnionType):
        rest = [part for part in kind.types if not isinstance(part, reflect.NoneType)]
        return (rest[0] if len(rest) == 1 else kind), len(rest) < len(kind.types)
    return kind, False


def _words(kind: reflect.Type) -> tuple[str, ...]:
    """Those that a type of nothing but words allows."""
    if isinstance(kind, reflect.UnionType):
        return tuple(word for part in kind.types for word in _words(part))
    values = kind.values if isinstance(kind, reflect.LiteralType) else ()
    return tuple(value for value in values if isinstance(value, str))


def _kind(kind: reflect.Type) -> FieldKind:
    match kind:
        case reflect.LiteralType() if _words(kind):
            return "choice"
        case reflect.DictType(key_type=names, value_type=value) if _words(names) and _words(value):
            return "table"
        case reflect.BoolType():
            return "switch"
        case reflect.IntType():
            return "integer"
        case reflect.FloatType():
            return "number"
        case reflect.StrType():
            return "text"
        case reflect.VarTupleType(item_type=reflect.StrType()):
            return "list"
        case _:
            return "other"


def _meanings(cls: type) -> dict[str, str]:
    """The string under each field of a struct, as its reader in the source sees it."""
    body = ast.parse(textwrap.dedent(inspect.getsource(cls))).body[0]
    assert isinstance(body, ast.ClassDef)
    found = {}
    for statement, below in zip(body.body, body.body[1:], strict=False):
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            match below:
                case ast.Expr(value=ast.Constant(value=str(text))):
                    found[statement.target.id] = " ".join(text.split())
    return found
