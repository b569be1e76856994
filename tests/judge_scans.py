"""Convert events of the photon simulation to scans of the product, independently of both.

The order of crystals does not change. In a ring, row and module become ring and position. For two
panels, the product counts the columns of both along x; the simulation counts the columns of each
module in its own direction of rotation.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import engine
from engine.geometry.energy import EnergySettings
from engine.geometry.tof import TofSettings
from tests.emulator.compiled_cache import cached_file
from tests.judge.interactions import ELECTRON_KEV
from tests.judge.pairs import Coincidences
from tests.judge.phantoms import Phantom
from tests.judge.readout import MEAN, Physics
from tests.judge.scanners import Scanner
from tests.judge.studies import PANEL_PHYSICS, JudgeStudy

COLUMNS = ("crystals", "tof_ps", "kev", "decay_mm", "scatters", "kind", "n_decays")


def cached_pairs(study: JudgeStudy, n_pairs: int) -> Coincidences:
    """Return the pairs of a study, simulated once and cached in the user's test folder."""

    def make(path: Path) -> None:
        pairs = study.pairs(n_pairs)
        with path.open("wb") as file:
            np.savez(file, **{name: getattr(pairs, name) for name in COLUMNS})

    with np.load(cached_file(f"judge-{study.name}-{n_pairs}-{study.digest()}.npz", make)) as file:
        columns = {name: file[name] for name in COLUMNS}
    columns["n_decays"] = float(columns["n_decays"])
    return Coincidences(**columns)


def mean_depth_mm(scanner: Scanner) -> float:
    """Return the mean depth of the first interaction of perpendicular 511 keV photons."""
    mu, depth = scanner.material.total(ELECTRON_KEV), scanner.depth_mm
    return 1 / mu - depth / math.expm1(mu * depth)


def absorbed_fraction(scanner: Scanner) -> float:
    """Return the absorbed fraction of 511 keV photons that interact."""
    compton, photo = scanner.material.coefficients(np.array([ELECTRON_KEV]))[:, 0]
    return float(photo / (compton + photo))


def ring_of(
    scanner: Scanner,
    *,
    diameter_mm: float,
    voxel_mm: tuple[float, float, float],
    tof: TofSettings | None = None,
    energy: EnergySettings | None = None,
) -> engine.RingScanner:
    """Return a ring in the product's form, with lines up to the corners of the image."""
    if scanner.n_across != 1:
        raise ValueError(f"a module has {scanner.n_across} crystals across, a round ring has 1.")
    n, radius = scanner.n_modules, scanner.face_mm + mean_depth_mm(scanner)
    reach = min(1.0, diameter_mm / math.sqrt(2) / radius)
    settings = engine.RingSettings(
        name="Ring of the judge",
        n_rings=scanner.n_rows,
        n_crystals_per_ring=n,
        radius_mm=radius,
        crystal_depth_mm=scanner.depth_mm,
        crystal_width_mm=scanner.crystal_mm[0],
        attenuation_per_mm=scanner.material.total(ELECTRON_KEV),
        photo_fraction=absorbed_fraction(scanner),
        ring_pitch_mm=scanner.pitch_mm[1],
        first_angle_deg=scanner.first_deg,
        max_ring_difference=scanner.n_rows - 1,
        n_tangential=min(n - 2, 2 * math.ceil(n / math.pi * math.asin(reach)) + 2),
        tof=tof,
        energy=energy,
        voxel_mm=voxel_mm,
        fov_mm=(diameter_mm, scanner.size_mm[1]),
    )
    return engine.RingScanner(settings)


