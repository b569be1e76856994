"""Counts in the sinograms of a ring scanner."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import DataError, GeometryError
from engine.core.interactive import Described
from engine.data.histogram import total
from engine.data.listmode import ListMode
from engine.data.timing.timed_counts import TimedCounts

if TYPE_CHECKING:
    from engine.core.backend import Backend
    from engine.core.json_types import Plain
    from engine.data.volume import Volume
    from engine.geometry.point_spread import PointSpread
    from engine.geometry.ring import RingScanner
    from engine.geometry.sinogram_layout import SinogramLayout

Bins = NDArray[np.float32]
APPLIED = "applied"
"""Entry of `info`: corrections already applied to the counts, as the file names them."""
DELAYEDS = "randoms_sinogram"
"""Entry of `auxiliary`: delayed coincidences, as the key of the role of randoms."""
NORMALISED = "of_normalised_counts"
"""Entry of `info`: keys of the entries of `auxiliary` that refer to normalised counts."""
SUMMED_TIMES = "tof_bins_summed"
"""Entry of `info`: number of TOF bins that the reader summed."""
CHUNK = 4_000_000
"""Events counted in one step."""
MAX_EVENTS = 2**31 - 1


@dataclass(frozen=True, eq=False, repr=False)
class Sinogram(Described):
    """Counts of one frame in each bin, and the corrections prepared so far.

    Attributes
    ----------
    layout : the bins
    prompts : (n_bins,) coincidences of all TOF bins; not whole numbers after a correction. An array
        of the shape of the layout (planes, views, tangential bins) is flattened
    duration_s : length of the frame [s]
    mu_map : attenuation map [1/mm]; None if there is none
    background : (n_bins,) expected additive counts in use; None: all 0
    factors : (n_bins,) detection factors in use, 0 in dead bins; None: all 1
    attenuation : (n_bins,) attenuation factors of the object, which are part of the factors;
        None: attenuation is not corrected
    info : facts of the scan from its file, for provenance
    notes : notes of the reader, one sentence each
    auxiliary : contents of further files of the study, by the key of their role, such as
        "randoms_sinogram" and "scatter_sinogram" (expected counts), "normalisation_sinogram" and
        "attenuation_sinogram" (factors that multiply the counts); (n_bins,), or the shape of the
        layout
    timed : prompts by TOF bin of the scanner; None: no time of flight
    point_spread : resolution model of the scanner; None: thin lines

    Examples
    --------
    >>> import numpy as np, engine
    >>> layout = engine.SinogramLayout.of(engine.read_scanner("demo-ring"))
    >>> engine.Sinogram(layout, np.ones(layout.shape, np.float32)).n_prompts
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
    timed: TimedCounts | None = None
    attenuation: Bins | None = None
    point_spread: PointSpread | None = None

    def facts(self) -> Mapping[str, str]:
        bins = f"{len(self.prompts):,} bins"
        return {"scanner": self.scanner.name, "bins": bins, "frame": f"{self.duration_s:g} s"}

    def __post_init__(self) -> None:
        for name in ("prompts", "background", "factors", "attenuation"):
            values = getattr(self, name)
            if values is not None and values.shape == self.layout.shape:
                object.__setattr__(self, name, values := values.reshape(-1))
            if values is not None and values.shape != (self.layout.n_bins,):
                raise GeometryError(
                    f"sinogram: {name!r} has {' × '.join(map(str, values.shape))} values, but the "
                    f"layout has {self.layout.n_bins:,} bins; choose the layout that belongs to "
                    "this file."
                )
        tof = self.scanner.tof
        if self.timed is not None and (tof is None or tof.n_bins != self.timed.n_times):
            raise GeometryError(
                f"sinogram: the data have {self.timed.n_times} TOF bins, but {self.scanner.name!r} "
                f"has {0 if tof is None else tof.n_bins}; correct `[tof]` in the scanner file."
            )

    @property
    def scanner(self) -> RingScanner:
        """The ring scanner."""
        return self.layout.scanner

    @property
    def n_prompts(self) -> float:
        """Sum of the prompts."""
        return total(self.prompts)

    @property
    def times_of_flight(self) -> str | None:
        """One line about the TOF bins; None without time of flight."""
        tof = self.scanner.tof
        if self.timed is None or tof is None:
            return None
        text = f"{tof.n_bins} bins of {tof.bin_ps:.4g} ps, resolution {tof.fwhm_ps:.4g} ps"
        return text if self.timed.is_ordered else f"{text}, order not stated"

    def has_applied(self, word: str) -> bool:
        """Return True if the file states that a correction is already applied.

        Parameters
        ----------
        word
            beginning of its name in the file
        """
        return word in str(self.info.get(APPLIED, ""))

    @property
    def normalised(self) -> tuple[str, ...]:
        """Keys of additive terms that refer to normalised counts."""
        return tuple(self.info.get(NORMALISED, ()))

    def with_factor(self, factor: Bins, *, on: Backend) -> Self:
        """Return the sinogram with one more multiplicative factor.

        Parameters
        ----------
        factor
            (n_bins,), 0 in dead bins
        on
            not used; the same signature as that of list mode
        """
        return replace(self, factors=factor if self.factors is None else factor * self.factors)

    def with_background(self, expected: Bins, timed: Bins | None = None) -> Self:
        """Return the sinogram with additional expected counts.

        Parameters
        ----------
        expected
            (n_bins,) counts of all TOF bins
        timed
            expected counts next to each of the timed counts; None: equal in all TOF bins
        """
        earlier, times = 0 if self.background is None else self.background, self.timed
        if times is not None:
            if timed is None:
                timed = expected[times.bins] / np.float32(times.n_times)
            times = times.with_background(timed)
        return replace(self, background=expected + earlier, timed=times)


