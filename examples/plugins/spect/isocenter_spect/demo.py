"""Demo of SPECT: photons of a cylinder with hot spheres, followed through parallel holes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from engine.geometry.grid import ImageGrid
from engine.io.safety.atomic_write import write_atomically
from engine.modalities.demo import SEED, Demo, OnProgress, save_volume
from engine.modalities.studies import Study
from engine.protocols.study.protocol import Protocol
from engine.simulate.phantom import Phantom
from isocenter_spect.camera import PHOTON_MAP, parallel_share
from isocenter_spect.protocol import ParallelHoles, SpectProtocol

N_VIEWS, N_PIXELS, PIXEL_MM, RADIUS_MM = 60, 64, 5.0, 180.0
BOX_MM, HOTTEST = np.array([240.0, 190.0, 150.0]), 4.0
"""Box around the activity, and its upper limit."""
PER_MM = 0.0154 / 0.0096
"""Attenuation at 140 keV over that at 511 keV in water."""


@dataclass(frozen=True)
class SpectDemo(Demo):
    """Photons with random places, directions and holes. The simulation does not use the model."""

    n_places: int = 8_000_000
    scale: float = 0.8

    key: ClassVar[str] = "spect"
    title: ClassVar[str] = "SPECT"
    text: ClassVar[str] = "Six hot spheres in a cylinder, with parallel holes and attenuation"
    wait: ClassVar[str] = "about 30 s"
    busy: ClassVar[str] = "Simulating the photons"
    protocol: ClassVar[type[Protocol]] = SpectProtocol
    version: ClassVar[int] = 1

    def simulate(self, folder: Path, on_progress: OnProgress | None) -> Study:
        from engine.simulate import cylinder_with_spheres

        phantom, protocol = cylinder_with_spheres(scale=self.scale), SpectProtocol()
        grid = ImageGrid((N_PIXELS,) * 3, (PIXEL_MM,) * 3)
        truth = phantom.rasterise(grid)
        rng, each, views = np.random.default_rng(SEED), self.n_places // N_VIEWS, []
        for k in range(N_VIEWS):
            angle = 2 * np.pi * k / N_VIEWS
            views.append(view_of(phantom, protocol.parallel, angle, each, rng))
            if on_progress is not None:
                on_progress(k + 1, N_VIEWS)
        data, mu_map = Path(self.name(".hs")), Path(self.name("-mu.nii.gz"))
        write_scan(np.stack(views), PIXEL_MM, RADIUS_MM, folder / data)
        mu = phantom.rasterise(grid, "mu")
        save_volume(replace(mu, values=mu.values * np.float32(PER_MM)), folder / mu_map)
        # Each place is a photon in a hole. It represents the photons that are emitted into the
        # hole.
        holes = protocol.parallel
        share = parallel_share(holes.hole_mm, holes.length_mm, holes.wall_mm)
        emitted = each * PIXEL_MM**3 / BOX_MM.prod() / HOTTEST / share
        unit, values = protocol.unit, truth.values * np.float32(emitted)
        save_volume(replace(truth, values=values, unit=unit), self.truth(folder))
        return Study(data=data, protocol=protocol, inputs={PHOTON_MAP.key: mu_map})


def view_of(
    phantom: Phantom, holes: ParallelHoles, angle: float, n: int, rng: np.random.Generator
) -> NDArray[np.float32]:
    """Return the counts (N_PIXELS, N_PIXELS) from n places in the box, with photons in holes."""
    reach = PIXEL_MM * N_PIXELS / 2
    some = BOX_MM * (rng.random((n, 3)) - 0.5)
    places = some[rng.random(n) * HOTTEST < phantom.activity_at(some)]
    away = np.array([np.cos(angle), np.sin(angle), 0.0])
    faces = places + np.outer(RADIUS_MM - places @ away, away)
    absorbed = PER_MM * np.asarray(phantom.mu_integral(places, faces))
    seen = rng.random(len(places)) < np.exp(-absorbed)
    depth, r = RADIUS_MM - places[seen] @ away, holes.hole_mm / 2
    # A photon that passes a hole enters and leaves it anywhere, so its slope is their difference.
    turns, roots = rng.uniform(0, 2 * np.pi, (2, len(depth))), np.sqrt(rng.random((2, len(depth))))
    ends = r * roots * np.exp(1j * turns)
    moved = (ends[1] - ends[0]) / holes.length_mm * (depth + holes.length_mm + holes.gap_mm)
    across = places[seen] @ np.array([-away[1], away[0], 0.0]) + moved.real
    up, sigma = places[seen, 2] + moved.imag, holes.crystal_mm / 2.3548
    across, up = (each + sigma * rng.standard_normal(len(each)) for each in (across, up))
    edges = np.linspace(-reach, reach, N_PIXELS + 1)
    return np.asarray(np.histogram2d(up, across, (edges, edges))[0], np.float32)


def write_scan(counts: NDArray[np.float32], pixel: float, radius: float, path: Path) -> None:
    """Write counts of a full turn as Interfile."""
    n_views, n_rows, n_columns = counts.shape
    values = {
        "INTERFILE": "", "imaging modality": "nucmed", "name of data file": f"{path.stem}.s",
        "imagedata byte order": "LITTLEENDIAN", "SPECT STUDY (general)": "",
        "matrix size [1]": n_columns, "matrix size [2]": n_rows, "number format": "float",
        "number of bytes per pixel": 4, "scaling factor (mm/pixel) [1]": pixel,
        "scaling factor (mm/pixel) [2]": pixel, "number of projections": n_views,
        "extent of rotation": 360, "direction of rotation": "CW", "start angle": 0,
        "radius": radius, "END OF INTERFILE": "",
    }  # fmt: skip
    write_atomically(counts.astype("<f4").tobytes(), path.with_suffix(".s"))
    text = "".join(f"!{key} := {value}\n" for key, value in values.items())
    write_atomically(text.encode(), path)
