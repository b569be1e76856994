"""What is this file: its format, what it holds, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.data.histogram import Histogram, total
from engine.data.projections import Projections
from engine.data.sinogram import DELAYEDS, Sinogram
from engine.data.volume import Volume
from engine.errors import EngineError
from engine.geometry.dual_head import DualHead
from engine.geometry.scanner import Scanner
from engine.io.event_facts import EventFacts, facts_of
from engine.io.fact_labels import fact_of
from engine.io.open_input import InputFile, open_input

Facts = tuple[tuple[str, str], ...]
Look = Callable[[], "Report"]


@dataclass(frozen=True)
class Report:
    """What was found in a file.

    Attributes
    ----------
    format : name of the format, "unknown" if none
    title : one line, what the file is
    facts : (label, text), in the order to show them
    faults : why the file cannot be used, one sentence each; none if it can
    notes : what the user should know
    """

    format: str
    title: str
    facts: Facts = ()
    faults: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def usable(self) -> bool:
        """Whether the file can be used."""
        return not self.faults


def inspect(path: Path | str, *, scanner: str | None = None) -> Report:
    """Look into any file; what is wrong with it is in the report, not an exception."""
    from engine.io import scan_file
    from engine.io.response_hdf5 import refuse_unfinished

    path = Path(path)
    try:
        refuse_unfinished(path)
        path = scan_file(path)
        with open_input(path) as file:
            size = (("Size", f"{file.size:,} bytes"),)
            name, look = _of_xray(path) or _recognise(file, scanner)
            return _looked_into(name, look, size)
    except EngineError as e:
        return Report("unknown", "unknown format", faults=(str(e),))


def _looked_into(name: str, look: Look, size: Facts) -> Report:
    try:
        found = look()
    except EngineError as e:
        return Report(name, f"{name}, not usable", size, (str(e),))
    return Report(name, found.title, size + found.facts, found.faults, found.notes)


def _of_xray(path: Path) -> tuple[str, Look] | None:
    """Return the name and what reads an X-ray scan, None if it is none."""
    from engine.io import read_projections
    from engine.io.xray.find import find

    found = find(path)
    if found is None:
        return None
    return found[0].name, lambda: _of_projections(read_projections(path))


def _recognise(file: InputFile, scanner: str | None) -> tuple[str, Look]:
    """Return the format's name and what reads it."""
    from engine.io.auxiliary_report import of_calibration, of_tracer, of_triggers
    from engine.io.calibration_file import is_calibration
    from engine.io.efficiencies import DATASET
    from engine.io.formats import (
        HISTOGRAM_READERS,
        LISTMODE_READERS,
        SINOGRAM_READERS,
        VOLUME_READERS,
        reader_of,
    )
    from engine.io.hdf5 import is_hdf5
    from engine.io.hdf5_contents import describe_contents, holds
    from engine.io.normalisation_hdf5 import is_components
    from engine.io.normalisation_report import of_components, of_efficiencies
    from engine.io.response_hdf5 import is_response
    from engine.io.scanner_toml import is_scanner_toml
    from engine.io.scanners import MAP_SUFFIXES
    from engine.io.tracer_file import is_tracer
    from engine.io.trigger_file import is_trigger_file
    from engine.io.unknown import NOTHING_KNOWN, unnamed

    path, head = file.path, file.head
    scan = reader_of(LISTMODE_READERS, file)
    if scan is not None:
        return scan.name, lambda: _of_scan(facts_of(scan, file, scanner=scanner))
    counts = reader_of(HISTOGRAM_READERS, file)
    if counts is not None:
        return counts.name, lambda: _of_histogram(counts.read(file, scanner=scanner))
    sinogram = reader_of(SINOGRAM_READERS, file)
    if sinogram is not None:
        return sinogram.name, lambda: _of_sinogram(sinogram.read(file))
    if is_response(file):
        return "Isocenter response matrix", lambda: _of_response(path)
    image = reader_of(VOLUME_READERS, file)
    if image is not None:
        return image.name, lambda: _of_volume(image.read(file))
    if is_calibration(file):
        return "Calibration", lambda: of_calibration(path)
    if is_tracer(file):
        return "Tracer and dose", lambda: of_tracer(path)
    if is_trigger_file(file):
        return "Trigger times", lambda: of_triggers(path)
    suffix = path.suffix.lower()
    if suffix == ".toml" and is_scanner_toml(path):
        return "Scanner", lambda: _of_toml_scanner(path)
    if is_components(file):
        return "Isocenter normalisation", lambda: of_components(path)
    if is_hdf5(head) and not holds(file, DATASET):
        raise unnamed(file, describe_contents(file))
    fields = _first_row(head) if suffix in MAP_SUFFIXES else []
    if is_hdf5(head) or (fields and len(fields) <= 2):
        return "Crystal efficiencies", lambda: of_efficiencies(path, scanner)
    if fields:
        return "Crystal map", lambda: _of_map(path)
    raise unnamed(file, f"{path.name}: {NOTHING_KNOWN}")


