"""The base of all settings: frozen, checked once, every number bounded and with its unit.

Forms in the window, protocol files, command-line options and provenance all come from these
classes, so a label, a unit or a bound is written once.
"""

from __future__ import annotations

from typing import Any, TypeVar

import tomli_w
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine.core.errors import SettingsError
from engine.core.json_types import Plain

S = TypeVar("S", bound="Settings")


class Settings(BaseModel):
    """Frozen values that refuse unknown keys, NaN and infinity."""

    # built when first used: most programs use few of all settings there are
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True)

    def usual(self, voxel_mm: tuple[float, float, float]) -> dict[str, str]:
        """Return what fields left out mean on voxels of this size, by their names, in words."""
        return {}


def setting(
    default: Any = ...,
    description: str = "",
    *,
    label: str = "",
    unit: str = "",
    expert: bool = False,
    empty: str = "",
    **bounds: Any,
) -> Any:
    """Describe one settings field: what a form shows, with its bounds (`ge`, `gt`, `le`, ...).

    `empty` says in a few words what a field that is left out means.
    """
    extra: Plain = {"label": label, "unit": unit, "expert": expert, "empty": empty}
    return Field(default, description=description, json_schema_extra=extra, **bounds)


def explain(error: ValidationError, values: Any = None) -> str:
    """All faults of a settings value in one sentence: where, what is wanted, what was given."""
    faults = []
    for fault in error.errors(include_url=False):
        where = _key(fault["loc"], values) or "settings"
        if fault["type"] == "extra_forbidden":
            faults.append(f"unknown key {where!r}")
        elif fault["type"] == "missing":
            faults.append(f"{where!r} is missing")
        else:
            got = "" if isinstance(fault["input"], dict) else f", got {fault['input']!r}"
            faults.append(f"{where}: {fault['msg'][0].lower()}{fault['msg'][1:]}{got}")
    return "; ".join(faults)


def _key(location: tuple[int | str, ...], values: Any) -> str:
    """Return the dotted key, without the tags pydantic adds for the kinds of a union."""
    parts = []
    for part in location:
        if isinstance(values, dict) and part not in values and values.get("kind") == part:
            continue
        parts.append(str(part))
        values = values[part] if _holds(values, part) else None
    return ".".join(parts)


def _holds(values: Any, part: int | str) -> bool:
    if isinstance(values, dict):
        return part in values
    return isinstance(values, (list, tuple)) and isinstance(part, int) and part < len(values)


def parse(kind: type[S], values: Any, *, where: str) -> S:
    """Make a settings value, or raise `SettingsError` naming `where` and every fault."""
    try:
        return kind.model_validate(values)
    except ValidationError as e:
        raise SettingsError(f"{where}: {explain(e, values)}.") from e


def to_toml(value: Settings) -> str:
    """Write a settings value as TOML, without the keys that are None."""
    return tomli_w.dumps(value.model_dump(mode="json", exclude_none=True))
