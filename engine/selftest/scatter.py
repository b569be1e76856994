"""Single scatter of an object in rings of crystals, with and without time of flight."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.core.backend import Backend
from engine.corrections.scatter_estimation.samples import DetectorSamples
from engine.corrections.scatter_estimation.simulation import simulate_scatter
from engine.data.volume import Volume
from engine.geometry.energy import EnergyWindow
from engine.geometry.grid import ImageGrid
from engine.geometry.ring import RingScanner, RingSettings
from engine.geometry.tof import TofSettings
from engine.selftest.reference_answers import Family, Faults, far, random_numbers

_RING = RingSettings(
    name="rings of the self-test",
    n_rings=3,
    n_crystals_per_ring=48,
    radius_mm=150,
    ring_pitch_mm=15,
    max_ring_difference=2,
    n_tangential=24,
    fov_mm=(160, 45),
    tof=TofSettings(fwhm_ps=500, bin_ps=400, n_bins=7),
)
_GRID = ImageGrid((3, 9, 8), (16.0, 17.0, 15.0), (2.0, -3.0, 1.0))
_WINDOW = EnergyWindow(425.0, 650.0, 0.11)
# No multiple of a block, and few enough for a test of a fraction of a second.
_N_POINTS = 37


def _ask(there: Backend, here: Backend) -> Faults:
    rng, scanner = random_numbers(), RingScanner(_RING)
    source = rng.random(_GRID.shape, np.float32) * 10
    # Voxels without attenuation are included, because no scatter may arise there.
    mu = np.where(rng.random(_GRID.shape) < 0.7, 0.0096, 0).astype(np.float32)
    volumes = Volume(source, _GRID, "counts/mm"), Volume(mu, _GRID, "1/mm")
    samples = replace(DetectorSamples.of(scanner, 3), n_angles=16, nearest=3)
    for with_tof in (False, True):
        got, wanted = (
            simulate_scatter(
                *volumes,
                scanner,
                _WINDOW,
                with_tof=with_tof,
                n_points=_N_POINTS,
                seed=3,
                on=on,
                samples=samples,
            ).values
            for on in (there, here)
        )
        yield from far(f"counts{' in time bins' if with_tof else ''}", got, wanted)


SCATTER = Family("scatter", _ask)
