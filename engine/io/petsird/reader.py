"""Read PETSIRD list mode (`.petsird`, perhaps gzip): events, scanner, efficiencies.

Each file begins with its schema, which defines how to read the rest. The fields used here are those
of PETSIRD 0.9 to 0.12, https://github.com/ETSInitiative/PETSIRD.

External signals are triggers for gating. The block of a trigger begins at its time
(`ExternalSignalTimeBlock`). The header describes the signals (`ExamInformation.externalSignals`).
Recorded curves are not used.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.errors import CutOffError, DataError, FileFormatError
from engine.core.json_types import Plain
from engine.data.calibration import LIVE_BLOCKS
from engine.data.components import Components
from engine.data.formatting import Information
from engine.data.listmode import ListMode
from engine.data.timing.triggers import Triggers
from engine.io.base import ListModeReader
from engine.io.petsird.blocks import Blocks, read_blocks, refuse_movement
from engine.io.petsird.efficiencies import (
    bin_efficiencies,
    crystal_efficiencies,
    live_of_blocks,
    live_times,
    mean_live,
    pair_table,
)
from engine.io.petsird.geometry import Geometry, Tree, read_geometry, window_ps
from engine.io.petsird.schema import Schema
from engine.io.petsird.stream import EndOfStreamError, YardlStream, begins_as_yardl
from engine.io.safety.cut_off import EVENTS
from engine.io.safety.open_input import InputFile

PROTOCOL = "PETSIRD"
MARK = b'"name":"PETSIRD"'
SYMBOLS = {"carbon": "C", "nitrogen": "N", "oxygen": "O", "fluorine": "F", "gallium": "Ga"}
BQ_PER_MBQ = 1e6
LATE_MS = 1000
"""A first block after this time gets a note: the clock began before the scan."""
COVERED = 0.99
"""Part of the scan that blocks of events should cover."""
TRIGGERS = {"ecgTrigger": "ecg", "respTrigger": "respiration", "otherMotionTrigger": "movement"}
"""Trigger types in ExternalSignalTypeEnum -> name of the signal."""


class Petsird(ListModeReader):
    """PETSIRD list mode."""

    format_name: ClassVar[str] = "PETSIRD"

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        # The schema is JSON after the yardl magic, and begins with the name of the protocol.
        return MARK in begins_as_yardl(file.head)[:512]

    @classmethod
    def read(cls, file: InputFile, *, scanner: str | None = None) -> ListMode:
        try:
            return cls._scan(file, scanner)
        # The schema of a file can name or nest fields in another way than this reader expects.
        except (KeyError, TypeError, IndexError, AttributeError, ValueError) as e:
            raise FileFormatError(
                f"{file.name}: the schema differs from PETSIRD 0.12; write the file with that "
                f"version, or copy it again. Reason: {type(e).__name__}: {e}."
            ) from e

    @classmethod
    def _scan(cls, file: InputFile, scanner: str | None) -> ListMode:
        path = file.path
        header, blocks, ended = _content(file)
        if ended is not None:
            _refuse_cut(blocks, file)
        if not blocks.n_events:
            raise DataError(
                f"{path.name}: contains no coincidences (blocks: "
                f"{sum(blocks.kinds.values()):,}, single photons: "
                f"{blocks.others['singleEvents']:,}); write a file with coincidences."
            )
        geometry = blocks.geometry
        found: Tree = header["scanner"]["detectionEfficiencies"]
        bins = bin_efficiencies(found, geometry, path)
        stated = live_of_blocks(blocks, path)
        # Dead time multiplies the efficiencies, so it acts on every line and on the sensitivity.
        live, live_notes = mean_live(blocks, stated)
        pairs = pair_table(found, geometry, bins, path)
        delayed = np.concatenate(blocks.delayed)
        # Times count from the first block of events, the end is that of the last one.
        first = min(start for start, _ in blocks.spans_ms)
        last = max(stop for _, stop in blocks.spans_ms)
        crystals = np.concatenate(blocks.crystals)
        return ListMode(
            scanner=geometry.scanner,
            crystals=crystals,
            delayed=delayed if delayed.any() else None,
            tof_bins=None if geometry.scanner.tof is None else np.concatenate(blocks.tof_bins),
            time_ms=np.concatenate(blocks.time_ms) - np.uint32(first),
            duration_s=(last - first) / 1000,
            efficiencies=_efficiencies(found, bins, live),
            components=None if pairs is None else Components(pairs=pairs),
            singles=_singles(blocks, header["scanner"], path),
            live_times=live_times(blocks, stated, bins, live, crystals),
            triggers=triggers_of(header, blocks, first),
            coincidence_window_ps=window_ps(header["scanner"]),
            info=_info(header, blocks, path, live is not None)
            | ({} if ended is None else {EVENTS: blocks.n_events}),
            notes=(
                *_cut_notes(ended, blocks, path),
                *geometry.notes,
                *refuse_movement(blocks, path),
                *live_notes,
                *_notes(header, blocks, first, last),
                *_named_scanner(scanner),
            ),
        )


def _content(file: InputFile) -> tuple[Tree, Blocks, int | None]:
    """Return header, blocks, and the end of the last complete block if the stream is truncated."""
    path = file.path
    try:
        stream = YardlStream(file)
        schema = Schema(stream)
        header = schema.step("header")(stream)
        if not isinstance(header, dict):
            raise stream.damaged()
    except EndOfStreamError as e:
        raise FileFormatError(f"{path.name}: ends within its header; copy the file again.") from e
    geometry = read_geometry(header["scanner"], path)
    return header, *read_blocks(stream, schema.step("timeBlocks"), geometry, path)


def _refuse_cut(blocks: Blocks, file: InputFile) -> None:
    if not file.may_be_cut:
        raise CutOffError(
            f"{file.name}: the end mark is missing, so the file is truncated (complete blocks: "
            f"{sum(blocks.kinds.values()):,})",
            blocks.n_events,
        )


def _cut_notes(ended: int | None, blocks: Blocks, path: Path) -> tuple[str, ...]:
    if ended is None:
        return ()
    return (
        f"{path.name} has no end mark; the {blocks.n_events:,} events of its complete blocks are "
        "used.",
    )


def _efficiencies(
    found: Tree, bins: list[NDArray[np.float32]], live: list[NDArray[np.float32]] | None
) -> NDArray[np.float32] | None:
    """Return efficiencies × live time of each crystal, (n_crystals,); None without both."""
    stated = any(len(each) for each in found["detectionBinEfficiencies"]) or live is not None
    # With several energy bins, even default efficiencies add up to more than 1.
    if not stated and all(each.shape[1] == 1 for each in bins):
        return None
    if live is not None:
        bins = [one * part for one, part in zip(bins, live, strict=True)]
    return crystal_efficiencies(bins)


def _singles(blocks: Blocks, scanner: Tree, path: Path) -> NDArray[np.float32] | None:
    """Return the singles of each crystal over all energies; those of a unit are divided equally."""
    geometry = blocks.geometry
    counts = np.zeros(geometry.scanner.n_crystals)
    for block in blocks.singles:
        by_bin: list[Array] = block["singlesPerDetectionBinHistogram"]
        for one, values in zip(geometry.types, by_bin, strict=False):
            if len(values) % one.n_crystals:
                raise FileFormatError(
                    f"{path.name}: contains {len(values):,} singles counts, expected a multiple of "
                    f"{one.n_crystals:,} (the number of crystals); write the file again."
                )
            rows = slice(one.first_crystal, one.first_crystal + one.n_crystals)
            # The energy index varies fastest, so each row contains the energies of one crystal.
            counts[rows] += np.asarray(values, float).reshape(one.n_crystals, -1).sum(axis=1)
        by_unit: list[Array] = block["singlesPerSinglesUnitHistogram"]
        if by_unit:
            counts += _shared_out(by_unit, scanner, geometry)
    return counts.astype(np.float32) if counts.any() else None


def _shared_out(by_unit: list[Array], scanner: Tree, geometry: Geometry) -> Array:
    # Some scanners count singles only for a group of modules, a singles unit.
    units = np.array([np.asarray(each, float).sum() for each in by_unit])
    tables: list[Array] = scanner["moduleSinglesUnitIdxLUTs"]
    unit = np.concatenate([np.asarray(table, np.int64) for table in tables])
    unit = unit[geometry.scanner.keys[:, 0]]
    n_crystals = np.bincount(unit, minlength=len(units))
    return np.asarray((units / np.maximum(n_crystals, 1))[unit])


def _info(header: Tree, blocks: Blocks, path: Path, is_live: bool) -> Plain:
    scanner: Tree = header["scanner"]
    edges = [np.asarray(each["edges"]) for each in scanner["eventEnergyBinEdges"]]
    info: Plain = {
        "format": Petsird.name,
        "data_file": path.name,
        "n_blocks": sum(blocks.kinds.values()),
        "calibration_factor": scanner["detectionEfficiencies"]["calibrationFactor"],
        "energy_low_kev": round(float(min(each[0] for each in edges)), 3),
        "energy_high_kev": round(float(max(each[-1] for each in edges)), 3),
    }
    if is_live:
        info[LIVE_BLOCKS] = blocks.geometry.scanner.n_crystals
    return info | _exam(header.get("exam"))


def _exam(exam: object) -> Plain:
    """Return the facts of an examination that do not identify anybody."""
    if not isinstance(exam, dict):
        return {}
    drugs = exam.get("radiopharmaceuticals") or [{}]
    drug = drugs[0]
    nuclide = _nuclide(drug.get("radionuclideCodeSequence", {}).get("codeMeaning", ""))
    # Some files state only the start of the study.
    started = exam.get("startOfAcquisition") or exam.get("startOfStudy")
    facts: Plain = {
        "isotope": nuclide,
        "radiopharmaceutical": drug.get("radiopharmaceuticalCodeSequence", {}).get("codeMeaning"),
        "injected_bq": BQ_PER_MBQ * drug.get("radionuclideTotalDose", 0.0),
        "injected_at": _moment(drug.get("radiopharmaceuticalStartDateTime")),
        "scan_start": _moment(started),
    }
    return {key: value for key, value in facts.items() if value}


def _nuclide(meaning: str) -> str:
    """Return the common form of a nuclide: "^18^Fluorine" is "F-18"."""
    mass, name = re.search(r"\d+", meaning), re.search(r"[A-Za-z]+", meaning)
    if mass is None or name is None:
        return meaning
    return f"{SYMBOLS.get(name[0].lower(), name[0])}-{mass[0]}"


def _moment(nanoseconds: object) -> str | None:
    if not isinstance(nanoseconds, int) or nanoseconds <= 0:
        return None
    # yardl stores times as nanoseconds since 1970.
    return str(np.datetime64(nanoseconds, "ns").astype("datetime64[s]"))


def _notes(header: Tree, blocks: Blocks, first: int, last: int) -> tuple[str, ...]:
    notes: list[str] = []
    if first >= LATE_MS:
        text = f"The first block is at {first:,} ms; times are counted from there."
        notes.append(Information(text))
    covered = sum(stop - start for start, stop in blocks.spans_ms)
    if 0 < covered < COVERED * (last - first):
        notes.append(
            f"Blocks of events cover {covered / 1000:g} s of the {(last - first) / 1000:g} s of "
            "the scan."
        )
    if blocks.n_extra:
        notes.append(
            f"{blocks.n_extra:,} events of module types that the scanner does not have were "
            "removed."
        )
    notes += [f"The {kind!r} are not used ({n:,})." for kind, n in blocks.others.items() if n]
    n_signals = unused_signals(header, blocks)
    if n_signals:
        notes.append(f"{n_signals:,} blocks of external signals are not used.")
    return tuple(notes)


def _named_scanner(named: str | None) -> tuple[str, ...]:
    if named is None:
        return ()
    # Every PETSIRD file contains its scanner, and events refer to its detection bins.
    return ("The scanner in the file is used instead of the chosen one.",)


def triggers_of(header: Tree, blocks: Blocks, first_ms: int) -> tuple[Triggers, ...]:
    """Return the triggers of a scan.

    Parameters
    ----------
    header
        header of the file
    blocks
        all blocks
    first_ms
        start of the first block of events; times count from there

    Returns
    -------
    triggers
        one for each signal that has triggers
    """
    found: list[Triggers] = []
    for signal in _described(header):
        name = TRIGGERS.get(str(signal["type"]))
        times = blocks.signals_ms.get(int(signal["id"]))
        if name is None or not times:
            continue
        # Two ECG signals become "ecg" and "ecg 2", because gating selects a signal by its name.
        n_alike = sum(each.name.split(" ")[0] == name for each in found)
        name = f"{name} {n_alike + 1}" if n_alike else name
        # Signed: a trigger can precede the first block of events.
        found.append(Triggers.at(name, np.array(times, np.int64) - first_ms))
    return tuple(found)


def unused_signals(header: Tree, blocks: Blocks) -> int:
    """Return the number of signal blocks that are not triggers."""
    known = {int(each["id"]) for each in _described(header) if str(each["type"]) in TRIGGERS}
    return sum(len(times) for key, times in blocks.signals_ms.items() if key not in known)


def _described(header: Tree) -> list[Tree]:
    exam = header.get("exam")
    return list(exam.get("externalSignals") or []) if isinstance(exam, dict) else []
