"""Describe the differences between two protocols."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeVar

from engine.core.errors import SettingsError
from engine.core.settings import Settings, parse
from engine.corrections.base import Correction
from engine.protocols.study.protocol import Protocol
from engine.protocols.study.stored_protocol import (
    MAX_CHANGES,
    MAX_CHARACTERS,
    OF_QUALITY,
    Quality,
    SavedAs,
    digest_of,
)
from engine.protocols.study.study import SHOWN, StudyValues
from engine.recon.algorithms.base import Algorithm
from engine.recon.postprocess import Filter

P = TypeVar("P", bound=Protocol)
UNSAID = ("kind", "modality", "name", "version", "saved")
"""Fields that another difference contains, or that change nothing."""


class Difference(NamedTuple):
    """A setting with its previous and current value, in words."""

    label: str
    then: str
    now: str

    def __str__(self) -> str:
        """Return the change in words: "iterations 3, now 6"."""
        return f"{self.label} {self.then}, now {self.now}"


class SettingChange(NamedTuple):
    """A changed setting, with its keys in the protocol."""

    keys: tuple[str, ...]
    difference: Difference


def differences(then: StudyValues, now: StudyValues) -> list[Difference]:
    """Return the differences in files and settings between two studies.

    Parameters
    ----------
    then
        the earlier study
    now
        the current study

    Returns
    -------
    differences
        files first. Equal files with different relative paths count as equal. Files with one
        path differ if their fingerprints differ: another scan has taken the place of the first.
    """
    files = list(_of_files(then.with_absolute_paths(), now.with_absolute_paths()))
    return [*files, *(each.difference for each in _of_settings(then.protocol, now.protocol))]


def setting_changes(then: Protocol, now: Protocol) -> list[SettingChange]:
    """Return the differences in settings between two protocols.

    Parameters
    ----------
    then
        the earlier protocol
    now
        the current protocol
    """
    return list(_of_settings(then, now))


def changed_from(base: Protocol, now: P, quality: Quality | None = None) -> P:
    """Return settings with a record of their differences from a saved protocol.

    Parameters
    ----------
    base
        the saved protocol
    now
        the settings that are used
    quality
        the quality level that voxels and iterations are at; None if they were changed by hand
    """
    saved, changes = base.saved or SavedAs(), setting_changes(base, now)
    # Changes by a quality level are named once as that level, not setting by setting.
    of_level = [each for each in changes if quality and each.keys in OF_QUALITY]
    by_hand = [str(each.difference) for each in changes if each not in of_level]
    # Without any change by the level, the voxels are those of the saved protocol.
    level = quality if of_level else None
    words = [*saved.changed, *([_text_of_level(level, of_level)] if level else []), *by_hand]
    changed = tuple(word[:MAX_CHARACTERS] for word in words)
    # Limits keep a study file small, even after hundreds of manual changes.
    update = {
        "sha256": saved.sha256 or digest_of(base),
        "changed": changed[:MAX_CHANGES],
        "quality": level or saved.quality,
    }
    return now.model_copy(update={"saved": saved.model_copy(update=update)})


def _text_of_level(level: Quality, changes: Sequence[SettingChange]) -> str:
    return f"at {level.capitalize()}: {'; '.join(str(each.difference) for each in changes)}"


def with_setting_of(then: P, now: P, keys: tuple[str, ...]) -> P:
    """Return a protocol with one setting of another one.

    If that setting is inconsistent with the others, its whole group is copied.

    Parameters
    ----------
    then
        protocol that has the setting
    now
        protocol to change
    keys
        keys of the setting, from the outermost group
    """
    try:
        return _parsed(then, now, keys)
    except SettingsError:
        # For example a width without its kind of filter: the group is consistent as a whole.
        return _parsed(then, now, keys[:1])


def _parsed(then: P, now: P, keys: tuple[str, ...]) -> P:
    values, source = now.model_dump(), then.model_dump()
    inner = values
    for key in keys[:-1]:
        inner, source = inner[key], source[key]
    inner[keys[-1]] = source[keys[-1]]
    return parse(type(now), values, where=keys[-1])


def _of_files(then: StudyValues, now: StudyValues) -> Iterator[Difference]:
    before = {"data": str(then.data), "scanner": then.scanner or "", **_named(then)}
    after = {"data": str(now.data), "scanner": now.scanner or "", **_named(now)}
    for role in (*before, *(role for role in after if role not in before)):
        one, other = before.get(role, ""), after.get(role, "")
        prints = [each.fingerprints.get(role, "") for each in (then, now)]
        label = "scan" if role == "data" else role.replace("_", " ")
        if one != other:
            # Files with the same name differ in their folders, so full paths are shown.
            is_other_folder = _name(one) == _name(other)
            words = (one, other) if is_other_folder else (_name(one), _name(other))
            yield Difference(label, *words)
        elif all(prints) and prints[0] != prints[1]:
            yield Difference(label, *(f"{_name(one)} ({each[:SHOWN]})" for each in prints))


def _named(study: StudyValues) -> dict[str, str]:
    return {role: str(path) for role, path in study.inputs.items()}


def _name(path: str) -> str:
    # Backslashes too: a study may come from Windows.
    return path.replace("\\", "/").rpartition("/")[2] or "none"


def _of_settings(
    then: Settings, now: Settings, label: str = "protocol", keys: tuple[str, ...] = ()
) -> Iterator[SettingChange]:
    # Another kind has other fields, which cannot be compared one by one.
    if type(then) is not type(now):
        yield SettingChange(keys, Difference(label, _words(then), _words(now)))
        return
    for name, field in type(then).model_fields.items():
        one, other = getattr(then, name), getattr(now, name)
        if one == other or name in UNSAID:
            continue
        # The label in the window is shorter and clearer than the key.
        extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
        label = str(extra.get("label") or "") or name.replace("_", " ")
        if isinstance(one, Settings) and isinstance(other, Settings):
            yield from _of_settings(one, other, label, (*keys, name))
            continue
        if isinstance(then, Correction):  # "apply" alone does not name the correction
            label = then.title if name == "use" else f"{then.title}: {_small(label)}"
        unit = str(extra.get("unit") or "")
        empty = str(extra.get("empty") or "automatic")
        found = Difference(_small(label), _words(one, unit, empty), _words(other, unit, empty))
        yield SettingChange((*keys, name), found)


def _small(text: str) -> str:
    """Return a label for use within a sentence; abbreviations such as CT keep their capitals."""
    return text if text[1:2].isupper() else f"{text[:1].lower()}{text[1:]}"


def _words(value: object, unit: str = "", empty: str = "automatic") -> str:
    match value:
        case None:
            return empty
        case "auto":
            return "automatic"
        case bool():
            return "on" if value else "off"
        case Settings():
            return _described(value)
        case tuple() | list():
            sign = " × " if all(isinstance(each, int | float) for each in value) else ", "
            text = sign.join(_words(each) for each in value)
            return f"{text} {unit}".strip() if text else "none"
        case float() | int():
            return f"{value:g} {unit}".strip()
    return str(value)


def _described(value: Settings) -> str:
    if isinstance(value, Algorithm | Filter):
        return value.describe()
    return value.name if isinstance(value, Protocol) else type(value).__name__
