"""Counts of the lines of response of a dual-head scanner."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.checked import checked_class
from engine.core.errors import GeometryError
from engine.core.interactive import Described
from engine.core.json_types import Plain
from engine.data.listmode import ListMode
from engine.data.volume import Volume
from engine.geometry.dual_head import DualHead, DualHeadSettings

if TYPE_CHECKING:
    from engine.core.backend import Backend

Column = NDArray[np.float32]

CHUNK = 4_000_000
"""Events counted in one step."""


@checked_class()
@dataclass(frozen=True, eq=False, repr=False)
class Histogram(Described):
    """Counts of one frame on every line, and the corrections prepared so far.

    Lines have the order of `engine.geometry.orientations`, with the pair of layers slowest:
    n_lines = scanner.n_lors.

    Attributes
    ----------
    scanner : two panels
    prompts : (n_lines,) coincidences; not whole numbers after a correction
    delayeds : (n_lines,) delayed coincidences, which measure randoms; None: not measured
    additive : (n_lines,) expected background in addition to the delayeds, supplied with the file
        [counts]; None: not supplied
    normalisation : (n_lines,) detection factor of every line, supplied with the file; None: all 1
    efficiencies : (n_crystals,) detection efficiency of each crystal; None: all 1
    duration_s : length of the frame [s]
    mu_map : attenuation map [1/mm]; None if there is none
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

    def facts(self) -> Mapping[str, str]:
        lines = f"{len(self.prompts):,} lines"
        return {"scanner": self.scanner.name, "lines": lines, "frame": f"{self.duration_s:g} s"}

    def __post_init__(self) -> None:
        for name in ("prompts", "delayeds", "additive", "normalisation", "background", "factors"):
            values = getattr(self, name)
            if values is not None and values.shape != (self.scanner.n_lors,):
                raise GeometryError(
                    f"histogram: {name!r} has {' × '.join(map(str, values.shape))} values, but "
                    f"{self.scanner.name!r} has {self.scanner.n_lors:,} lines of response; choose "
                    "the scanner that recorded this file."
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
        """Return the histogram with one more multiplicative factor.

        Parameters
        ----------
        factor
            (n_lines,), 0 on dead lines
        on
            not used; the same signature as that of list mode
        """
        return replace(self, factors=factor if self.factors is None else factor * self.factors)

    def with_background(self, expected: Column) -> Self:
        """Return the histogram with additional expected counts.

        Parameters
        ----------
        expected
            (n_lines,) counts in the frame
        """
        earlier = 0 if self.background is None else self.background
        return replace(self, background=expected + earlier)


def total(values: Array) -> float:
    """Return the sum in double precision."""
    # float32 sums stop growing near 2²⁴ counts.
    return float(values.sum(dtype=np.float64))


def histogrammed(listmode: ListMode, *, merge_layers: bool = False) -> Histogram:
    """Count the events of a dual-head scanner by line of response.

    Parameters
    ----------
    listmode
        events of a scanner with two panels
    merge_layers
        combine all crystal layers; False gives each pair of layers its own lines

    Returns
    -------
    histogram with prompts and delayeds; its notes state what was not used

    Raises
    ------
    GeometryError
        if the scanner has no two panels
    """
    scanner = listmode.scanner
    if not isinstance(scanner, DualHead):
        raise GeometryError(
            f"scanner {scanner.name!r} does not have two panels, so its events cannot be "
            f"histogrammed (type: {type(scanner).__name__}, expected: DualHead); reconstruct them "
            'with a protocol of the modality "pet".'
        )
    notes = list(listmode.notes)
    if merge_layers and scanner.settings.n_layers > 1:
        notes.append(_combined(scanner))
    # The values belong to events, not to lines, so they have no place in a histogram.
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
    """Combine the lines of all crystal layers.

    Parameters
    ----------
    data
        histogram without prepared corrections

    Returns
    -------
    histogram of a scanner with one layer; `data` itself if it has one layer

    Raises
    ------
    GeometryError
        if corrections are already prepared, because they belong to single layers
    """
    scanner = data.scanner
    s = scanner.settings
    if s.n_layers == 1:
        return data
    if data.background is not None or data.factors is not None:
        raise GeometryError(
            f"histogram of {scanner.name!r}: the corrections have been prepared for single "
            "layers; combine the layers before preparing the corrections."
        )
    stopped = _stopped(s)
    # Efficiencies of layer pairs are averaged with the probability that each layer stops its
    # photon.
    pairs = np.outer(stopped, stopped).ravel() / stopped.sum() ** 2

    def of_all(values: Column | None, weights: Array) -> Column | None:
        if values is None:
            return None
        out = np.zeros(scanner.orientations.n_pairs, np.float32)
        # Pairs of layers vary slowest, so each is one contiguous part.
        for part, weight in zip(values.reshape(s.n_layers**2, -1), weights, strict=True):
            out += np.float32(weight) * part
        return out

    # Counts are summed, factors averaged.
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
    """Return the scanner with all crystal layers combined into one."""
    if scanner.settings.n_layers == 1:
        return scanner
    return with_settings(scanner, n_layers=1)


def with_settings(scanner: DualHead, **changes: Any) -> DualHead:
    """Return the scanner with some settings changed, validated again."""
    return DualHead(DualHeadSettings(**(scanner.settings.model_dump() | changes)))


def _counted(events: ListMode, front: DualHead) -> tuple[Column, int]:
    """Return the counts of all lines, and the number of events on no line."""
    scanner = events.scanner
    counts, n_other = np.zeros(front.n_lors, np.float32), 0
    for start in range(0, events.n_events, CHUNK):
        crystals = np.asarray(events.crystals[start : start + CHUNK])
        # Events within one panel exist in some data; they are counted and reported, not used.
        joined = scanner.in_coincidence(crystals)
        n_other += len(crystals) - int(np.count_nonzero(joined))
        places = _places(crystals[joined], scanner, front.settings.n_layers)
        # Unbuffered: several events of a chunk can be on the same line.
        np.add.at(counts, front.numbers(places), np.float32(1))
    return counts, n_other


def _places(crystals: Array, scanner: Any, n_layers: int) -> Array:
    """Return the crystals of panels with as many layers, or with one layer."""
    if n_layers == scanner.settings.n_layers:
        return crystals
    # A slab is one layer of one panel; dividing by the number of layers leaves the panel.
    slab, place = np.divmod(crystals, scanner.n_per_layer)
    return slab // scanner.settings.n_layers * scanner.n_per_layer + place


def _of_layers(efficiencies: Column | None, scanner: DualHead) -> Column | None:
    """Return the mean efficiency of the crystals behind one another, (2 · n_per_layer,).

    The weight is the share of perpendicular photons that each layer stops.
    """
    if efficiencies is None:
        return None
    layers = efficiencies.reshape(2, scanner.settings.n_layers, -1)
    weights = _stopped(scanner.settings)
    return np.average(layers, axis=1, weights=weights).astype(np.float32).ravel()


def _stopped(s: DualHeadSettings) -> NDArray[np.float64]:
    """Return the perpendicular photons that each layer stops, relative to the first."""
    depths_mm = np.arange(s.n_layers) * s.thickness_mm / s.n_layers
    stopped: NDArray[np.float64] = np.exp(-s.attenuation_per_mm * depths_mm)
    return stopped
