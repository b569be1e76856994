"""Write PETSIRD scans with the library of the format."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from engine.core.arrays import Array
from engine.data.listmode import ListMode
from engine.geometry.ring import RingScanner
from engine.geometry.tof import MM_PER_PS

BOX_MM = (20.0, 4.0, 4.0)


def library() -> ModuleType:
    """Return the library that reads and writes PETSIRD, from the extra `test`."""
    return pytest.importorskip("petsird")


def moved(rotation: Array, shift_mm: Sequence[float]) -> object:
    """Return a rigid transformation."""
    matrix = np.concatenate([rotation, np.reshape(shift_mm, (3, 1))], axis=1)
    return library().RigidTransformation(matrix=matrix.astype(np.float32))


def turned(angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def modules(angles: Array, z_mm: Array, elements_mm: Array, radius_mm: float) -> object:
    """Return modules around the axis, one per angle and z; their elements are at (y, z)."""
    p = library()
    corners = [
        p.Coordinate(c=np.array((x, y, z), np.float32) * np.float32(BOX_MM))
        for x in (0, 1)
        for y, z in ((0, 0), (0, 1), (1, 1), (1, 0))
    ]
    box = p.BoxSolidVolume(shape=p.BoxShape(corners=corners), material_id=1)
    x, y, z = (edge / 2 for edge in BOX_MM)
    places = [moved(np.eye(3), (radius_mm - x, at_y - y, at_z - z)) for at_y, at_z in elements_mm]
    module = p.DetectorModule(
        detecting_elements=p.ReplicatedBoxSolidVolume(object=box, transforms=places)
    )
    outer = [moved(turned(a), (0, 0, z)) for a, z in zip(angles, z_mm, strict=True)]
    return p.ReplicatedDetectorModule(object=module, transforms=outer)


def scanner_of(
    types: Sequence[object], energies: Sequence[Sequence[float]], edges_mm: Array, fwhm_mm: float
) -> object:
    """Return a scanner with types of modules that share their TOF bins."""
    p = library()
    tof = p.BinEdges(edges=np.asarray(edges_mm, np.float32))
    n = len(types)
    return p.ScannerInformation(
        model_name="Made for a test",
        scanner_geometry=p.ScannerGeometry(replicated_modules=list(types)),
        tof_bin_edges=[[tof] * (a + 1) for a in range(n)],
        tof_resolution=[[fwhm_mm] * (a + 1) for a in range(n)],
        event_energy_bin_edges=[p.BinEdges(edges=np.array(e, np.float32)) for e in energies],
        energy_resolution_at_511=[0.1] * n,
        prompt_event_policy=p.CoincidencePolicy.REJECT_HIGHER_MULTIPLES,
    )


def ring_scanner(ring: RingScanner) -> object:
    """Return a ring with each crystal as a module of one element, and its coincidence rule."""
    p = library()
    s = ring.settings
    points = ring.positions_mm
    angles = np.arctan2(points[:, 1], points[:, 0])
    tof = ring.tof
    edges_mm = (-500.0, 500.0) if tof is None else tof.edges_mm
    fwhm_mm = 1000.0 if tof is None else tof.fwhm_ps * MM_PER_PS
    type_of = modules(angles, points[:, 2], np.zeros((1, 2)), s.radius_mm)
    scanner = scanner_of([type_of], [(430.0, 610.0)], np.asarray(edges_mm), fwhm_mm)
    n = ring.n_crystals
    pairs = np.indices((n, n)).reshape(2, -1).T
    joined = ring.in_coincidence(pairs).reshape(n, n)
    joined |= joined.T
    lut = [[0 if joined[i, j] else -1 for j in range(i + 1)] for i in range(n)]
    scanner.detection_efficiencies = p.DetectionEfficiencies(module_pair_sgidlut=[[lut]])
    return scanner


def events_of(crystals: Array, tof_bins: Array | None, n_bins: int) -> list[object]:
    """Return coincidences of one module type; the higher bin comes first."""
    p = library()
    swapped = crystals[:, 0] < crystals[:, 1]
    high, low = crystals.max(axis=1), crystals.min(axis=1)
    tof = np.zeros(len(crystals), int) if tof_bins is None else tof_bins.astype(int)
    tof = np.where(swapped, n_bins - 1 - tof, tof)
    return [
        p.CoincidenceEvent(detection_bins=[a, b], tof_idx=t)
        for a, b, t in zip(high.tolist(), low.tolist(), tof.tolist(), strict=True)
    ]


def write(path: Path, scanner: object, blocks: Sequence[object], exam: object = None) -> Path:
    """Write a header and blocks."""
    p = library()
    with p.BinaryPETSIRDWriter(str(path)) as writer:
        writer.write_header(p.Header(scanner=scanner, exam=exam))
        writer.write_time_blocks(list(blocks))
    return path


def event_block(
    start: int, stop: int, prompts: list[object], delayeds: list[object] | None = None
) -> object:
    """Return a block of events of one module type."""
    p = library()
    block = p.EventTimeBlock(
        time_interval=p.TimeInterval(start=start, stop=stop),
        prompt_events=[[prompts]],
        delayed_events=[[delayeds]] if delayeds is not None else [],
    )
    return p.TimeBlock.EventTimeBlock(block)


def write_scan(path: Path, scan: ListMode, block_ms: int = 1000) -> Path:
    """Write a scan of a ring in blocks of equal length."""
    ring = scan.scanner
    assert isinstance(ring, RingScanner)
    assert scan.time_ms is not None
    delayed = np.zeros(scan.n_events, bool) if scan.delayed is None else scan.delayed
    n_bins = ring.tof.n_bins if ring.tof else 1
    blocks = []
    for start in range(0, round(1000 * scan.duration_s), block_ms):
        rows = (scan.time_ms >= start) & (scan.time_ms < start + block_ms)
        kinds = [
            events_of(
                scan.crystals[rows & kind],
                None if scan.tof_bins is None else scan.tof_bins[rows & kind],
                n_bins,
            )
            for kind in (~delayed, delayed)
        ]
        blocks.append(event_block(start, start + block_ms, *kinds))
    return write(path, ring_scanner(ring), blocks)
