"""List of all settings of all protocols, for the command line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from engine.core.settings import Settings
from engine.core.settings.keys import keys_of, kind_of, settings_in
from engine.modalities import MODALITIES
from engine.modalities.settings_page import allowed_text, default_text

INTERNAL = ("modality", "version", "saved", "kind")
"""Fields that a user does not set by themselves."""


@dataclass(frozen=True)
class ListedSetting:
    """A setting as the command line shows it.

    Attributes
    ----------
    key : dotted key for `--set`
    modalities : keys of the modalities that have it
    kinds : kinds of the group that have it, such as "osem"; empty if the group has no kinds
    default : default value as in a protocol file; empty for none
    unit : unit of the value; empty for none
    allowed : bounds or choices; empty for any value
    text : description
    """

    key: str
    modalities: tuple[str, ...]
    kinds: tuple[str, ...]
    default: str
    unit: str
    allowed: str
    text: str

    def to_json(self) -> dict[str, Any]:
        """Return the setting as JSON values."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def all_keys() -> list[str]:
    """Return the keys of all settings, without doubles."""
    return list(dict.fromkeys(each.key for each in all_settings()))


def all_settings() -> list[ListedSetting]:
    """Return all settings in the order of their groups, equal ones of several modalities once."""
    found: dict[tuple[str, ...], ListedSetting] = {}
    for modality in MODALITIES:
        for listed in _settings_of(modality.protocol, modality.key):
            same = (listed.key, listed.default, listed.unit, listed.allowed, listed.text)
            before = found.get(same)
            found[same] = _merged(before, listed) if before else listed
    return list(found.values())


def _settings_of(protocol: type[Settings], modality: str) -> Iterable[ListedSetting]:
    for key, owner, field in keys_of(protocol):
        inner = settings_in(field.annotation)
        kinds = tuple(dict.fromkeys(filter(None, map(kind_of, inner))))
        is_group = bool(inner) and not kinds
        if key.rpartition(".")[2] in INTERNAL or key.startswith("saved.") or is_group:
            continue
        extra: Any = field.json_schema_extra or {}
        yield ListedSetting(
            key=key,
            modalities=(modality,),
            kinds=tuple(filter(None, [kind_of(owner)])),
            default=default_text(field),
            unit=extra.get("unit", ""),
            allowed=", ".join(kinds) or allowed_text(field),
            text=field.description or "Kind of the group; each kind has its own settings",
        )


def _merged(one: ListedSetting, other: ListedSetting) -> ListedSetting:
    return ListedSetting(
        **{
            **one.to_json(),
            "modalities": tuple(dict.fromkeys((*one.modalities, *other.modalities))),
            "kinds": tuple(dict.fromkeys((*one.kinds, *other.kinds))),
        }
    )
