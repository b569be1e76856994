"""What a protocol chooses among: one kind of several, or how each step of a list is done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeVar, Union

from pydantic import Field, create_model

from engine.core.json_types import Plain
from engine.core.settings import Settings
from engine.corrections import CORRECTIONS
from engine.corrections.base import AnyCorrection, defaults_of
from engine.corrections.histogram import HISTOGRAM_CORRECTIONS
from engine.corrections.preprocess import STEPS
from engine.corrections.sinogram import SINOGRAM_CORRECTIONS
from engine.recon.algorithms import ALGORITHMS, LINEAR_ALGORITHMS, Algorithm
from engine.recon.postprocess import FILTERS, Filter


def _one_of(kinds: tuple[type[Settings], ...]) -> Any:
    """Return the type of a field that holds one of these, told apart by `kind`."""
    return Annotated[Union[kinds], Field(discriminator="kind")]  # noqa: UP007


K = TypeVar("K", bound=AnyCorrection)


class ChoiceGroup(Settings):
    """How each correction, or each step, of a tuple is done: a field for each."""

    kinds: ClassVar[tuple[type[AnyCorrection], ...]] = ()

    @classmethod
    def completed(cls, values: Any, version: int) -> Any:
        """Return the values of a group with the settings that a version does not name."""
        if not isinstance(values, dict):
            return values
        unnamed = (kind for kind in cls.kinds if kind.kind not in values)
        named = (kind for kind in cls.kinds if isinstance(values.get(kind.kind), dict))
        return {
            **values,
            **{kind.kind: defaults_of(kind, version) for kind in unnamed},
            **{kind.kind: {**kind.as_of(version), **values[kind.kind]} for kind in named},
        }

    def of(self, kind: type[K]) -> K:
        """Return how one of the kinds is done."""
        found: K = getattr(self, kind.kind)
        return found

    def steps(self) -> list[AnyCorrection]:
        """Return how each of the kinds is done, in the order they run."""
        return [self.of(kind) for kind in self.kinds]


def _each_of(kinds: tuple[type[AnyCorrection], ...], name: str) -> Any:
    """Return settings with a field for each of these, used as when no protocol names them."""
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
    CountsAlgorithm = _one_of(ALGORITHMS)
    LinearAlgorithm = _one_of(LINEAR_ALGORITHMS)
    AnyFilter = _one_of(FILTERS)
    Corrections = _each_of(CORRECTIONS, "Corrections")
    HistogramCorrections = _each_of(HISTOGRAM_CORRECTIONS, "HistogramCorrections")
    SinogramCorrections = _each_of(SINOGRAM_CORRECTIONS, "SinogramCorrections")
    Steps = _each_of(STEPS, "Steps")