def _first_row(head: bytes) -> list[str]:
    """Return the first row of a table of numbers, empty where the text is no such table."""
    for line in head.decode("utf-8", errors="replace").splitlines():
        fields = line.partition("#")[0].replace(",", " ").split()
        if fields:
            return fields if all(_is_number(field) for field in fields) else []
    return []


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _of_scan(found: EventFacts) -> Report:
    data = found.sample
    facts = [("Scanner", data.scanner.name), ("Crystals", data.scanner.describe())]
    facts += [("Prompts", f"{found.n_prompts:,}"), ("Delayeds", f"{found.n_delayed:,}")]
    facts += [("Singles", data.describe_singles()), ("Duration", f"{data.duration_s:g} s")]
    if found.times_ms is not None:
        low, high = found.times_ms
        facts.append(("Times", f"{low:,} to {high:,} ms"))
    tof = data.scanner.tof
    measured = data.tof_bins is not None and tof is not None
    facts += [("Triggers", each.describe()) for each in data.triggers]
    facts.append(("Time of flight", f"{tof.n_bins} bins" if measured and tof else "not measured"))
    facts += [fact_of(key, v) for key, v in data.info.items() if key != "format"]
    faults = () if found.n_prompts else ("The scan holds no prompts, so there is no image in it.",)
    title = f"{found.n_prompts:,} prompts, {data.scanner.name}"
    return Report("", title, tuple(facts), faults, data.notes)


def _of_histogram(data: Histogram) -> Report:
    facts = [("Scanner", data.scanner.name), ("Crystals", data.scanner.describe())]
    facts += [("Prompts", f"{data.n_prompts:,.0f}"), ("Delayeds", f"{data.n_delayeds:,.0f}")]
    facts += [("Lines", f"{data.scanner.n_lors:,}"), ("Duration", f"{data.duration_s:g} s")]
    facts += [fact_of(key, v) for key, v in data.info.items()]
    faults = () if data.n_prompts else ("No line holds a count, so there is no image in it.",)
    title = f"{data.n_prompts:,.0f} prompts, {data.scanner.name}"
    return Report("", title, tuple(facts), faults, data.notes)


def _of_sinogram(data: Sinogram) -> Report:
    facts = [("Scanner", data.scanner.name), ("Crystals", data.scanner.describe())]
    facts += [("Counts", f"{data.n_prompts:,.0f}"), ("Bins", data.layout.describe())]
    if data.times_of_flight:
        facts.append(("Times of flight", data.times_of_flight))
    if DELAYEDS in data.auxiliary:
        facts.append(("Delayeds", f"{total(data.auxiliary[DELAYEDS]):,.0f}"))
    facts += [fact_of(key, v) for key, v in data.info.items() if v]
    faults = () if data.n_prompts > 0 else ("No bin holds a count, so there is no image in it.",)
    title = f"{data.n_prompts:,.0f} counts, {data.scanner.name}"
    return Report("", title, tuple(facts), faults, data.notes)


