"""List-mode data: one row per coincidence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import inf
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from engine.core.checked import checked_class
from engine.core.errors import DataError, GeometryError
from engine.core.interactive import Described, shown
from engine.data.storage.columns import MEMORY, ColumnStorage, pieces

if TYPE_CHECKING:
    from engine.core.arrays import Array
    from engine.core.backend import Backend
    from engine.core.json_types import Plain
    from engine.data.components import Components
    from engine.data.line_factors import LineFactor
    from engine.data.timing.live_time import LiveTimes
    from engine.data.timing.triggers import Triggers
    from engine.data.volume import Volume
    from engine.geometry.point_spread import PointSpread
    from engine.geometry.scanner import Scanner


@checked_class(unchecked=("crystals",))
@dataclass(frozen=True, eq=False, repr=False)
class ListMode(Described):
    """Coincidences of one frame, in any order, and the corrections prepared so far.

    Events that exceed the memory are sorted along space, and their columns are in files
    (`engine.data.storage.columns`). Code therefore processes columns piece by piece.

    Attributes
    ----------
    scanner : scanner with the crystal positions
    crystals : (n, 2) int32, crystals of each event
    delayed : (n,) bool, delayed coincidences (they count randoms); None: all are prompts
    tof_bins : (n,) int16, time-of-flight bin, for the order of `crystals`; None: not measured
    time_ms : (n,) uint32, time since the start of the frame [ms]; None: not recorded
    additive : (n,) float32, expected background in the event's line and TOF bin, supplied with
        the file [counts in the frame]; None: not supplied
    duration_s : length of the frame [s]
    mu_map : attenuation map [1/mm], None if there is none
    efficiencies : (n_crystals,) float32, detection efficiency of each crystal; None: all 1
    components : normalisation with more than crystal efficiencies, as in its file; None: none
    singles : (n_crystals,) float32, single photons counted by each crystal in the frame; None:
        not counted
    live_times : change of dead time during the scan; its mean is in `efficiencies`; None: not
        known, or constant
    triggers : start times of cardiac or respiratory cycles, one entry for each signal
    coincidence_window_ps : maximum time difference of a coincidence [ps]; 0: not known
    factors : (n,) float32, detection probability n·a of each event's line; None: all 1
    background : (n,) float32, expected additive counts c; None: all 0
    line_factors : the effects whose product is `factors`, defined on every line of the scanner
    point_spread : resolution model of the scanner; None: thin lines
    auxiliary : contents of further files of the study, by the key of their role
    info : facts of the scan from its file (isotope, dates, ...), for provenance; "axes" is "LPI"
        if the scanner's z points to the patient's feet
    notes : notes of the reader, one sentence each
    storage : storage of the event columns
    n_ordered : number of events at the beginning that are prompts on lines, sorted along
        space; other prompts follow, then all delayeds; None: the events are in any order

    Examples
    --------
    >>> import numpy as np, engine
    >>> ring = engine.read_scanner("demo-ring")
    >>> scan = engine.ListMode(ring, crystals=np.array([[1, 145], [2, 150]], np.int32))
    >>> scan.n_prompts
    2
    """

    scanner: Scanner
    crystals: NDArray[np.int32]
    delayed: NDArray[np.bool_] | None = None
    tof_bins: NDArray[np.int16] | None = None
    time_ms: NDArray[np.uint32] | None = None
    additive: NDArray[np.float32] | None = None
    duration_s: float = 0.0
    mu_map: Volume | None = None
    efficiencies: NDArray[np.float32] | None = None
    components: Components | None = None
    singles: NDArray[np.float32] | None = None
    live_times: LiveTimes | None = None
    triggers: tuple[Triggers, ...] = ()
    coincidence_window_ps: float = 0.0
    factors: NDArray[np.float32] | None = None
    background: NDArray[np.float32] | None = None
    line_factors: tuple[LineFactor, ...] = ()
    point_spread: PointSpread | None = None
    auxiliary: Mapping[str, Any] = field(default_factory=dict)
    info: Plain = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    storage: ColumnStorage = field(default=MEMORY, compare=False)
    n_ordered: int | None = None

    def __post_init__(self) -> None:
        if not hasattr(self.crystals, "shape"):
            raise DataError(
                f"ListMode: crystals is {shown(self.crystals)}, expected an array of int32; "
                "convert it with numpy.asarray."
            )
        shape = tuple(self.crystals.shape)
        if len(shape) != 2 or shape[1] != 2:
            raise GeometryError(
                f"crystals have the shape {shape}, expected (n_events, 2), written (n, 2) for n "
                "events; give two crystals for each event."
            )
        if getattr(self.crystals.dtype, "kind", "i") not in "iu":
            raise DataError(
                f"'crystals' has the type {self.crystals.dtype}, expected whole numbers (int32); "
                "give the numbers of the crystals."
            )
        for name in ("delayed", "tof_bins", "time_ms", "additive", "factors", "background"):
            column = getattr(self, name)
            if column is not None and len(column) != shape[0]:
                raise GeometryError(
                    f"{name!r} has the shape ({len(column)},), expected ({shape[0]},); give one "
                    "value for each event."
                )
        if not 0 <= self.duration_s < inf:
            raise DataError(
                f"ListMode: duration_s is {self.duration_s:g}, expected at least 0; give the "
                "length of the frame in s."
            )

    def facts(self) -> Mapping[str, str]:
        columns = {"time of flight": self.tof_bins, "times": self.time_ms}
        recorded = [name for name, column in columns.items() if column is not None]
        return {
            "scanner": self.scanner.name,
            "events": f"{self.n_events:,} events",
            "frame": f"{self.duration_s:g} s",
            "columns": ", ".join(recorded) or "crystals only",
        }

    @property
    def n_events(self) -> int:
        """Number of events, prompts and delayeds."""
        return len(self.crystals)

    @property
    def n_delayed(self) -> int:
        """Number of delayed coincidences."""
        return 0 if self.delayed is None else int(np.count_nonzero(self.delayed))

    @property
    def n_prompts(self) -> int:
        """Number of prompt coincidences."""
        return self.n_events - self.n_delayed

    @property
    def has_singles(self) -> bool:
        """True if singles, window and duration allow an estimate of the randoms."""
        # rates of singles follow from their counts and the duration
        return self.singles is not None and self.coincidence_window_ps > 0 and self.duration_s > 0

    def describe_singles(self) -> str:
        """Return the number of single photons and the coincidence window, in words."""
        if self.singles is None:
            return "not counted"
        window = f", window {self.coincidence_window_ps:g} ps" if self.has_singles else ""
        return f"{float(self.singles.sum(dtype=np.float64)):,.0f}{window}"

    def select(self, rows: Any) -> Self:
        """Return the scan with some of its events.

        Parameters
        ----------
        rows
            mask, slice or indices
        """
        return self.select_by(lambda column: column[rows])

    def select_by(self, take: Callable[[Array], Array]) -> Self:
        """Return the scan with the events that a function selects from each column.

        Parameters
        ----------
        take
            called with each column; must select the same rows of all of them
        """

        def selected(column: Array | None) -> Array | None:
            return None if column is None else take(column)

        return replace(
            self,
            # a selection of sorted events need not have all prompts first
            n_ordered=None,
            crystals=take(self.crystals),
            delayed=selected(self.delayed),
            tof_bins=selected(self.tof_bins),
            time_ms=selected(self.time_ms),
            additive=selected(self.additive),
            factors=selected(self.factors),
            background=selected(self.background),
        )

    def select_where(self, is_selected: Callable[[slice], Array]) -> Self:
        """Return the scan with the events that a mask selects, in the same order.

        Works piece by piece, for columns in files.

        Parameters
        ----------
        is_selected
            called with a slice of rows, returns their mask

        Returns
        -------
        the scan itself if all events are selected
        """
        # Two passes: the size of the new columns must be known before their file is created.
        n_selected = sum(int(np.count_nonzero(is_selected(rows))) for rows in pieces(self.n_events))
        if n_selected == self.n_events:
            return self
        return self.select_by(
            lambda column: self.storage.select_where(column, is_selected, n_selected)
        )

    @property
    def ordered(self) -> Self:
        """Only the events that are sorted along space; the scan must have such events."""
        return replace(self.select(slice(self.n_ordered)), delayed=None)

    @property
    def prompts(self) -> Self:
        """Only the prompt coincidences."""
        if self.delayed is None:
            return self
        return replace(self.select(self._rows_of(delayed=False)), delayed=None)

    @property
    def delayeds(self) -> Self:
        """Only the delayed coincidences."""
        rows = slice(0, 0) if self.delayed is None else self._rows_of(delayed=True)
        return self.select(rows)

    def _rows_of(self, *, delayed: bool) -> slice | NDArray[np.bool_]:
        """Return the rows of a kind; for sorted events a slice, which is not copied."""
        if self.n_ordered is None:
            is_late = np.asarray(self.delayed)
            return is_late if delayed else ~is_late
        # Sorted scans have all prompts before all delayeds.
        return slice(self.n_prompts, None) if delayed else slice(self.n_prompts)

    @property
    def crystal_weights(self) -> NDArray[np.float64] | None:
        """Product (n_crystals,) of all factors of crystals; None if there are none."""
        # factors of other kinds have no values by crystal
        found = [f.crystal_values for f in self.line_factors if f.crystal_values is not None]
        return np.prod(found, axis=0, dtype=np.float64) if found else None

    def column(self, values: Callable[[slice], Array]) -> NDArray[np.float32]:
        """Return a float32 column of these events, computed piece by piece.

        Parameters
        ----------
        values
            called with a slice of rows, returns their values

        Returns
        -------
        (n,) in the storage of the events
        """
        return self.storage.filled(self.n_events, np.float32, values)

    def with_factor(self, factor: LineFactor, *, on: Backend) -> Self:
        """Return the scan with one more factor, on its events and on every line.

        Parameters
        ----------
        factor
            the effect
        on
            device that computes it
        """
        earlier = self.factors

        def values(rows: slice) -> Array:
            found = factor.of_lines(self.crystals[rows], self.scanner, on=on)
            return found if earlier is None else found * earlier[rows]

        # Computed at once and stored, because each iteration needs it for every event.
        factors = self.column(values)
        return replace(self, factors=factors, line_factors=(*self.line_factors, factor))

    def with_background(self, expected: Array) -> Self:
        """Return the scan with additional expected counts.

        Parameters
        ----------
        expected
            (n,) counts in the frame in the line and TOF bin of each event
        """
        earlier = self.background
        # Sums of backgrounds are stored as well: randoms and scatter come from different
        # corrections.
        found = self.column(lambda rows: expected[rows] + (0 if earlier is None else earlier[rows]))
        return replace(self, background=found)
