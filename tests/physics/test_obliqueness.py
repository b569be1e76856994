"""Tests of the detection probability of oblique and of scattered photons.

The reference is the judge, which follows single photons.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from engine.corrections.scatter_estimation.detection import counted as expected
from engine.geometry.energy import EnergyWindow
from engine.geometry.line_efficiency import CrystalDepth
from tests.judge.interactions import ELECTRON_KEV
from tests.judge.probes import hit
from tests.judge.readout import Physics
from tests.judge.scanners import Scanner
from tests.judge.studies import SAFIR, ring_300
from tests.judge_scans import absorbed_fraction

N_PLACES, N_PHOTONS = 40, 1500


def block_mm(scanner: Scanner) -> tuple[float, float]:
    """Return the size of the crystals with summed energies, across and along the axis."""
    sizes = zip((scanner.across, scanner.along), scanner.pitch_mm, strict=True)
    across, along = (counts[1] * pitch for counts, pitch in sizes)
    return across, along


def counted(scanner: Scanner, cosine: float, kev: float = ELECTRON_KEV) -> float:
    """Return the share of photons in the energy window, incident at an angle along z."""
    rng = np.random.default_rng(5)
    physics, n = Physics(), 0
    low, high = physics.window_kev
    for k in range(N_PLACES):
        y, z = (rng.random(2) - 0.5) * block_mm(scanner)
        direction = np.array([cosine, 0, math.sqrt(1 - cosine**2)])
        start = np.array([scanner.face_mm - 1e-3, y, z]) - direction * 5
        found = np.empty((N_PHOTONS, 4))
        hit(scanner.crystals, physics.numbers(), start, direction, 1000 + k, found, kev)
        n += np.count_nonzero((found[:, 0] >= 0) & (found[:, 1] > low) & (found[:, 1] < high))
    return n / (N_PLACES * N_PHOTONS)


@pytest.mark.parametrize("scanner", [SAFIR, ring_300(640.0)], ids=["LYSO, 13 mm", "LSO, 20 mm"])
def test_detection_of_oblique_photons_follows_the_closed_form(scanner: Scanner) -> None:
    cosine = 0.6
    gain = counted(scanner, cosine) / counted(scanner, 1.0)
    mu = scanner.material.total(ELECTRON_KEV)
    depth = CrystalDepth(scanner.depth_mm, mu, absorbed_fraction(scanner), 425.0)
    plain = CrystalDepth(scanner.depth_mm, mu)
    said, before = (float(d.efficiency(np.array(cosine))) / cosine for d in (depth, plain))
    # standard error of the ratio: 0.8 % with the shallow crystals, 0.5 % with the deep ones
    assert said / gain == pytest.approx(1.0, abs=0.03)
    assert before / gain < 0.97


BLOCKS = replace(
    ring_300(640.0), n_modules=40, across=(1, 12), along=(16, 8), pitch_mm=(4.0, 4.0),
    crystal_mm=(4.0, 4.0), face_mm=310.0,
)  # fmt: skip
"""Blocks of 12 x 8 crystals of 4 mm."""


@pytest.mark.parametrize("scanner", [ring_300(640.0), BLOCKS], ids=["single crystals", "blocks"])
def test_detection_of_low_energy_photons_follows_the_block_size(
    scanner: Scanner,
) -> None:
    physics, kev = Physics(), np.array([420.0, 440.0, 480.0])
    depth = CrystalDepth(
        scanner.depth_mm, scanner.material.total(ELECTRON_KEV), absorbed_fraction(scanner), 425.0
    )
    window = EnergyWindow(*physics.window_kev, physics.energy_fwhm)
    found = np.array([counted(scanner, 1.0, float(e)) for e in kev]) / counted(scanner, 1.0)
    # standard error: 0.7 %
    assert expected(kev, window, depth, block_mm(scanner)) == pytest.approx(found, rel=0.035)
