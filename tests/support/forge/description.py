"""A published description, and requests and answers held against it."""

from __future__ import annotations

import copy
import functools
import importlib
import json
import re
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

COMMON = (401, 403, 404, 429)
"""Any server may answer so."""
# Neither brings types of its own.
jsonschema: Any = importlib.import_module("jsonschema")
referencing: Any = importlib.import_module("referencing")
draft4: Any = importlib.import_module("referencing.jsonschema").DRAFT4


def _unless_null(keyword: str) -> Any:
    """OpenAPI 3.0 allows null by a word that JSON Schema does not know."""
    plain = jsonschema.Draft4Validator.VALIDATORS[keyword]

    def check(validator: Any, value: Any, instance: Any, schema: Any) -> Any:
        if instance is None and schema.get("nullable"):
            return ()
        return plain(validator, value, instance, schema) or ()

    return check


_WORDS = ("type", "enum", "allOf", "anyOf", "oneOf")
_Validator: Any = jsonschema.validators.extend(
    jsonschema.Draft4Validator, {word: _unless_null(word) for word in _WORDS}
)


class Published:
    """What may be asked and answered; each complaint is one sentence."""

    def __init__(self, name: str, document: bytes, near: tuple[str, ...]) -> None:
        self._name = f"urn:{name}"
        self._near = near
        self.document: dict[str, Any] = json.loads(document)
        resource = referencing.Resource(contents=self.document, specification=draft4)
        self._registry = referencing.Registry().with_resource(self._name, resource)

    @functools.cached_property
    def _patterns(self) -> dict[str, re.Pattern[str]]:
        """Of the few places that can be meant, so that a thousand others are not tried."""
        near = [t for t in self.document["paths"] if t.startswith(self._near)]
        named = (re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(t)) for t in near)
        return dict(zip(near, map(re.compile, named), strict=True))

    def operation(self, method: str, path: str) -> tuple[str, dict[str, str]] | None:
        """The described path that fits best, and what stands for its parameters."""
        fitting = []
        for template, pattern in self._patterns.items():
            found = pattern.fullmatch(path)
            if found and method.lower() in self.document["paths"][template]:
                fitting.append((template.count("{"), template, found.groupdict()))
        if not fitting:
            return None
        _, template, given = min(fitting, key=lambda one: one[0])
        return template, {k: unquote(v) for k, v in given.items()}

    def complaints(self, method: str, target: str, body: Any) -> list[str]:
        parts = urlsplit(target)
        found = self.operation(method, parts.path)
        if found is None:
            return [f"{method} {parts.path} is not described"]
        template, given = found
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        operation = self.document["paths"][template][method.lower()]
        wrong = self._parameters(operation, given, query)
        return wrong + self._body(template, method.lower(), operation, body)

    def answer_complaints(self, template: str, method: str, status: int, body: Any) -> list[str]:
        """Only of what is described: any server may answer 401 or 500."""
        where = ["paths", template, method.lower(), "responses", str(status)]
        described = self._at(where[:-1]).get(str(status))
        if described is None:
            return [] if status in COMMON or status >= 500 else [f"{status} is not described"]
        if "$ref" in described:
            where = described["$ref"].removeprefix("#/").split("/")
            described = self._at(where)
        if "application/json" not in described.get("content", {}):
            return []
        return self._against([*where, "content", "application/json", "schema"], body)

    def example(self, template: str, method: str, status: int = 200) -> Any:
        """The vendor's own example of an answer."""
        answer = self._at(["paths", template, method, "responses", str(status)])
        first = next(iter(answer["content"]["application/json"]["examples"].values()))
        if "$ref" in first:
            first = self._at(first["$ref"].removeprefix("#/").split("/"))
        return copy.deepcopy(first["value"])

    def _parameters(self, operation: Any, path: dict[str, str], query: dict[str, str]) -> list[str]:
        known = [self._resolved(p) for p in operation.get("parameters", [])]
        names = {(p["in"], p["name"]) for p in known}
        wrong = [f"unknown query {n}" for n in query if ("query", n) not in names]
        for parameter in known:
            given = (path if parameter["in"] == "path" else query).get(parameter["name"])
            if given is None:
                if parameter.get("required"):
                    wrong.append(f"no {parameter['name']}")
                continue
            schema = self._resolved(parameter["schema"])
            value: Any = int(given) if schema.get("type") == "integer" else given
            wrong += [f"{parameter['name']}: {e.message}" for e in self._errors(schema, value)]
        return wrong

    def _body(self, template: str, method: str, operation: Any, body: Any) -> list[str]:
        described = operation.get("requestBody")
        if described is None:
            return [] if body is None else ["a body where none is described"]
        where = ["paths", template, method, "requestBody"]
        if "$ref" in described:
            where = described["$ref"].removeprefix("#/").split("/")
            described = self._at(where)
        if body is None:
            return ["no body"] if described.get("required") else []
        where += ["content", "application/json", "schema"]
        fields = self._resolved(self._at(where)).get("properties", {})
        unknown = [f"{n} is not described" for n in body if fields and n not in fields]
        return unknown + self._against(where, body)

    def _against(self, where: list[str], value: Any) -> list[str]:
        pointer = "/".join(step.replace("~", "~0").replace("/", "~1") for step in where)
        return [
            f"{e.json_path}: {e.message[:200]}"
            for e in self._errors({"$ref": f"{self._name}#/{pointer}"}, value)
        ]

    def _errors(self, schema: Any, value: Any) -> list[Any]:
        return list(_Validator(schema, registry=self._registry).iter_errors(value))

    def _resolved(self, part: Any) -> Any:
        return self._at(part["$ref"].removeprefix("#/").split("/")) if "$ref" in part else part

    def _at(self, where: list[str]) -> Any:
        found: Any = self.document
        for step in where:
            found = found[step]
        return found
