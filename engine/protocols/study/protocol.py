"""Base class of protocols: grid, preparation, algorithm and filters."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple, Self

from pydantic import model_validator

from engine.core.settings import Settings, setting
from engine.geometry.grid import Point
from engine.protocols.study.choices import ChoiceGroup
from engine.protocols.study.fields import Between, Finishing, Name
from engine.protocols.study.stored_protocol import SavedAs
from engine.recon.algorithms import Algorithm

PROTOCOL_VERSION = 4
"""Version of protocols that are written now; a file without a version has version 1.

Raise it with each correction or step that is added with `since` and is used unless switched off.
"""


class NewerSetting(NamedTuple):
    """A setting that older protocols lack, other than corrections and steps.

    Attributes
    ----------
    since : version of protocols that first knew it
    key : dotted path of the setting, such as "response.scatter"
    before : value for protocols without the setting
    """

    since: int
    key: str
    before: bool | str


class GridSettings(Settings):
    """Image grid. Each modality adds its own fields."""

    voxel_mm: Point | None


class Protocol(Settings):
    """Settings that turn a scan of one modality into a volume.

    A protocol that does not name a correction or step newer than its version leaves it off, and the
    settings in `younger` keep their earlier value. A saved protocol therefore never changes its
    result.
    """

    younger: ClassVar[tuple[NewerSetting, ...]] = ()
    state_version: ClassVar[int] = 0
    """Version of the state between two updates.

    Raise it if an older checkpoint must not be resumed.
    """

    modality: str
    name: Name = "Standard"
    version: int = setting(
        PROTOCOL_VERSION, "Version of the protocol format", ge=1, le=PROTOCOL_VERSION
    )
    grid: GridSettings
    algorithm: Algorithm
    between: Between = ()
    finishing: Finishing = ()
    saved: SavedAs | None = setting(None, "Saved protocol that these settings come from")

    @property
    def frame_text(self) -> str:
        """Kind of its images, such as "frames of time"; empty for a single image."""
        return ""

    @property
    def has_frames(self) -> bool:
        """True if it produces several images."""
        return bool(self.frame_text)

    @property
    def has_gates(self) -> bool:
        """True if these images are gates of a cycle."""
        return False

    @model_validator(mode="after")
    # A rule of two fields, which the check of one field cannot contain.
    def _filters_only_at_the_end(self) -> Self:
        if self.between and self.algorithm.is_penalised:
            raise ValueError(
                f"the group `between` contains filters, but {self.algorithm.title} already limits "
                "the noise in every iteration; remove these filters, or choose OSEM"
            )
        return self

    @model_validator(mode="before")
    @classmethod
    def _omit_newer_settings(cls, values: Any) -> Any:
        if not isinstance(values, dict):
            # Also runs on objects that are protocols already; these need no completion.
            return values
        # The name of an algorithm means the algorithm with its standard settings.
        if isinstance(values.get("algorithm"), str):
            values = {**values, "algorithm": {"kind": values["algorithm"]}}
        version = values.get("version", PROTOCOL_VERSION)
        if not isinstance(version, int) or version > PROTOCOL_VERSION:
            return values  # the check of the field names the problem
        # Groups are completed before validation, because pydantic would fill in today's defaults.
        groups = {
            key: field.annotation.completed(values.get(key, {}), version)
            for key, field in cls.model_fields.items()
            if isinstance(field.annotation, type) and issubclass(field.annotation, ChoiceGroup)
        }
        values = {**values, **groups, "version": PROTOCOL_VERSION}
        for each in cls.younger:
            if version < each.since:
                values = _with_default(values, each.key.split("."), each.before)
        return values


def _with_default(values: Any, keys: list[str], default: bool | str) -> Any:
    """Return nested values with a default for a missing entry; other entries are unchanged."""
    # A group of the wrong type is left to the validation of its field.
    if not isinstance(values, dict):
        return values
    key, *inner = keys
    value = values.get(key, {} if inner else default)
    return {**values, key: _with_default(value, inner, default) if inner else value}
