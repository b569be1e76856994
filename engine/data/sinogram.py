"""Counts in the sinograms of a ring scanner."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from engine.data.histogram import total
from engine.data.listmode import ListMode
from engine.data.volume import Volume
from engine.errors import DataError, GeometryError
from engine.geometry.ring import RingScanner
from engine.geometry.sinogram_layout import SinogramLayout
from engine.plain import Plain

if TYPE_CHECKING:
    from engine.backend import Backend

Bins = NDArray[np.float32]
APPLIED = "applied"
"""Entry of `info`: corrections that the counts have behind them already, in the file's words."""
DELAYEDS = "randoms_sinogram"
"""Entry of `auxiliary`: delayed coincidences, as the key of the role of randoms."""
NORMALISED = "of_normalised_counts"
"""Entry of `info`: keys of those entries of `auxiliary` that are of normalised counts."""
SUMMED_TIMES = "tof_bins_summed"
"""Entry of `info`: how many bins of time of flight were summed, if several."""
CHUNK = 4_000_000
"""Events counted at once."""
MOST_EVENTS = 2**31 - 1


@dataclass(frozen=True)
class Sinogram:
    """Counts of one frame in every bin, and the corrections prepared so far.

    Attributes
    ----------
    layout : the bins
    prompts : (n_bins,) coincidences; corrected ones need not be whole
    duration_s : length of the frame [s]
    mu_map : attenuation map [1/mm], None if there is none
    background : (n_bins,) expected additive counts in use; None: all 0
    factors : (n_bins,) detection factors in use, 0 in dead bins; None: all 1
    info : what the file says of the scan, for provenance
    notes : what the reader wants the user to know, one sentence each
    auxiliary : contents of further files of the study, by the key of their role

    Examples
    --------
    >>> import numpy as np, engine
    >>> from engine.data.sinogram import Sinogram
    >>> from engine.geometry.sinogram_layout import SinogramLayout
    >>> layout = SinogramLayout.of(engine.read_scanner("demo-ring"))
    >>> Sinogram(layout, np.ones(layout.n_bins, np.float32)).n_prompts
    19869696.0
    """

    layout: SinogramLayout
    prompts: Bins
    duration_s: float = 0.0
    mu_map: Volume | None = None
    background: Bins | None = None
    factors: Bins | None = None
    info: Plain = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    auxiliary: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("prompts", "background", "factors"):
            values = getattr(self, name)
            if values is not None and values.shape != (self.layout.n_bins,):
                raise GeometryError(
                    f"sinogram: {name} has {' × '.join(map(str, values.shape))} values, "
                    f"the layout has {self.layout.n_bins:,} bins."
                )

    @property
    def scanner(self) -> RingScanner:
        """The rings."""
        return self.layout.scanner

    @property
    def n_prompts(self) -> float:
        """Sum of the prompts."""
        return total(self.prompts)

    def has_applied(self, word: str) -> bool:
        """Whether the file says that the counts were corrected for what such a word begins."""
        return word in str(self.info.get(APPLIED, ""))

    @property
    def normalised(self) -> tuple[str, ...]:
        """Keys of additive terms that are of counts which are normalised already."""
        return tuple(self.info.get(NORMALISED, ()))

    def with_factor(self, factor: Bins, *, on: Backend) -> Self:
        """Return the sinogram with one more factor, (n_bins,), on its bins."""
        return replace(self, factors=factor if self.factors is None else factor * self.factors)

    def with_background(self, expected: Bins) -> Self:
        """Return the sinogram with more expected counts, (n_bins,), in its bins."""
        earlier = 0 if self.background is None else self.background
        return replace(self, background=expected + earlier)


def binned(events: ListMode, layout: SinogramLayout, *, delayed: bool = False) -> Sinogram:
    """Count the prompts, or the delayeds, of list mode in the bins of a layout.

    Raises `GeometryError` for events of another scanner.
    """
    if events.scanner.fingerprint() != layout.scanner.fingerprint():
        raise GeometryError(
            f"sinogram: the events are of {events.scanner.name!r}, the bins of "
            f"{layout.scanner.name!r}; choose the bins of the events' own scanner."
        )
    chosen = events.delayeds if delayed else events.prompts
    counts, n_other = np.zeros(layout.n_bins, np.float32), 0
    for start in range(0, chosen.n_events, CHUNK):
        bins, held = layout.bins_of(chosen.crystals[start : start + CHUNK])
        counts += np.bincount(bins[held], minlength=layout.n_bins)
        n_other += len(held) - int(np.count_nonzero(held))
    notes = [f"{n_other:,} events are in no bin and are left out."] if n_other else []
    if events.tof_bins is not None:
        notes.append("Times of flight are left out: bins hold the events of all times.")
    return Sinogram(layout, counts, events.duration_s, info=events.info, notes=tuple(notes))


def events_of(data: Sinogram) -> ListMode:
    """Return as many events on each line as its bin has counts; the order is that of the bins.

    Raises `DataError` where bins are not lines, or counts not whole.
    """
    counts = data.prompts
    if not data.layout.is_whole:
        raise DataError(
            f"sinogram: {data.layout.describe()}; only bins of one line each, without spans, "
            "mashing and arc correction, can become events."
        )
    if not (np.all(counts >= 0) and np.all(counts == np.rint(counts))):
        raise DataError("sinogram: counts are no whole numbers; only measured counts become events")
    n = total(counts)
    if n > MOST_EVENTS:
        raise DataError(f"sinogram: {n:,.0f} counts are more events than a list holds here.")
    numbers = np.repeat(np.arange(data.layout.n_bins), counts.astype(np.int64))
    crystals = data.layout.crystals_of(numbers)
    return ListMode(data.scanner, crystals, duration_s=data.duration_s, info=data.info)