def panels_of(
    scanner: Scanner, physics: Physics = PANEL_PHYSICS, **others: object
) -> engine.DualHead:
    """Return two panels as a scanner of the product; `others` are keys of its scanner file."""
    compton, photo = scanner.material.coefficients(np.array([ELECTRON_KEV]))[:, 0]
    settings = {
        "name": "Panels of the judge",
        "n_rows": scanner.n_rows,
        "n_columns": scanner.n_across,
        "n_layers": scanner.n_layers,
        "pitch_mm": scanner.pitch_mm[0],
        "crystal_mm": scanner.crystal_mm[0],
        "thickness_mm": scanner.depth_mm,
        "separation_mm": 2 * scanner.face_mm,
        "attenuation_per_mm": compton + photo,
        "photo_fraction": photo / (compton + photo),
        "energy_window_kev": physics.window_kev,
        "energy_fwhm": physics.energy_fwhm,
        "block_crystals": scanner.across[1],
        "place": "mean" if physics.place == MEAN else "largest",
        "n_planes": int(2 * scanner.face_mm),
        "plane_mm": 1.0,
    }
    return engine.DualHead(engine.DualHeadSettings.model_validate(settings | others))


def panel_crystals(scanner: Scanner, crystals: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the product's crystal numbers for crystals of two simulated panels, panel 0 at −y."""
    layer, front = np.divmod(crystals, scanner.n_per_layer)
    row, column = np.divmod(front, 2 * scanner.n_across)
    panel, column = np.divmod(column, scanner.n_across)
    column = np.where(panel == 0, column, scanner.n_across - 1 - column)
    row += (panel * scanner.n_layers + layer) * scanner.n_rows
    return (row * scanner.n_across + column).astype(np.int32)


def mu_map_of(phantom: Phantom, grid: engine.ImageGrid) -> engine.Volume:
    """Return the attenuation of a phantom at 511 keV, sampled at 2 x 2 x 2 points of each voxel."""
    values = np.zeros(grid.shape)
    voxel = np.array(grid.voxel_mm)
    for corner in np.ndindex(2, 2, 2):
        at = [grid.centres_mm(axis=k) for k in (2, 1, 0)]
        z, y, x = np.meshgrid(*at, indexing="ij")
        centres = np.stack([x, y, z], axis=-1).reshape(-1, 3)
        values += phantom.at(centres + (np.array(corner) - 0.5) * voxel / 2)[1].reshape(grid.shape)
    return engine.Volume((values / 8).astype(np.float32), grid, unit="1/mm")


def listmode_of(
    pairs: Coincidences,
    scanner: engine.RingScanner | engine.DualHead,
    crystals: NDArray[np.int32],
    *,
    mu_map: engine.Volume | None = None,
    delayeds: Coincidences | None = None,
    duration_s: float = 60.0,
) -> engine.ListMode:
    """Return pairs as a scan, without pairs that are no line of response of the scanner.

    Parameters
    ----------
    pairs : coincidences of the judge
    scanner : the scanner in the product's form
    crystals : (n, 2) the product's numbers of their crystals
    mu_map : attenuation map
    delayeds : coincidences of a delayed window, after the prompts in `crystals`
    duration_s : length of the frame
    """
    tof_ps, delayed = pairs.tof_ps, None
    if delayeds is not None:
        tof_ps = np.concatenate([tof_ps, delayeds.tof_ps])
        delayed = np.arange(len(tof_ps)) >= len(pairs)
    is_line = scanner.in_coincidence(crystals)
    bins = None
    if scanner.tof is not None:
        bins, inside = tof_bins(tof_ps, scanner.tof.bin_ps, scanner.tof.n_bins)
        is_line &= inside
        bins = bins[is_line]
    return engine.ListMode(
        scanner,
        np.ascontiguousarray(crystals[is_line]),
        delayed=None if delayed is None else delayed[is_line],
        tof_bins=bins,
        duration_s=duration_s,
        mu_map=mu_map,
    )


def tof_bins(
    tof_ps: NDArray[np.float32], bin_ps: float, n_bins: int
) -> tuple[NDArray[np.int16], NDArray[np.bool_]]:
    """Return equally wide bins of t1 − t2 around 0, and a mask of the existing bins."""
    found = np.floor(tof_ps / bin_ps + n_bins / 2)
    return found.clip(0, n_bins - 1).astype(np.int16), (found >= 0) & (found < n_bins)
