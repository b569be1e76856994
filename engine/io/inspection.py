"""Inspect a file: its format, content and faults."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from engine.core.errors import EngineError, SeveralItemsError
from engine.io.folder import exists, is_folder
from engine.io.report import FORMAT, UNKNOWN, Facts, Report, with_format
from engine.io.safety.open_input import InputFile, open_input
from engine.io.scan_files import file_to_open, read_projections
from engine.io.text.fact_labels import fact_of
from engine.io.text.rows import is_number, rows_of

if TYPE_CHECKING:  # a file has one kind, so the readers of other kinds are not needed
    from engine.data.histogram import Histogram
    from engine.data.projections import Projections
    from engine.data.sinogram import Sinogram
    from engine.data.volume import Volume
    from engine.io.base import Format
    from engine.io.listmode.event_facts import EventFacts

MakeReport = Callable[[], Report]


def inspect(path: Path | str, *, scanner: str | None = None) -> Report:
    """Inspect any file; problems are in the report, never an exception.

    Parameters
    ----------
    path
        file or folder
    scanner
        scanner for list mode and efficiencies that do not state one: name, scanner file or crystal
        map

    Returns
    -------
    report
        format, size, content and faults of the file
    """
    path = Path(path)
    try:
        # A response that is still being computed would otherwise look like a damaged HDF5 file.
        if not exists(path):
            from engine.io.hdf5.response import refuse_unfinished

            refuse_unfinished(path)
        path = file_to_open(path)
        with open_input(path) as file:
            size = ("Size", f"{file.size:,} bytes")
            return _looked_into(_of_xray(path) or _recognise(file, scanner), size)
    # Before its base class `EngineError`.
    except SeveralItemsError as e:
        return _of_folder(path if is_folder(path) else path.parent, e)
    except EngineError as e:
        return _unreadable(path, e)


def _of_folder(folder: Path, fault: SeveralItemsError) -> Report:
    """Report the scans and images of a folder, for the user to choose from."""
    # Several scans are not an error here: the report lists them to choose from.
    facts = tuple((item.place(folder), item.text) for item in fault.items)
    note = "Open one of them."
    title = f"folder with {len(fault.items)} scans or images"
    return Report("Folder", title, facts, notes=(note,))


def _unreadable(path: Path, fault: EngineError) -> Report:
    """Report a file that no reader accepts, with its format if that is recognised."""
    from engine.io.recogniser import recognised

    try:
        with open_input(path) as file:
            known = recognised(file)
    except EngineError:
        known = None
    facts = ((FORMAT, known.name),) if known else ()
    return Report(UNKNOWN, "unknown format" if known is None else known.name, facts, (str(fault),))


@dataclass(frozen=True)
class _Recognised:
    """A file of a known kind.

    Attributes
    ----------
    name : name of its reader, or of the kind of file
    preview : reads the file and returns its report
    format : exact name of the format; `name` if empty
    """

    name: str
    preview: MakeReport
    format: str = ""


def _looked_into(file: _Recognised, size: tuple[str, str]) -> Report:
    name, head = file.name, ((FORMAT, file.format or file.name), size)
    try:
        found = file.preview()
    except EngineError as e:
        return Report(name, f"{name}, unusable", head, (str(e),))
    return Report(name, found.title, with_format(head, found.facts), found.faults, found.notes)


def _of_xray(path: Path) -> _Recognised | None:
    """Return name and reader of an X-ray scan, None for other files."""
    from engine.io.xray.find import find

    found = find(path)
    if found is None:
        return None
    reader, settings = found
    with open_input(settings) as file:
        exact = reader.format_of(file)
    return _Recognised(reader.name, lambda: _of_projections(read_projections(path)), exact)


def _recognise(file: InputFile, scanner: str | None) -> _Recognised:
    """Return the name of the format and a function that reads the file."""
    from engine.io.formats import HISTOGRAM_READERS, LISTMODE_READERS, SINOGRAM_READERS

    # Formats with marks come first. Tables of numbers, which any text can resemble, come last.
    scan = LISTMODE_READERS.accepting(file)
    if scan is not None:
        from engine.io.listmode.event_facts import facts_of

        return _of_reader(file, scan, lambda: _of_scan(facts_of(scan, file, scanner=scanner)))
    counts = HISTOGRAM_READERS.accepting(file)
    if counts is not None:
        return _of_reader(file, counts, lambda: _of_histogram(counts.read(file, scanner=scanner)))
    sinogram = SINOGRAM_READERS.accepting(file)
    if sinogram is not None:
        return _of_reader(file, sinogram, lambda: _of_sinogram(sinogram.read(file)))
    return _of_no_scan(file, scanner)


def _of_no_scan(file: InputFile, scanner: str | None) -> _Recognised:
    """Return the name of the format of an auxiliary file, and a function that reads it."""
    from engine.io.formats import VOLUME_READERS
    from engine.io.hdf5.opening import describe_contents, holds, is_hdf5

    path, head, suffix = file.path, file.head, file.path.suffix.lower()
    # A response is one of our HDF5 files, but no reader takes it, because it is not opened alone.
    if is_hdf5(head):
        from engine.io.auxiliary.report import of_response
        from engine.io.hdf5.response import is_response

        if is_response(file):
            return _Recognised("Isocenter response matrix", lambda: of_response(path))
    image = VOLUME_READERS.accepting(file)
    if image is not None:
        return _of_reader(file, image, lambda: _of_volume(image.read(file)))
    from engine.io.auxiliary.calibration_file import is_calibration
    from engine.io.auxiliary.efficiencies import DATASET
    from engine.io.auxiliary.report import (
        of_calibration,
        of_components,
        of_efficiencies,
        of_map,
        of_toml_scanner,
        of_tracer,
        of_triggers,
    )
    from engine.io.auxiliary.tracer_file import is_tracer
    from engine.io.auxiliary.trigger_file import is_trigger_file
    from engine.io.hdf5.normalisation import is_components
    from engine.io.scanners import MAP_SUFFIXES
    from engine.io.scanners.toml_scanner import is_scanner_toml
    from engine.io.unknown import NOTHING_KNOWN, unnamed

    if is_calibration(file):
        return _Recognised("Calibration", lambda: of_calibration(path))
    if is_tracer(file):
        return _Recognised("Tracer and dose", lambda: of_tracer(path))
    if is_trigger_file(file):
        return _Recognised("Trigger times", lambda: of_triggers(path))
    if suffix == ".toml" and is_scanner_toml(path):
        return _Recognised("Scanner", lambda: of_toml_scanner(path))
    if is_components(file):
        return _Recognised("Isocenter normalisation", lambda: of_components(path))
    # HDF5 of another program: list its datasets, so that the user can describe them.
    if is_hdf5(head) and not holds(file, DATASET):
        raise unnamed(file, describe_contents(file))
    fields = _first_row(head) if suffix in MAP_SUFFIXES else []
    # Efficiencies have one value for each crystal, perhaps after its number. A crystal map has five
    # or six columns.
    if is_hdf5(head) or (fields and len(fields) <= 2):
        return _Recognised("Crystal efficiencies", lambda: of_efficiencies(path, scanner))
    if fields:
        return _Recognised("Crystal map", lambda: of_map(path))
    raise unnamed(file, f"{path.name}: {NOTHING_KNOWN}")


def _of_reader(file: InputFile, reader: type[Format], preview: MakeReport) -> _Recognised:
    return _Recognised(reader.name, preview, reader.format_of(file))


def _first_row(head: bytes) -> list[str]:
    """Return the first row of a table of numbers; empty if the text is no such table."""
    rows = rows_of(head.decode("utf-8", errors="replace").splitlines())
    return rows[0][1] if rows and all(map(is_number, rows[0][1])) else []


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
    # Delayeds alone are a valid file, but nothing can be reconstructed from them.
    faults = () if found.n_prompts else ("The scan contains no prompts, so it gives no image.",)
    title = f"{found.n_prompts:,} prompts, {data.scanner.name}"
    return Report("", title, tuple(facts), faults, data.notes)


def _of_histogram(data: Histogram) -> Report:
    facts = [("Scanner", data.scanner.name), ("Crystals", data.scanner.describe())]
    facts += [("Prompts", f"{data.n_prompts:,.0f}"), ("Delayeds", f"{data.n_delayeds:,.0f}")]
    facts += [("Lines", f"{data.scanner.n_lors:,}"), ("Duration", f"{data.duration_s:g} s")]
    facts += [fact_of(key, v) for key, v in data.info.items()]
    faults = () if data.n_prompts else ("All lines have 0 counts, so the scan gives no image.",)
    title = f"{data.n_prompts:,.0f} prompts, {data.scanner.name}"
    return Report("", title, tuple(facts), faults, data.notes)


def _of_sinogram(data: Sinogram) -> Report:
    from engine.data.histogram import total
    from engine.data.sinogram import DELAYEDS

    facts = [("Scanner", data.scanner.name), ("Crystals", data.scanner.describe())]
    facts += [("Counts", f"{data.n_prompts:,.0f}"), ("Bins", data.layout.describe())]
    if data.times_of_flight:
        facts.append(("Times of flight", data.times_of_flight))
    if DELAYEDS in data.auxiliary:
        facts.append(("Delayeds", f"{total(data.auxiliary[DELAYEDS]):,.0f}"))
    facts += [fact_of(key, v) for key, v in data.info.items() if v]
    faults = () if data.n_prompts > 0 else ("All bins have 0 counts, so the scan gives no image.",)
    title = f"{data.n_prompts:,.0f} counts, {data.scanner.name}"
    return Report("", title, tuple(facts), faults, data.notes)


def _of_projections(data: Projections) -> Report:
    from engine.io.xray.facts import facts_of, title_of

    return Report("", title_of(data), facts_of(data), (), data.notes)


def _of_volume(volume: Volume) -> Report:
    # The range of the values often reveals a wrong unit before a long run does.
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
        *((("Quantity", volume.quantity),) if volume.quantity else ()),
        ("Unit", volume.unit or _unit_guess(low, high)),
        ("Values", f"{low:g} to {high:g}"),
        ("Mean", f"{float(volume.values.mean(dtype=np.float64)):g}"),
        *_error_facts(volume),
    )
    return Report("", f"volume, {volume.grid.describe()}", facts, notes=volume.notes)


def _error_facts(volume: Volume) -> Facts:
    if volume.error is None:
        return ()
    return (("Error map", volume.error.source),)


def _unit_guess(low: float, high: float) -> str:
    # Only a hint: air is -1000 HU, and μ of body tissue at 511 keV is near 0.0096/mm.
    from engine.io.auxiliary.mu_map import MAX_PER_CM, MAX_PER_MM, MIN_PER_MM

    if low < -500:
        return "not stated; possibly Hounsfield units"
    if low < MIN_PER_MM or high > MAX_PER_CM or high <= 0:
        return "not stated"
    return f"not stated; possibly attenuation in {'1/mm' if high <= MAX_PER_MM else '1/cm'}"
