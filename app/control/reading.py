"""Reading and checking the files of a study, away from the window's thread."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from app.look.formatting import words
from app.models.histogram_scan import HistogramScan
from app.models.inputs import Input, Role, Scan
from app.models.xray_scan import XrayScan
from engine.data.histogram import Histogram, one_layer
from engine.data.listmode import ListMode
from engine.data.projections import Projections
from engine.errors import EngineError
from engine.geometry.dual_head import DualHead
from engine.geometry.scanner import Scanner

SAMPLE = 64
"""Events of each sort kept to ask corrections about."""


def read_input(role: Role, value: str, scanner: str | None, geometry: Scanner | None) -> Input:
    """Read one input whole and say what it is, or why it cannot be used.

    Parameters
    ----------
    role
        part of the study
    value
        path, or the name of a scanner
    scanner
        scanner of the study, for a scan that does not name its own
    geometry
        scanner in use, for crystal efficiencies and μ-maps
    """
    try:
        if role == "data":
            return _scan(value, scanner)
        if role == "scanner":
            return _scanner(value)
        if geometry is None:
            return Input(value, fault=f"{Path(value).name}: open a scan or choose a scanner first.")
        readers = {"attenuation": _mu_map, "response": _response}
        return readers.get(role, _efficiencies)(value, geometry)
    except EngineError as e:
        return Input(value, fault=str(e))


def _scan(value: str, scanner: str | None) -> Input:
    from engine.io import is_histogram, is_projections, read_listmode

    if is_projections(value):
        return _xray_scan(value)
    if is_histogram(value):
        return _histogram(value, scanner)
    data = read_listmode(Path(value), scanner=scanner)
    text = f"{data.n_prompts:,} prompts, {data.scanner.name}"
    scan = Scan(_sample(data), data.n_events, tuple(_facts(data)), data.notes)
    return Input(value, text, content=scan)


def _histogram(value: str, scanner: str | None) -> Input:
    from engine.io import read_histogram

    data = read_histogram(Path(value), scanner=scanner)
    text = f"{data.n_prompts:,.0f} prompts on {data.scanner.n_lors:,} lines, {data.scanner.name}"
    return Input(value, text, content=HistogramScan.of(data, tuple(_histogram_facts(data))))


def _xray_scan(value: str) -> Input:
    from engine.io import read_projections
    from engine.io.xray.facts import facts_of

    data = read_projections(Path(value))
    if data.n_not_finite:
        return Input(
            value,
            fault=f"{Path(value).name}: {data.n_not_finite:,} of {data.values.size:,} values are "
            "infinite or no numbers; export the scan again.",
        )
    text = _xray_words(data)
    return Input(value, text, content=XrayScan.of(data, facts_of(data)))


def _xray_words(data: Projections) -> str:
    n_views, n_rows, n_columns = data.shape
    beam = "fan" if n_rows == 1 and data.geometry.beam == "cone" else data.geometry.beam
    width, height = data.geometry.pixel_size_mm
    pixel = "pixel size unknown"
    if data.pixel_mm_known:
        pixel = f"pixels of {width:.4g} × {height:.4g} mm"
    return f"{n_views:,} views of {n_columns:,} × {n_rows:,} pixels, {beam} beam, {pixel}"


def _sample(data: ListMode) -> ListMode:
    rows = np.arange(min(SAMPLE, data.n_events))
    if data.delayed is not None:
        rows = np.union1d(rows, np.flatnonzero(data.delayed)[:SAMPLE])
    return data.select(rows)


def _histogram_facts(data: Histogram) -> list[tuple[str, str]]:
    facts = [
        ("Prompts", f"{data.n_prompts:,.0f}"),
        ("Delayeds", f"{data.n_delayeds:,.0f}" if data.delayeds is not None else "none"),
        ("Lines of response", f"{data.scanner.n_lors:,}"),
        ("Lines with counts", f"{int(np.count_nonzero(data.prompts)):,}"),
        ("Duration", f"{data.duration_s:.1f} s" if data.duration_s else "not recorded"),
        ("Scanner", data.scanner.name),
        ("Crystals", data.scanner.describe()),
    ]
    return facts + [(words(key), _plain(value)) for key, value in data.info.items() if value]


def _facts(data: ListMode) -> list[tuple[str, str]]:
    facts = [
        ("Prompts", f"{data.n_prompts:,}"),
        ("Delayeds", f"{data.n_delayed:,}" if data.n_delayed else "none"),
        ("Duration", f"{data.duration_s:.1f} s" if data.duration_s else "not recorded"),
        ("Time of flight", "recorded" if data.tof_bins is not None else "not recorded"),
        ("Scanner", data.scanner.name),
        ("Crystals", data.scanner.describe()),
    ]
    return facts + [(words(key), _plain(value)) for key, value in data.info.items() if value]


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{words(key).lower()} {_plain(part)}" for key, part in value.items())
    return f"{value:g}" if isinstance(value, float) else str(value)


def _scanner(value: str) -> Input:
    from engine.io import read_scanner

    scanner: Scanner = read_scanner(value)
    return Input(value, f"{scanner.name}: {scanner.describe()}", content=scanner)


def _mu_map(value: str, scanner: Scanner) -> Input:
    from engine.io import read_mu_map

    volume = read_mu_map(Path(value), scanner)
    n_z, n_y, n_x = volume.grid.shape
    peak = float(volume.values.max(initial=0.0))
    text = f"{n_x} × {n_y} × {n_z} voxels, up to {peak:.4f} {volume.unit}"
    return Input(value, text, content=volume)


def _efficiencies(value: str, scanner: Scanner) -> Input:
    from engine.io import read_efficiencies

    found: Any = read_efficiencies(Path(value), scanner)
    dead = int(np.count_nonzero(found <= 0))
    text = f"{len(found):,} crystals, {dead:,} of them dead or in gaps"
    return Input(value, text, content=found)


def _response(value: str, scanner: Scanner) -> Input:
    from engine.io.response_hdf5 import read_response

    panels = one_layer(scanner) if isinstance(scanner, DualHead) else None
    found = read_response(Path(value), panels, any_image=True)
    text = f"{found.n_nonzero:,} values, for an image of {found.scanner.grid.describe()}"
    return Input(value, text, content=found.scanner)
