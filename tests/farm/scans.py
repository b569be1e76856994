"""Tiny scans of several formats, each with its companions, and files that no study can use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from engine.data.histogram import Histogram
from engine.data.listmode import ListMode
from engine.data.projections import Projections
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import parallel
from engine.geometry.ring import RingScanner, RingSettings
from engine.geometry.scanner import Scanner
from engine.io import read_scanner, save, write_histogram, write_listmode, write_projections
from engine.io.listmode.safir import HEADER_BYTES, SIGNATURES

N_EVENTS = 300
MAPS = (ImageGrid((6, 10, 10), (6.0, 6.0, 6.0)), 0.0096)


@dataclass(frozen=True)
class Sample:
    """One scan of the day.

    Attributes
    ----------
    make : name of its scanner or format
    path : file of the scan
    aids : companion files by role
    """

    make: str
    path: Path
    aids: dict[str, Path] = field(default_factory=dict)


def ring(name: str, *, n_crystals: int, radius_mm: float) -> RingScanner:
    """Return a small ring scanner."""
    settings = RingSettings(
        name=name,
        n_rings=4,
        n_crystals_per_ring=n_crystals,
        radius_mm=radius_mm,
        ring_pitch_mm=6,
        max_ring_difference=3,
        n_tangential=n_crystals // 2,
        voxel_mm=(6, 6, 6),
        fov_mm=(60, 24),
    )
    return RingScanner(settings)


def write_safir(path: Path, scanner: RingScanner, *, seed: int) -> None:
    """Write events of random crystals in the format of the SAFIR scanner."""
    rng = np.random.default_rng(seed)
    n_places = scanner.settings.n_crystals_per_ring
    a, b = rng.integers(0, scanner.settings.n_rings, (2, N_EVENTS), np.uint64)
    place = rng.integers(0, n_places, N_EVENTS, np.uint64)
    far = (place + np.uint64(n_places // 2)) % np.uint64(n_places)
    shifts = (0, 8, 16, 32)
    words = sum(
        (part << np.uint64(shift) for part, shift in zip((a, b, place, far), shifts, strict=True)),
        np.zeros(N_EVENTS, np.uint64),
    )
    time = np.uint64((1 << 63) | 1000)
    path.write_bytes(SIGNATURES[0].ljust(HEADER_BYTES, b"\0") + np.append(words, time).tobytes())


def write_crystal_map(path: Path, scanner: RingScanner) -> None:
    """Write the crystal positions of a ring as a table."""
    n = scanner.settings.n_crystals_per_ring
    rows = [
        f"{k // n} {k % n} {x:.4f} {y:.4f} {z:.4f}"
        for k, (x, y, z) in enumerate(scanner.positions_mm)
    ]
    path.write_text("\n".join(rows) + "\n")


def write_mu_map(path: Path, seed: int) -> None:
    """Write a µ-map of water, slightly different for each scan."""
    grid, water = MAPS
    values = np.full(grid.shape, water, np.float32) * np.float32(1 + seed / 1000)
    save(Volume(values, grid, "1/mm"), path, {})


def write_efficiencies(path: Path, scanner: Scanner, seed: int) -> None:
    """Write efficiencies near 1."""
    rng = np.random.default_rng(seed)
    np.savetxt(path, rng.uniform(0.9, 1.1, scanner.n_crystals), fmt="%.5f")


def _list_mode(folder: Path, scanner: RingScanner, seed: int) -> Sample:
    rng = np.random.default_rng(seed)
    lines = rng.integers(0, scanner.n_lors, 4 * N_EVENTS)
    crystals = scanner.lors(lines)
    events = crystals[scanner.in_coincidence(crystals)][:N_EVENTS]
    write_listmode(ListMode(scanner, events), folder / "scan.h5")
    write_mu_map(folder / "mu.h5", seed)
    write_efficiencies(folder / "norm.txt", scanner, seed)
    aids = {"attenuation": folder / "mu.h5", "normalisation": folder / "norm.txt"}
    return Sample(scanner.name, folder / "scan.h5", aids)


def _safir(folder: Path, scanner: RingScanner, seed: int) -> Sample:
    write_safir(folder / "scan.clm.safir", scanner, seed=seed)
    (folder / "elsewhere").mkdir()
    write_crystal_map(folder / "elsewhere" / f"places-{seed}.txt", scanner)
    write_mu_map(folder / "mu.h5", seed)
    aids = {
        "scanner": folder / "elsewhere" / f"places-{seed}.txt",
        "attenuation": folder / "mu.h5",
    }
    return Sample("SAFIR", folder / "scan.clm.safir", aids)


def _histogram(folder: Path, seed: int) -> Sample:
    panels = read_scanner("test-panels")
    counts = np.random.default_rng(seed).poisson(3, panels.n_lors).astype(np.float32)
    write_histogram(Histogram(panels, counts), folder / "scan.h5")
    write_efficiencies(folder / "norm.txt", panels, seed)
    return Sample(panels.name, folder / "scan.h5", {"normalisation": folder / "norm.txt"})


def _projections(folder: Path, seed: int) -> Sample:
    geometry = parallel(np.linspace(0, np.pi, 12, endpoint=False), shape=(2, 24), pixel_mm=1.0)
    values = np.random.default_rng(seed).random((12, 2, 24), np.float32)
    write_projections(Projections(values, geometry, "integrals"), folder / "scan.h5")
    return Sample("X-ray", folder / "scan.h5")


def _makers() -> Sequence[Callable[[Path, int], Sample]]:
    """Return a scan maker for each of five formats."""
    small = ring("Small ring", n_crystals=24, radius_mm=60)
    large = ring("Large ring", n_crystals=32, radius_mm=80)
    return (
        lambda folder, seed: _list_mode(folder, small, seed),
        lambda folder, seed: _list_mode(folder, large, seed),
        lambda folder, seed: _safir(folder, small, seed),
        _histogram,
        _projections,
    )


def make_scans(folder: Path, n: int) -> list[Sample]:
    """Write n scans, one format after the other, each into its own folder."""
    makers, made = _makers(), []
    for seed in range(n):
        place = folder / f"patient-{seed:02d}"
        place.mkdir(parents=True)
        made.append(makers[seed % len(makers)](place, seed))
    return made


def make_refused(folder: Path) -> list[Path]:
    """Write files that no study can use."""
    folder.mkdir(parents=True, exist_ok=True)
    grid, water = MAPS
    texts = {
        "text.csv": "name,age\nsomebody,42\n",
        "badscanner.toml": 'name = "x"\nn_rings = -3\n',
        "words.txt": "This is a letter.\n",
        "empty.h5": "",
        "noise.l": "no list mode",
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    (folder / "damaged.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(300))
    np.savetxt(folder / "of-another-scanner.txt", np.ones(7))
    values = np.full(grid.shape, water, np.float32)
    values[0, 0, 0] = -5
    save(Volume(values, grid, "1/mm"), folder / "negative.h5", {})
    return sorted(folder.iterdir())


def real_scans(shared: Path) -> list[Sample]:
    """Return the small real scans on this machine."""
    candidates = {
        "mMR": "pet-listmode-mmr-brain/PET_ACQ_small.l.hdr.STIR",
        "ADAC": "pet-listmode-adac-dualhead-2sources/sample_2p_static.csv",
        "tooth": "ct-parallel-tooth/tooth.h5",
    }
    found = {make: shared / name for make, name in candidates.items()}
    return [Sample(make, path) for make, path in found.items() if path.exists()]
