"""Settings of a protocol as `--set` assignments."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from engine.core.json_types import Plain
from engine.core.settings import Settings


def assignments(protocol: Settings) -> list[str]:
    """Every setting that differs from the default, as "algorithm.iterations=4"."""
    usual = type(protocol)()
    return _differences(protocol.model_dump(mode="json"), usual.model_dump(mode="json"))


def _differences(values: Plain, usual: Plain, prefix: str = "") -> list[str]:
    found: list[str] = []
    if values.get("kind") != usual.get("kind"):
        found.append(f"{prefix}kind={_toml(values['kind'])}")
        usual = {"kind": values["kind"]}
    for key, value in values.items():
        if isinstance(value, dict) and isinstance(usual.get(key), dict):
            found += _differences(value, usual[key], f"{prefix}{key}.")
        elif value is not None and value != usual.get(key):
            found.append(f"{prefix}{key}={_toml(value)}")
    return found


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        pairs = (f"{key} = {_toml(item)}" for key, item in value.items() if item is not None)
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    return json.dumps(value)
