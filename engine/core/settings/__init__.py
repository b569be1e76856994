"""Base class of all settings: frozen, validated once, each number with bounds and unit.

Forms in the window, protocol files, command-line options and provenance are made from these
classes. Each label, unit and bound is therefore written once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import tomli_w
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine.core.errors import InvalidSettingsError, SettingsError
from engine.core.json_types import Plain

S = TypeVar("S", bound="Settings")


class Settings(BaseModel):
    """Frozen values that refuse unknown keys, NaN and infinity."""

    # validators are built on first use: a program needs few of all settings classes
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True)

    def __init__(self, /, **data: Any) -> None:
        try:
            super().__init__(**data)
        except ValidationError as e:
            # "settings" stands for the whole object, which the message names itself
            text = explain(e, data, type(self)).removeprefix("settings: ")
            raise InvalidSettingsError(f"{type(self).__name__}: {text}.") from e

    # With this mark pydantic calls it only from Python, and not for nested settings
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    def default_texts(self, voxel_mm: tuple[float, float, float]) -> dict[str, str]:
        """Return the automatic values of fields that are not set, in words.

        Parameters
        ----------
        voxel_mm
            voxel size (x, y, z) in mm, which some automatic values depend on

        Returns
        -------
        text by field name; empty if the class has no automatic values
        """
        return {}

    def unused_fields(self) -> frozenset[str]:
        """Return the names of fields that have no effect with these values; forms hide them."""
        return frozenset()


def setting(
    default: Any = ...,
    description: str = "",
    *,
    label: str = "",
    unit: str = "",
    expert: bool = False,
    empty: str = "",
    notes: Mapping[str, str] | None = None,
    **bounds: Any,
) -> Any:
    """Describe one field of a settings class.

    Parameters
    ----------
    default
        value of a new object; `...` makes the field required
    description
        complete sentence for tooltips and documentation
    label
        short name in forms
    unit
        unit as forms show it
    expert
        show the field only in expert mode
    empty
        meaning of a field without a value, in a few words
    notes
        addition to the name of each choice, such as a number; None for none
    bounds
        `ge`, `gt`, `le`, ... as pydantic names them
    """
    extra: Plain = {"label": label, "unit": unit, "expert": expert, "empty": empty}
    extra |= {"notes": dict(notes)} if notes else {}
    return Field(default, description=description, json_schema_extra=extra, **bounds)


def explain(error: ValidationError, values: Any = None, kind: type[Settings] | None = None) -> str:
    """Describe all errors of a settings value in one sentence: place, expected value, actual value.

    Parameters
    ----------
    error
        errors as pydantic reports them
    values
        the input, used to remove pydantic's union tags from the keys
    kind
        settings class, used to suggest keys
    """
    # Imported only after an error: most programs never see one
    from engine.core.settings.faults import fault_text

    faults = error.errors(include_url=False)
    return "; ".join(
        dict.fromkeys(fault_text(each, _key(each["loc"], values), kind) for each in faults)
    )


def _key(location: tuple[int | str, ...], values: Any) -> str:
    """Return the dotted key without the tags that pydantic adds for members of a union."""
    parts = []
    for part in location:
        # pydantic puts the tag of a union member into the location; a file does not contain it.
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
    """Make a settings object from values of a file or a form.

    Parameters
    ----------
    kind
        settings class
    values
        values by key
    where
        place in the error message, such as the file name

    Raises
    ------
    SettingsError
        names `where` and every error
    """
    try:
        return kind.model_validate(values)
    except ValidationError as e:
        raise SettingsError(f"{where}: {explain(e, values, kind)}.") from e


def to_toml(value: Settings) -> str:
    """Return settings as TOML, without keys that are None."""
    # TOML has no null: a missing key means None.
    return tomli_w.dumps(value.model_dump(mode="json", exclude_none=True))
