"""Component-based normalisation of the Biograph mMR: a header (.n.hdr) and float32 tables (.n).

The efficiency of a bin is the sum, over its lines, of

ε[r1, p1] ε[r2, p2] · g[r1 + r2, t] · c[t, v mod b] · a[k]

with crystal efficiencies ε, geometric effects g, crystal interference c by the place among the b of
a block, and axial effects a of plane k in the span of the tables. The table of efficiencies is
shifted by one place against our numbering, and gaps have no efficiency. The three tables of
dead-time parameters and the additional axial effects are not used.

After STIR (UCL/STIR, BinNormalisationFromECAT8.cxx; Apache-2.0).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import DataError, FileFormatError, GeometryError
from engine.data.bin_values import BinValues
from engine.data.sinogram import Bins
from engine.geometry.ring import RingScanner
from engine.geometry.sinogram_layout import SinogramLayout
from engine.io.interfile.header import InterfileHeader, is_interfile, keys_of, read_header
from engine.io.safety.open_input import InputFile, open_input
from engine.io.siemens.layout import by_obliqueness, scanner_of

MARKS = (b"headernamespace:=normalizationheader", b"headernamespace:=normsubheader")
TABLES = ("geometric effects", "crystal interference", "crystal efficiencies", "axial effects")
MMR = "2008"
MAX_COMPONENTS = 20
Table = NDArray[np.float32]


def is_ecat8_norm(file: InputFile) -> bool:
    """Return True if a file is the header of a component-based normalisation."""
    # Blanks and tabs in keys and around `:=` differ between programs.
    lower = file.head.lower().translate(None, b" \t")
    return is_interfile(file.head) and any(mark in lower for mark in MARKS)


@dataclass(frozen=True, eq=False)
class Ecat8Norm(BinValues):
    """Components of the efficiencies of bins.

    Attributes
    ----------
    scanner : scanner of the tables
    geometry : (2 n_rings - 1, n_bins), by the sum of both rings
    interference : (n_bins, n_places of a block)
    crystals : (n_rings, n_crystals_per_ring), 0 in gaps
    axial : (n_planes,), in the span of the tables
    planes : bins to which `axial` refers
    """

    scanner: RingScanner
    geometry: Table
    interference: Table
    crystals: Table
    axial: Table
    planes: SinogramLayout

    @property
    def notes(self) -> tuple[str, ...]:
        return ("The normalisation components do not correct dead time.",)

    def describe(self) -> str:
        live = self.crystals[self.crystals > 0]
        spread = 100 * float(live.std(dtype=np.float64) / live.mean(dtype=np.float64))
        return f"{live.size:,} crystals, efficiencies vary by {spread:.1f} %"

    def of(self, layout: SinogramLayout, title: str, *, is_factor: bool) -> Bins:
        """Return normalisation factors for the bins of a scan.

        Parameters
        ----------
        layout
            bins of the scan, with at most as many tangential bins as the tables
        title
            name of this input, for error messages
        is_factor
            not used: the components always give factors

        Returns
        -------
        factors
            (n_bins,) by which counts are multiplied; 0 in dead bins

        Raises
        ------
        GeometryError
            if the scan is from another scanner, is arc-corrected, or has more tangential bins
        """
        n_bins = self.geometry.shape[1]
        # Components are defined on crystals, so arc-corrected bins (`bin_mm`) cannot use them.
        alike = layout.scanner.fingerprint() == self.scanner.fingerprint()
        if not alike or layout.bin_mm is not None or layout.n_tangential > n_bins:
            raise GeometryError(
                f"{title}: the normalisation components are for {self.scanner.name!r} with "
                f"{n_bins} tangential bins, but the scan is from {layout.scanner.name!r}; choose "
                "the normalisation of that scanner, or a normalisation sinogram. Bins of the scan: "
                f"{layout.describe()}."
            )
        efficiencies = self.efficiencies(layout)
        live = efficiencies > 0
        return np.divide(1, efficiencies, out=np.zeros_like(efficiencies), where=live)

    def efficiencies(self, layout: SinogramLayout) -> Bins:
        """Return the sum of the efficiencies of the lines of each bin.

        Parameters
        ----------
        layout
            bins with the crystals of `scanner`; views can be mashed

        Returns
        -------
        efficiencies
            (n_bins,); 0 if no line of the bin has two live crystals
        """
        t = layout.tangential
        # The tables can have more tangential bins than the scan; both are centred on t = 0.
        column = t + self.geometry.shape[1] // 2
        view = np.arange(self.scanner.n_views)[:, None]
        first, second = self.scanner.places(view, t[None, :])
        # The interference pattern repeats with each block, so the view counts modulo the places of
        # a block.
        across = self.interference[column][:, view[:, 0] % self.interference.shape[1]].T
        pairs = self.scanner.ring_pairs
        plane, inside = layout.plane_of(pairs[:, 0], pairs[:, 1])
        own, known = self.planes.plane_of(pairs[:, 0], pairs[:, 1])
        # Ring pairs beyond the span of the tables get no axial correction.
        axial = np.where(known, self.axial[np.where(known, own, 0)], np.float32(1))
        sums = np.zeros(layout.shape, np.float32)
        # One ring pair at a time: all lines of an mMR scan together would need gigabytes.
        for k in np.flatnonzero(inside):
            one, two = pairs[k]
            lines = self.crystals[one][first] * self.crystals[two][second] * across
            lines *= axial[k] * self.geometry[one + two, column]
            sums[plane[k]] += lines.reshape(layout.n_views, layout.n_mashed, -1).sum(axis=1)
        return sums.reshape(-1)


def read_ecat8_norm(file: InputFile) -> Ecat8Norm:
    """Read the normalisation components of a Biograph mMR.

    Parameters
    ----------
    file
        header (.n.hdr); the tables are in the file that it names

    Raises
    ------
    GeometryError
        if the header is from another scanner
    FileFormatError
        if a table is missing or has an unexpected shape
    DataError
        if a table contains negative values or NaN
    """
    header = read_header(file)
    system = header.text("originating system")
    if system != MMR:
        raise GeometryError(
            f"{file.name}: the scanner model of the normalisation components ('originating "
            f"system') is {system!r}, expected {MMR!r} (Biograph mMR); use the normalisation "
            "sinogram that the Siemens software computes from them (norm3d)."
        )
    scanner = scanner_of(header)
    s = scanner.settings
    places = _places(header)
    with open_input(header.data_file) as data:
        geometry, interference, crystals, axial = (
            _table(header, data, name, places[name]) for name in TABLES
        )
    span, most = (header.required(key) for key in ("axial compression", "maximum ring difference"))
    planes = by_obliqueness(SinogramLayout.of(scanner, span=span, max_difference=most))
    n_bins = geometry.shape[-1]
    shapes = {
        TABLES[0]: (geometry, (2 * s.n_rings - 1, n_bins)),
        TABLES[1]: (interference, (n_bins, s.block_places)),
        TABLES[2]: (crystals, (s.n_rings, s.n_crystals_per_ring)),
        TABLES[3]: (axial, (planes.n_planes,)),
    }
    for name, (table, shape) in shapes.items():
        if table.shape != shape:
            raise FileFormatError(
                f"{file.name}: {name!r} has {' × '.join(map(str, table.shape))} values, expected "
                f"{' × '.join(map(str, shape))}; choose the normalisation of a Biograph mMR."
            )
    # The shift of one place is that of STIR. Values in gaps are not efficiencies.
    alive = scanner.alive.reshape(crystals.shape)
    crystals = np.where(alive, np.roll(crystals, 1, axis=1), np.float32(0))
    return Ecat8Norm(scanner, geometry, interference, crystals, axial, planes)


def _places(header: InterfileHeader) -> dict[str, int]:
    """Return the number of each table, by its name."""
    n = header.required("number of normalization components")
    named = {header.of_axis("normalization component", k): k for k in range(1, min(n, 20) + 1)}
    found = {name: k for name, k in named.items() if name is not None}
    missing = [name for name in TABLES if name not in found]
    if n > MAX_COMPONENTS:
        raise FileFormatError(
            f"{header.path.name}: states {n:,} normalization components, expected at most "
            f"{MAX_COMPONENTS}; correct the header."
        )
    if missing:
        raise FileFormatError(
            f"{header.path.name}: lists {n} normalization components without {', '.join(missing)}, "
            f"expected {', '.join(TABLES)}; correct the header."
        )
    return found


def _table(header: InterfileHeader, data: InputFile, name: str, k: int) -> Table:
    """Return a table with its last axis fastest; refuse negative values and NaN."""
    text = (header.of_axis("matrix size", k) or "").strip("{} ")
    sizes = [part.strip() for part in text.split(",")]
    if not all(size.isdigit() and len(size) < 7 for size in sizes):
        raise FileFormatError(
            f"{header.path.name}: 'matrix size [{k}]' is {text[:40]!r}, expected whole numbers; "
            "correct the header."
        )
    start = header.required(*keys_of("data offset in bytes", k))
    if start < 0:
        raise FileFormatError(
            f"{header.path.name}: the table {name!r} starts at byte {start}, expected 0 or more; "
            "correct the header."
        )
    # Interfile lists the fastest axis first, NumPy the slowest.
    table = data.array(header.number_type, tuple(int(size) for size in reversed(sizes)), start)
    if not (np.all(np.isfinite(table)) and np.all(table >= 0)):
        raise DataError(
            f"{data.name}: the table {name!r} contains negative values or NaN; export the file "
            "again."
        )
    return np.asarray(table, np.float32)
