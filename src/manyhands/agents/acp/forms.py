"""An agent's form as questions to a person, and the person's answer as the form's content."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from manyhands.model.attention.attention import Resolution

YES, NO = "Yes", "No"
OTHER = "None of the above"
"""The choice that stands for an answer in words, where a form has no better place for them."""

Content = dict[str, str | int | float | bool | list[str]]


@dataclass(frozen=True)
class FormField:
    name: str
    kind: str
    question: str
    header: str
    required: bool
    choices: tuple[tuple[Any, str, str], ...] = ()
    """Value, label and description of each."""
    many: bool = False

    def as_question(self) -> dict[str, Any]:
        return {
            "question": self.question,
            "header": self.header,
            "multiSelect": self.many,
            "options": [{"label": label, "description": about} for _, label, about in self.choices],
        }


def fields(message: str, schema: dict[str, Any]) -> list[FormField]:
    """In the form's own order; those in words after those with choices."""
    required = set(schema.get("required") or ())
    found = [
        _field(name, property, message, required=name in required)
        for name, property in (schema.get("properties") or {}).items()
    ]
    return sorted(found, key=lambda field: not field.choices)


def _field(name: str, property: dict[str, Any], message: str, *, required: bool) -> FormField:
    kind = str(property.get("type", "string"))
    question, header = _texts(property)
    return FormField(
        name=name,
        kind=kind,
        question=question or message or name,
        header=header or name,
        required=required,
        choices=_choices(kind, property),
        many=kind == "array",
    )


def _texts(property: dict[str, Any]) -> tuple[str, str]:
    """The question and its heading: some agents put the one into the title, some the other."""
    title, about = (str(property.get(key) or "") for key in ("title", "description"))
    if about.endswith("?") and not title.endswith("?"):
        return about, title
    return title or about, about


def _choices(kind: str, property: dict[str, Any]) -> tuple[tuple[Any, str, str], ...]:
    if kind == "boolean":
        return ((True, YES, ""), (False, NO, ""))
    source = property.get("items") or {} if kind == "array" else property
    titled = source.get("oneOf") or source.get("anyOf") or ()
    if titled:
        return tuple(
            (c.get("const"), str(c.get("title") or c.get("const")), str(c.get("description") or ""))
            for c in titled
        )
    return tuple((value, str(value), "") for value in source.get("enum") or ())


def questions(found: list[FormField]) -> list[dict[str, Any]]:
    """What to ask. Room for words that nobody has to fill is no question beside choices."""
    asked = [field for field in found if field.choices or field.required] or found[:1]
    return [field.as_question() for field in asked]


def filled(found: list[FormField], resolution: Resolution) -> Content:
    """The form's content: chosen values, and words where they fit best."""
    content: Content = {}
    asked = [field for field in found if field.choices or field.required] or found[:1]
    for number, field in enumerate(asked, 1):
        chosen = [
            value
            for position, (value, _, _) in enumerate(field.choices, 1)
            if f"q{number}.{position}" in resolution.options
        ]
        if chosen:
            content[field.name] = [str(value) for value in chosen] if field.many else chosen[0]
    if resolution.text:
        _put_words(found, content, resolution.text)
    return content


def _put_words(found: list[FormField], content: Content, text: str) -> None:
    room = [field for field in found if not field.choices and field.name not in content]
    for field in found:
        others = [value for value, label, _ in field.choices if label == OTHER]
        if field.required and field.choices and field.name not in content and others:
            content[field.name] = others[0]
    if room:
        best = next((field for field in room if field.required), room[0])
        content[best.name] = _typed(best, text)


def _typed(field: FormField, text: str) -> str | int | float:
    if field.kind not in ("integer", "number"):
        return text
    try:
        return int(text) if field.kind == "integer" else float(text)
    except ValueError:
        return text