def _of_projections(data: Projections) -> Report:
    from engine.io.xray.facts import facts_of, title_of

    return Report("", title_of(data), facts_of(data), (), data.notes)


def _of_volume(volume: Volume) -> Report:
    low, high = float(volume.values.min()), float(volume.values.max())
    x, y, z = (
        f"{a:g} to {b:g} mm"
        for a, b in zip(volume.grid.lower_mm, volume.grid.upper_mm, strict=True)
    )
    facts = (
        ("Voxels", volume.grid.describe()),
        ("x", x),
        ("y", y),
        ("z", z),
        ("Unit", volume.unit or _unit_guess(low, high)),
        ("Values", f"{low:g} to {high:g}"),
        ("Mean", f"{float(volume.values.mean(dtype=np.float64)):g}"),
    )
    return Report("", f"volume, {volume.grid.describe()}", facts, notes=volume.notes)


def _unit_guess(low: float, high: float) -> str:
    from engine.io.mu_map import MAX_PER_CM, MAX_PER_MM, MIN_PER_MM

    if low < -500:
        return "not given; perhaps Hounsfield units"
    if low < MIN_PER_MM or high > MAX_PER_CM or high <= 0:
        return "not given"
    return f"not given; as attenuation {'1/mm' if high <= MAX_PER_MM else '1/cm'}"


def _of_scanner(scanner: Scanner, more: Facts = ()) -> Report:
    low, high = scanner.axial_range_mm
    facts = (
        ("Name", scanner.name),
        ("Crystals", f"{scanner.n_crystals:,}, {int(scanner.alive.sum()):,} of them not in gaps"),
        ("Bore", f"{2 * scanner.bore_radius_mm:g} mm across"),
        ("Length", f"{high - low:g} mm between the outer crystals"),
        ("Lines of response", f"{scanner.n_lors:,}"),
        ("Time of flight", f"{scanner.tof.fwhm_ps:g} ps" if scanner.tof else "not measured"),
        *more,
    )
    return Report("", f"scanner {scanner.name}, {scanner.describe()}", facts)


def _of_toml_scanner(path: Path) -> Report:
    from engine.io.scanner_toml import read_toml_scanner

    scanner = read_toml_scanner(path)
    if isinstance(scanner, DualHead):
        p = scanner.settings
        panel = f"{p.n_rows} × {p.n_columns} crystals, {p.pitch_mm:g} mm apart"
        return _of_scanner(scanner, (("Panel", panel), ("Image", scanner.grid.describe())))
    s = scanner.settings
    more = (
        ("Rings", f"{s.n_rings}, {s.ring_pitch_mm:g} mm apart"),
        ("Places on a ring", f"{s.n_crystals_per_ring}, {len(s.gap_places)} of them gaps"),
        ("Largest ring difference", str(s.max_ring_difference)),
    )
    return _of_scanner(scanner, more)


def _of_response(path: Path) -> Report:
    from engine.io.response_hdf5 import read_response

    matrix = read_response(path)
    facts = (
        ("Scanner", f"{matrix.scanner.name}, {matrix.scanner.describe()}"),
        ("Image", matrix.scanner.grid.describe()),
        ("Orientations", f"{len(matrix.orientations):,}"),
        ("Non-zeros", f"{matrix.n_nonzero:,}, {matrix.n_bytes / 2**20:,.0f} MiB"),
        ("Dropped as too small", f"at most {100 * matrix.dropped.max():.2g} % of a row"),
        ("Error", f"at most {100 * matrix.errors.max():.2g} % of a row"),
    )
    return Report("", f"response matrix of {matrix.scanner.name}", facts, notes=matrix.notes)


def _of_map(path: Path) -> Report:
    from engine.io.crystal_map import read_crystal_map

    return _of_scanner(read_crystal_map(path))