def binned(
    events: ListMode, layout: SinogramLayout, *, delayed: bool = False, timed: bool = False
) -> Sinogram:
    """Sort the events of list mode into the bins of a layout.

    Parameters
    ----------
    events
        list mode of the same scanner
    layout
        the bins
    delayed
        count the delayeds instead of the prompts
    timed
        keep the TOF bins, if the events have them

    Raises
    ------
    GeometryError
        if the events belong to another scanner
    """
    if events.scanner.fingerprint() != layout.scanner.fingerprint():
        raise GeometryError(
            f"sinogram: the layout is for {layout.scanner.name!r}, but the events are from "
            f"{events.scanner.name!r}; use a layout for the scanner that recorded the events."
        )
    chosen = events.delayeds if delayed else events.prompts
    # Without TOF bins in the events, `timed` has no effect.
    tof = layout.scanner.tof if timed and chosen.tof_bins is not None else None
    counts, n_other, pairs = np.zeros(layout.n_bins, np.float32), 0, []
    for start in range(0, chosen.n_events, CHUNK):
        rows = slice(start, start + CHUNK)
        bins, inside, turned = layout.placed(chosen.crystals[rows])
        # bincount in float64 is exact; float32 sums of single events would stop at 2²⁴.
        counts += np.bincount(bins[inside], minlength=layout.n_bins)
        n_other += len(inside) - int(np.count_nonzero(inside))
        if tof is not None and chosen.tof_bins is not None:
            times = chosen.tof_bins[rows].astype(np.int64)
            # A bin can define the two ends of its line in the other order than the event; then TOF
            # is reversed.
            times = np.where(turned, tof.n_bins - 1 - times, times)
            # Time and bin in one number: np.unique then counts both at once, only where there are
            # counts.
            pairs.append((times * layout.n_bins + bins)[inside])
    notes = [f"{n_other:,} events are in no bin and are not used."] if n_other else []
    if chosen.tof_bins is not None and tof is None:
        notes.append("Time of flight is not used: each bin contains the events of all times.")
    return Sinogram(
        layout,
        counts,
        events.duration_s,
        info=events.info,
        notes=tuple(notes),
        timed=None if tof is None else _timed(pairs, tof.n_bins, layout.n_bins),
    )


def _timed(pairs: list[NDArray[np.int64]], n_times: int, n_bins: int) -> TimedCounts:
    """Count pairs of TOF bin and bin, each given as one number."""
    found, counts = np.unique(np.concatenate([*pairs, np.empty(0, np.int64)]), return_counts=True)
    # Sorted by TOF bin first: the boundaries between TOF bins are found by a search.
    starts = np.searchsorted(found, np.arange(n_times + 1) * n_bins)
    return TimedCounts(starts, (found % n_bins).astype(np.int32), counts.astype(np.float32))


def events_of(data: Sinogram) -> ListMode:
    """Expand a sinogram into list mode, with as many events on a line as its bin has counts.

    Parameters
    ----------
    data
        unmashed, span 1, with whole counts

    Returns
    -------
    events in the order of the bins; with TOF bins if their order is known

    Raises
    ------
    DataError
        if bins contain several lines, counts are not whole, or there are too many events
    """
    counts = data.prompts
    if not data.layout.is_whole:
        raise DataError(
            "sinogram: some bins sum several lines, so the counts cannot be converted to events "
            f"(bins: {data.layout.describe()}); use a sinogram without span, mashing and arc "
            "correction."
        )
    # Corrected sinograms contain fractions, which events cannot represent.
    if not (np.all(counts >= 0) and np.all(counts == np.rint(counts))):
        raise DataError(
            "sinogram: some counts are negative or not whole numbers, so they cannot be "
            "converted to events; use the measured counts without corrections."
        )
    n = total(counts)
    if n > MAX_EVENTS:
        raise DataError(
            f"sinogram: its {n:,.0f} counts do not fit into list mode, which can hold at most "
            f"{MAX_EVENTS:,} events; reconstruct the sinogram without converting it."
        )
    found, times = np.arange(data.layout.n_bins), None
    # An unknown order of TOF bins would put events at mirrored positions.
    if data.timed is not None and data.timed.is_ordered:
        found, counts = data.timed.bins.astype(np.int64), data.timed.counts
        times = np.repeat(data.timed.times, counts.astype(np.int64))
    crystals = data.layout.crystals_of(np.repeat(found, counts.astype(np.int64)))
    return ListMode(
        data.scanner, crystals, tof_bins=times, duration_s=data.duration_s, info=data.info
    )
