"""An agent's own settings for a session: which there are, and how ours are set by them."""

from __future__ import annotations

from typing import Any

from acp import schema

from manyhands.agents.acp.connection import AcpLine
from manyhands.errors import NotPossible

MODEL = ("model",)
EFFORT = ("thought_level", "thinking")
"""The second is mistral-vibe's own."""


class Options:
    """Older agents have no config options but a list of models apart; both are `model` here."""

    def __init__(self, line: AcpLine, session: str) -> None:
        self._line = line
        self._session = session
        self._settings: dict[str, schema.SessionConfigOptionSelect] = {}
        self._old_models: tuple[str, ...] = ()
        self._first_effort = ""

    def learn(self, options: list[Any] | None) -> None:
        for option in options or ():
            if isinstance(option, schema.SessionConfigOptionSelect):
                self._settings[option.id] = option
        if not self._first_effort and (setting := self._by_category(EFFORT)):
            self._first_effort = setting.current_value

    def learn_old(self, opened: dict[str, Any]) -> None:
        models = (opened.get("models") or {}).get("availableModels") or ()
        self._old_models = tuple(str(model.get("modelId", "")) for model in models)

    @property
    def models(self) -> tuple[str, ...]:
        setting = self._by_category(MODEL)
        return _values(setting) if setting else self._old_models

    @property
    def model(self) -> str:
        setting = self._by_category(MODEL)
        return setting.current_value if setting else ""

    async def set_model(self, model: str) -> None:
        if setting := self._by_category(MODEL):
            await self._set(setting, model)
        elif self._old_models:
            params = {"sessionId": self._session, "modelId": model}
            await self._line.ask_plainly("session/set_model", params)
        else:
            raise NotPossible("this agent does not let its model be chosen")

    async def set_effort(self, effort: str) -> None:
        """ "" is what the agent had by itself."""
        setting = self._by_category(EFFORT)
        if setting is None and effort:
            raise NotPossible("this agent has no levels of effort for this model")
        if setting is not None:
            await self._set(setting, effort or self._first_effort)

    async def set(self, id: str, value: str) -> None:
        """One that we know of this agent; raises where this version of it has none."""
        setting = self._settings.get(id)
        if setting is None:
            raise NotPossible(f"this version of the agent has no option {id!r}")
        await self._set(setting, value)

    async def _set(self, setting: schema.SessionConfigOptionSelect, value: str) -> None:
        if value == setting.current_value:
            return
        if value not in _values(setting):
            offered = ", ".join(_values(setting))
            raise NotPossible(
                f"the agent has no {setting.id} {value!r}", hint=f"offered: {offered}"
            )
        request = schema.SetSessionConfigOptionSelectRequest(
            config_id=setting.id, session_id=self._session, value=value
        )
        answer = await self._line.ask(
            "session/set_config_option", request, schema.SetSessionConfigOptionResponse
        )
        self.learn(answer.config_options)

    def _by_category(self, names: tuple[str, ...]) -> schema.SessionConfigOptionSelect | None:
        return next((s for s in self._settings.values() if _category(s) in names), None)


def _category(option: schema.SessionConfigOptionSelect) -> str:
    return option.category if isinstance(option.category, str) else option.id


def _values(option: schema.SessionConfigOptionSelect) -> tuple[str, ...]:
    found: list[str] = []
    for entry in option.options:
        if isinstance(entry, schema.SessionConfigSelectGroup):
            found += [choice.value for choice in entry.options]
        else:
            found.append(entry.value)
    return tuple(found)
