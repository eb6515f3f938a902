"""Neon's published API description, and requests and answers held against it."""

from __future__ import annotations

import importlib
import re
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from tests.support.published import load_published

PUBLISHED = (
    "@neondatabase/api-client@2.7.3",
    "28368170b48c30a77b1413782f8dcfee02535f4088fdd084bb259bf994568558",
    "package/public-v2-for-users.gen.yaml",
)
NAME = "neon"

# Neither brings types of its own.
yaml: Any = importlib.import_module("yaml")
jsonschema: Any = importlib.import_module("jsonschema")
referencing: Any = importlib.import_module("referencing")
draft4: Any = importlib.import_module("referencing.jsonschema").DRAFT4


class Description:
    """What may be asked and answered; each complaint is one sentence."""

    def __init__(self) -> None:
        self.document = _absolute(yaml.load(load_published(*PUBLISHED), yaml.CSafeLoader))
        resource = referencing.Resource(contents=self.document, specification=draft4)
        self._registry = referencing.Registry().with_resource(NAME, resource)

    def operation(self, method: str, path: str) -> tuple[str, dict[str, str]] | None:
        """The described path that fits, and what stands for its parameters."""
        for template, operations in self.document["paths"].items():
            pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(template))
            found = re.fullmatch(pattern, path)
            if found and method.lower() in operations:
                return template, {k: unquote(v) for k, v in found.groupdict().items()}
        return None

    def complaints(self, method: str, target: str, headers: Any, body: Any) -> list[str]:
        parts = urlsplit(target)
        found = self.operation(method, parts.path)
        if found is None:
            return [f"{method} {parts.path} is not described"]
        template, given = found
        if not re.fullmatch(r"Bearer \S+", headers.get("Authorization", "")):
            return ["no bearer token"]
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        wrong = self._parameters(template, method.lower(), given, query)
        return wrong + self._body(template, method.lower(), headers, body)

    def answer_complaints(self, template: str, method: str, status: int, body: Any) -> list[str]:
        answers = self.document["paths"][template][method.lower()]["responses"]
        key = next((k for k in answers if str(k) == str(status)), "default")
        where = ["paths", template, method.lower(), "responses", key]
        described = answers[key]
        if "$ref" in described:
            where = _steps(described["$ref"])
            described = self._at(where)
        if "content" not in described:
            return [] if body is None else [f"{status} has no body"]
        return self._against([*where, "content", "application/json", "schema"], body)

    def _parameters(
        self, template: str, method: str, path: dict[str, str], query: dict[str, str]
    ) -> list[str]:
        operations = self.document["paths"][template]
        listed = [*operations.get("parameters", []), *operations[method].get("parameters", [])]
        known = [self._at(_steps(p["$ref"])) if "$ref" in p else p for p in listed]
        wrong = [f"unknown query {n}" for n in query if ("query", n) not in _named(known)]
        for parameter in known:
            given = (path if parameter["in"] == "path" else query).get(parameter["name"])
            if given is None:
                if parameter.get("required"):
                    wrong.append(f"no {parameter['name']}")
                continue
            schema = parameter["schema"]
            value: Any = int(given) if schema.get("type") == "integer" else given
            wrong += [f"{parameter['name']}: {e.message}" for e in self._errors(schema, value)]
        return wrong

    def _body(self, template: str, method: str, headers: Any, body: Any) -> list[str]:
        described = self.document["paths"][template][method].get("requestBody")
        if described is None:
            return [] if body is None else ["a body where none is described"]
        if body is None:
            return ["no body"] if described.get("required") else []
        if headers.get("Content-Type") != "application/json":
            return ["the body is not said to be JSON"]
        where = ["paths", template, method, "requestBody", "content", "application/json", "schema"]
        schema = self._at(where)
        return self._against(where, body) + list(self._undescribed(schema, body, ""))

    def _against(self, where: list[Any], value: Any) -> list[str]:
        return [f"{e.json_path}: {e.message}" for e in self._errors(self._at(where), value)]

    def _errors(self, schema: Any, value: Any) -> list[Any]:
        validator = jsonschema.Draft4Validator(
            schema, registry=self._registry, format_checker=jsonschema.FormatChecker()
        )
        return list(validator.iter_errors(value))

    def _undescribed(self, schema: Any, value: Any, where: str) -> list[str]:
        """Fields that the description does not have; a schema alone would let them pass."""
        if isinstance(value, list):
            items = self._flat(schema).get("items", {})
            return [w for item in value for w in self._undescribed(items, item, f"{where}[]")]
        if not isinstance(value, dict):
            return []
        flat = self._flat(schema)
        if "additionalProperties" in flat:
            return []
        fields = flat.get("properties", {})
        wrong = [f"{where}.{name} is not described" for name in value if name not in fields]
        for name in value.keys() & fields.keys():
            wrong += self._undescribed(fields[name], value[name], f"{where}.{name}")
        return wrong

    def _flat(self, schema: Any) -> dict[str, Any]:
        if "$ref" in schema:
            return self._flat(self._at(_steps(schema["$ref"])))
        merged = dict(schema)
        for part in schema.get("allOf", []):
            flat = self._flat(part)
            merged = {**merged, **flat}
            both = (schema, *map(self._flat, schema["allOf"]))
            merged["properties"] = {k: v for s in both for k, v in s.get("properties", {}).items()}
        return merged

    def _at(self, where: list[Any]) -> Any:
        found: Any = self.document
        for step in where:
            found = found[step]
        return found


def _named(parameters: list[Any]) -> set[tuple[str, str]]:
    return {(p["in"], p["name"]) for p in parameters}


def _absolute(part: Any) -> Any:
    """The document with references that lead to it from anywhere."""
    if isinstance(part, list):
        return [_absolute(item) for item in part]
    if not isinstance(part, dict):
        return part
    return {
        key: f"{NAME}{value}" if key == "$ref" and isinstance(value, str) else _absolute(value)
        for key, value in part.items()
    }


def _steps(reference: str) -> list[str]:
    return reference.removeprefix(f"{NAME}#/").split("/")
