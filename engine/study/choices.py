"""What a protocol chooses among: one kind of several, or how each step of a list is done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Union

from pydantic import Field, create_model

from engine.algorithms import ALGORITHMS, LINEAR_ALGORITHMS, Algorithm
from engine.corrections import CORRECTIONS
from engine.corrections.histogram import HISTOGRAM_CORRECTIONS
from engine.postprocess import FILTERS, Filter
from engine.preprocess import STEPS
from engine.settings import Settings


def _one_of(kinds: tuple[type[Settings], ...]) -> Any:
    """Return the type of a field that holds one of these, told apart by `kind`."""
    return Annotated[Union[kinds], Field(discriminator="kind")]  # noqa: UP007


def _each_of(kinds: tuple[Any, ...], name: str) -> Any:
    """Return settings with a field for each of these."""
    fields: dict[str, Any] = {kind.kind: (kind, kind()) for kind in kinds}
    return create_model(name, __base__=Settings, **fields)


if TYPE_CHECKING:
    CountsAlgorithm = Algorithm
    LinearAlgorithm = Algorithm
    AnyFilter = Filter
    Corrections = Any
    HistogramCorrections = Any
    Steps = Any
else:
    CountsAlgorithm = _one_of(ALGORITHMS)
    LinearAlgorithm = _one_of(LINEAR_ALGORITHMS)
    AnyFilter = _one_of(FILTERS)
    Corrections = _each_of(CORRECTIONS, "Corrections")
    HistogramCorrections = _each_of(HISTOGRAM_CORRECTIONS, "HistogramCorrections")
    Steps = _each_of(STEPS, "Steps")
