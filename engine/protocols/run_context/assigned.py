"""Settings of a protocol as `--set` assignments."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from engine.core.json_types import Plain
from engine.core.settings import Settings


def assignments(protocol: Settings) -> list[str]:
    """Return every setting that differs from its default, as "algorithm.iterations=4".

    Parameters
    ----------
    protocol
        protocol or any other settings

    Returns
    -------
    assignments
        assignments in the order in which `--set` must apply them
    """
    defaults = type(protocol)()
    return _differences(protocol.model_dump(mode="json"), defaults.model_dump(mode="json"))


def _differences(values: Plain, defaults: Plain, prefix: str = "") -> list[str]:
    found: list[str] = []
    # Another kind resets its group on the command line, so it must come before its own settings.
    if values.get("kind") != defaults.get("kind"):
        found.append(f"{prefix}kind={_toml(values['kind'])}")
        # Compare with the defaults of that kind from here on, of which only the kind is known.
        defaults = {"kind": values["kind"]}
    for key, value in values.items():
        # TOML has no null: a setting that is None can only be left out.
        if isinstance(value, dict) and isinstance(defaults.get(key), dict):
            found += _differences(value, defaults[key], f"{prefix}{key}.")
        elif value is not None and value != defaults.get(key):
            found.append(f"{prefix}{key}={_toml(value)}")
    return found


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        pairs = (f"{key} = {_toml(item)}" for key, item in value.items() if item is not None)
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    return json.dumps(value)
