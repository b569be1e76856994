"""Choices of a protocol: one of several kinds, or the state of each step of a list."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeVar, Union

from pydantic import Field, create_model

from engine.core.json_types import Plain
from engine.core.settings import Settings
from engine.corrections.base import AnyCorrection, defaults_of

if TYPE_CHECKING:
    from engine.recon.algorithms import Algorithm
    from engine.recon.postprocess import Filter


def _one_of(kinds: tuple[type[Settings], ...]) -> Any:
    """Return the type of a field that contains one of several kinds, distinguished by `kind`."""
    return Annotated[Union[kinds], Field(discriminator="kind")]  # noqa: UP007


K = TypeVar("K", bound=AnyCorrection)


class ChoiceGroup(Settings):
    """State of each correction or step of a list: one field each."""

    kinds: ClassVar[tuple[type[AnyCorrection], ...]] = ()

    @classmethod
    def completed(cls, values: Any, version: int) -> Any:
        """Return the values of a group, completed by settings that a version does not name.

        Parameters
        ----------
        values
            values of the group as read; anything but a dictionary is returned unchanged
        version
            version of the protocol
        """
        if not isinstance(values, dict):
            # Invalid input is left to the field's own check, whose message names the problem.
            return values
        unnamed = (kind for kind in cls.kinds if kind.kind not in values)
        named = (kind for kind in cls.kinds if isinstance(values.get(kind.kind), dict))
        return {
            **values,
            **{kind.kind: defaults_of(kind, version) for kind in unnamed},
            # Values of the file take precedence over those of its version.
            **{kind.kind: {**kind.as_of(version), **values[kind.kind]} for kind in named},
        }

    def of(self, kind: type[K]) -> K:
        """Return the settings of one kind.

        Parameters
        ----------
        kind
            class of a correction or step
        """
        found: K = getattr(self, kind.kind)
        return found

    def steps(self) -> list[AnyCorrection]:
        """Return the settings of all kinds, in the order in which they run."""
        return [self.of(kind) for kind in self.kinds]


def _each_of(kinds: tuple[type[AnyCorrection], ...], name: str) -> Any:
    """Return settings with a field for each kind, with the defaults of the newest version."""
    # The group of a new protocol is complete, so no setting is left off by its version.
    newest = max((kind.since or 0 for kind in kinds), default=0)
    fields: Plain = {
        kind.kind: (kind, kind.model_validate(defaults_of(kind, newest))) for kind in kinds
    }
    group = create_model(name, __base__=ChoiceGroup, **fields)
    group.kinds = kinds
    return group


if TYPE_CHECKING:
    CountsAlgorithm = Algorithm
    LinearAlgorithm = Algorithm
    AnyFilter = Filter
    Corrections = ChoiceGroup
    HistogramCorrections = ChoiceGroup
    SinogramCorrections = ChoiceGroup
    Steps = ChoiceGroup
else:
    ONE_OF = {
        "CountsAlgorithm": "engine.recon.algorithms.ALGORITHMS",
        "LinearAlgorithm": "engine.recon.algorithms.LINEAR_ALGORITHMS",
        "AnyFilter": "engine.recon.postprocess.FILTERS",
    }
    EACH_OF = {
        "Corrections": "engine.corrections.CORRECTIONS",
        "HistogramCorrections": "engine.corrections.histogram.HISTOGRAM_CORRECTIONS",
        "SinogramCorrections": "engine.corrections.sinogram.SINOGRAM_CORRECTIONS",
        "Steps": "engine.corrections.preprocess.STEPS",
    }

    def __getattr__(name):
        """Make a type when a protocol first uses it, so that others do not load its members."""
        if name in ONE_OF:
            made = _one_of(_at(ONE_OF[name]))
        elif name in EACH_OF:
            made = _each_of(_at(EACH_OF[name]), name)
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        # Stored as a real attribute, so that `__getattr__` runs once for each type.
        return globals().setdefault(name, made)

    def _at(place):
        module, _, name = place.rpartition(".")
        return getattr(import_module(module), name)
