"""Counts of the lines of response of a dual-head scanner."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.errors import GeometryError
from engine.core.json_types import Plain
from engine.data.listmode import ListMode
from engine.data.volume import Volume
from engine.geometry.dual_head import DualHead, DualHeadSettings

if TYPE_CHECKING:
    from engine.core.backend import Backend

Column = NDArray[np.float32]

CHUNK = 4_000_000
"""Events counted at once."""


@dataclass(frozen=True)
class Histogram:
    """Counts of one frame on every line, and the corrections prepared so far.

    Lines follow one another as in `engine.geometry.orientations`, pairs of layers slowest,
    n_lines = scanner.n_lors.

    Attributes
    ----------
    scanner : two panels
    prompts : (n_lines,) coincidences; corrected ones need not be whole
    delayeds : (n_lines,) delayed coincidences, which count randoms; None: not measured
    additive : (n_lines,) expected background besides what the delayeds count, supplied with the
        file [counts]; None: not supplied
    normalisation : (n_lines,) detection factor of every line, supplied with the file; None: all 1
    efficiencies : (n_crystals,) detection efficiency of each crystal; None: all 1
    duration_s : length of the frame [s]
    mu_map : attenuation map [1/mm], None if there is none
    background : (n_lines,) expected additive counts in use; None: all 0
    factors : (n_lines,) detection factors in use, 0 on dead lines; None: all 1
    info : facts of the scan from its file, for provenance
    notes : notes of the reader, one sentence each
    auxiliary : contents of further files of the study, by the key of their role

    Examples
    --------
    >>> import numpy as np, engine
    >>> panels = engine.read_scanner("test-panels")
    >>> engine.Histogram(panels, prompts=np.ones(panels.n_lors, np.float32)).n_prompts
    576.0
    """

    scanner: DualHead
    prompts: Column
    delayeds: Column | None = None
    additive: Column | None = None
    normalisation: Column | None = None
    efficiencies: Column | None = None
    duration_s: float = 0.0
    mu_map: Volume | None = None
    background: Column | None = None
    factors: Column | None = None
    info: Plain = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    auxiliary: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("prompts", "delayeds", "additive", "normalisation", "background", "factors"):
            values = getattr(self, name)
            if values is not None and values.shape != (self.scanner.n_lors,):
                raise GeometryError(
                    f"histogram: {name} has {' × '.join(map(str, values.shape))} "
                    f"values, but {self.scanner.name!r} has {self.scanner.n_lors:,} "
                    "lines of response; choose the scanner of this file."
                )

    @property
    def n_prompts(self) -> float:
        """Sum of the prompts."""
        return total(self.prompts)

    @property
    def n_delayeds(self) -> float:
        """Sum of the delayeds."""
        return 0.0 if self.delayeds is None else total(self.delayeds)

    def with_factor(self, factor: Column, *, on: Backend) -> Self:
        """Return the histogram with one more factor, (n_lines,), on its lines."""
        return replace(self, factors=factor if self.factors is None else factor * self.factors)

    def with_background(self, expected: Column) -> Self:
        """Return the histogram with more expected counts, (n_lines,), on its lines."""
        earlier = 0 if self.background is None else self.background
        return replace(self, background=expected + earlier)


def total(values: Array) -> float:
    """Sum in double precision."""
    return float(values.sum(dtype=np.float64))


def histogrammed(listmode: ListMode, *, merge_layers: bool = False) -> Histogram:
    """Count the events of a dual-head scanner by their lines.

    merge_layers : layers of crystals are counted together, else each pair of layers has its lines
    """
    scanner = listmode.scanner
    if not isinstance(scanner, DualHead):
        raise GeometryError(
            f"scanner {scanner.name!r} ({scanner.describe()}) has no two panels, so "
            "its events cannot be histogrammed; reconstruct them with a protocol of "
            'the modality "pet".'
        )
    notes = list(listmode.notes)
    if merge_layers and scanner.settings.n_layers > 1:
        notes.append(_combined(scanner))
    if listmode.additive is not None:
        notes.append("The expected background of single events is not used.")
    front = one_layer(scanner) if merge_layers else scanner
    prompts, n_other = _counted(listmode.prompts, front)
    if n_other:
        notes.append(f"{n_other:,} prompts do not connect the two panels and are not used.")
    delayeds = None
    if listmode.delayed is not None:
        delayeds, _ = _counted(listmode.delayeds, front)
    return Histogram(
        front,
        prompts,
        delayeds,
        efficiencies=(
            _of_layers(listmode.efficiencies, scanner) if merge_layers else listmode.efficiencies
        ),
        duration_s=listmode.duration_s,
        mu_map=listmode.mu_map,
        info=listmode.info,
        notes=tuple(notes),
        auxiliary=listmode.auxiliary,
    )


def merged(data: Histogram) -> Histogram:
    """Count the lines of all layers of crystals together; corrections must not be prepared yet."""
    scanner = data.scanner
    s = scanner.settings
    if s.n_layers == 1:
        return data
    if data.background is not None or data.factors is not None:
        raise GeometryError(
            f"histogram of {scanner.name!r}: its corrections are prepared for each "
            "layer; combine its layers before the corrections."
        )
    stopped = _stopped(s)
    pairs = np.outer(stopped, stopped).ravel() / stopped.sum() ** 2

    def of_all(values: Column | None, weights: Array) -> Column | None:
        if values is None:
            return None
        out = np.zeros(scanner.orientations.n_pairs, np.float32)
        for part, weight in zip(values.reshape(s.n_layers**2, -1), weights, strict=True):
            out += np.float32(weight) * part
        return out

    each = np.ones(len(pairs))
    prompts = of_all(data.prompts, each)
    return replace(
        data,
        scanner=one_layer(scanner),
        prompts=data.prompts if prompts is None else prompts,
        delayeds=of_all(data.delayeds, each),
        additive=of_all(data.additive, each),
        normalisation=of_all(data.normalisation, pairs),
        efficiencies=_of_layers(data.efficiencies, scanner),
        notes=(*data.notes, _combined(scanner)),
    )


def _combined(scanner: DualHead) -> str:
    return (
        f"The events of all {scanner.settings.n_layers} crystal layers are combined; "
        "their depth is not used."
    )


def one_layer(scanner: DualHead) -> DualHead:
    """Return the scanner with all layers of crystals as one."""
    if scanner.settings.n_layers == 1:
        return scanner
    return with_settings(scanner, n_layers=1)


def with_settings(scanner: DualHead, **changes: Any) -> DualHead:
    """Return the scanner with other settings, checked."""
    return DualHead(DualHeadSettings(**(scanner.settings.model_dump() | changes)))


def _counted(events: ListMode, front: DualHead) -> tuple[Column, int]:
    """(n_lines,) counts, and how many events are on no line."""
    scanner = events.scanner
    counts, n_other = np.zeros(front.n_lors, np.float32), 0
    for start in range(0, events.n_events, CHUNK):
        crystals = np.asarray(events.crystals[start : start + CHUNK])
        joined = scanner.in_coincidence(crystals)
        n_other += len(crystals) - int(np.count_nonzero(joined))
        places = _places(crystals[joined], scanner, front.settings.n_layers)
        np.add.at(counts, front.numbers(places), np.float32(1))
    return counts, n_other


def _places(crystals: Array, scanner: Any, n_layers: int) -> Array:
    """Crystals of the same panels with so many layers: as many, or one."""
    if n_layers == scanner.settings.n_layers:
        return crystals
    slab, place = np.divmod(crystals, scanner.n_per_layer)
    return slab // scanner.settings.n_layers * scanner.n_per_layer + place


def _of_layers(efficiencies: Column | None, scanner: DualHead) -> Column | None:
    """(2 · n_per_layer,) mean efficiency of the crystals behind one another.

    Weighted with the part of perpendicular photons that each layer stops.
    """
    if efficiencies is None:
        return None
    layers = efficiencies.reshape(2, scanner.settings.n_layers, -1)
    weights = _stopped(scanner.settings)
    return np.average(layers, axis=1, weights=weights).astype(np.float32).ravel()


def _stopped(s: DualHeadSettings) -> NDArray[np.float64]:
    """(n_layers,) perpendicular photons that each layer stops, relative to the first."""
    depths_mm = np.arange(s.n_layers) * s.thickness_mm / s.n_layers
    stopped: NDArray[np.float64] = np.exp(-s.attenuation_per_mm * depths_mm)
    return stopped
