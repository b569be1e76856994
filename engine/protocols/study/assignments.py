"""Change a protocol by `--set` assignments."""

from __future__ import annotations

import tomllib
from typing import Any, TypeVar

from engine.core.errors import SettingsError
from engine.core.json_types import Plain
from engine.core.settings import Settings, parse

P = TypeVar("P", bound=Settings)


def with_settings(protocol: P, assignments: tuple[str, ...]) -> P:
    """Return the protocol changed by assignments such as "algorithm.iterations=4".

    Parameters
    ----------
    protocol
        protocol or any other settings
    assignments
        "KEY=VALUE" each, applied in order. A value is TOML; if it cannot be parsed, it is text

    Raises
    ------
    SettingsError
        if an assignment has no "=", names an unknown group, or gives an invalid value
    """
    values = protocol.model_dump(mode="json")
    for assignment in assignments:
        key, equals, text = assignment.partition("=")
        if not equals or not key:
            raise SettingsError(
                f"--set {assignment!r}: expected KEY=VALUE, for example algorithm.iterations=4."
            )
        _assign(values, key.strip().split("."), _value(text.strip()), assignment)
    # Validation runs once at the end: single assignments may be inconsistent on their own.
    return parse(type(protocol), values, where="settings")


def _value(text: str) -> Any:
    try:
        # Quotes around text are inconvenient in a shell, so bare words are accepted.
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _assign(values: Plain, keys: list[str], value: Any, assignment: str) -> None:
    for key in keys[:-1]:
        inner = values.get(key)
        if not isinstance(inner, dict):
            known = ", ".join(sorted(values))
            raise SettingsError(
                f"--set {assignment!r}: there is no group {key!r}; choose from {known}."
            )
        values = inner
    if keys[-1] == "kind" and values.get("kind") != value:
        values.clear()  # another kind has its own settings, at their defaults
    values[keys[-1]] = value
