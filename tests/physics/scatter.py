"""Compare simulated scatter with the scatter of photons.

    python -m tests.physics.scatter [100] [150] [--rings N] [--pairs N] [--sinogram]

The object is a water cylinder in 48 or N rings of 5 mm, with photons that scatter, a window of 425
to 650 keV, and the exact µ-map as the only other input. The program compares the simulated with the
counted scatter by planes of the lines and in total. It compares the middle of the image (within 40
mm of the axis and 60 mm of the centre) with that of the trues alone. The seconds are those of the
stage. With --sinogram the events are counted in bins that sum 7 ring differences and 4 views, and
the image has voxels of 8 mm.
"""

from __future__ import annotations

import argparse
import logging
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import engine
from engine.core.backend import cpu
from engine.corrections import Attenuation, LineGeometry, Scatter
from engine.corrections.scatter_estimation.profiles import distance_from_axis
from engine.corrections.sinogram import BinAttenuation, BinGeometry, BinScatter
from engine.data.sinogram import Sinogram, binned
from engine.geometry.energy import EnergySettings
from engine.geometry.sampling import lattice
from engine.geometry.sinogram_layout import SinogramLayout
from engine.geometry.tof import TofSettings
from engine.io.interfile.sinogram_writer import write_sinogram
from engine.modalities.listmode_pet.model import prepare
from engine.modalities.listmode_pet.scatter_counts import CountedEvents
from engine.modalities.ring_scatter.estimate import ScatterEstimate, estimate_scatter
from engine.modalities.ring_sinogram_pet.model import usable
from engine.modalities.ring_sinogram_pet.protocol import RingSinogramProtocol
from engine.modalities.ring_sinogram_pet.scatter_counts import CountedBins
from engine.modalities.ring_sinogram_pet.scatter_scan import with_scatter
from tests.judge.pairs import Coincidences
from tests.judge.readout import Physics
from tests.judge.studies import JudgeStudy, scattering_cylinder
from tests.judge_scans import cached_pairs, listmode_of, mu_map_of, ring_of

log = logging.getLogger(__name__)
TOF = TofSettings(fwhm_ps=300, bin_ps=200, n_bins=17)
SPAN, MASHED, COARSE_MM = 7, 4, (8.0, 8.0, 10.0)
PLANES = 8
"""Number of groups of lines by the middle of their rings."""
N_LINES = 600_000
DISTANCES = 6
"""Number of groups of lines by their distance from the axis."""
AROUND_MM = 60.0
"""Field of view outside the cylinder, sum of both sides."""
MIDDLE_MM, HALF_MM = 40.0, 60.0


@dataclass(frozen=True)
class Judged:
    """A scan, its phantom, and its scanner."""

    study: JudgeStudy
    pairs: Coincidences
    ring: engine.RingScanner
    mu_map: engine.Volume

    def scan(self, pairs: Coincidences) -> engine.ListMode:
        """Return pairs as a scan with the mu-map."""
        return listmode_of(pairs, self.ring, pairs.crystals, mu_map=self.mu_map)


def judged(radius_mm: float, n_pairs: int, *, with_tof: bool, n_rings: int = 48) -> Judged:
    """Simulate a cylinder, and describe its scanner in the product's form."""
    physics = Physics(tof_fwhm_ps=TOF.fwhm_ps)
    study = replace(scattering_cylinder(radius_mm, n_rings=n_rings), physics=physics)
    energy = EnergySettings(window_kev=physics.window_kev, resolution=physics.energy_fwhm)
    ring = ring_of(
        study.scanner,
        diameter_mm=2 * radius_mm + AROUND_MM,
        voxel_mm=(4.0, 4.0, 5.0),
        tof=TOF if with_tof else None,
        energy=energy,
    )
    grid = engine.ListModeProtocol().grid.grid_for(ring)
    return Judged(study, cached_pairs(study, n_pairs), ring, mu_map_of(study.phantom, grid))


def estimated(case: Judged, settings: Scatter | None = None) -> ScatterEstimate:
    """Estimate the scatter as a run does."""
    scan, on = case.scan(case.pairs), cpu()
    for correction in (LineGeometry(), Attenuation()):
        scan = correction.apply(scan, on=on)
    counted = CountedEvents(prepare(scan, on=on).data, on=on)
    return estimate_scatter(counted, settings or Scatter())


def by_plane(case: Judged, estimate: ScatterEstimate) -> tuple[np.ndarray, np.ndarray]:
    """Return scatter on lines by the middle of their rings, estimated and counted by the judge."""
    ring = case.ring
    lines = ring.lors(lattice(ring.n_lors, N_LINES, shift=0.25))
    lines = lines[ring.in_coincidence(lines)]
    expected = ring.geometric_factor(lines) * estimate.table.of_lines(ring.positions_mm, lines)
    counted = case.scan(case.pairs.take(case.pairs.kind == 1)).crystals
    edges = np.linspace(0, 2 * ring.settings.n_rings - 1, PLANES + 1)
    simulated = np.histogram(planes(ring, lines), edges, weights=expected)[0]
    return simulated * ring.n_lors / N_LINES, np.histogram(planes(ring, counted), edges)[0]


def by_distance(case: Judged, estimate: ScatterEstimate) -> tuple[np.ndarray, np.ndarray]:
    """Return scatter on lines through the cylinder by distance from its axis, as in `by_plane`."""
    ring, points = case.ring, case.ring.positions_mm
    lines = ring.lors(lattice(ring.n_lors, N_LINES, shift=0.25))
    lines = lines[ring.in_coincidence(lines)]
    expected = ring.geometric_factor(lines) * estimate.table.of_lines(points, lines)
    counted = case.scan(case.pairs.take(case.pairs.kind == 1)).crystals
    radius = (float(ring.settings.fov_mm[0]) - AROUND_MM) / 2
    edges = np.linspace(0, radius, DISTANCES + 1)
    simulated, found = (
        np.histogram(distance_from_axis(points, ends), edges, weights=weights)[0]
        for ends, weights in ((lines, expected), (counted, None))
    )
    return simulated * ring.n_lors / N_LINES, found


def planes(ring: engine.RingScanner, crystals: np.ndarray) -> np.ndarray:
    """Return the sum of the rings of both ends."""
    return (crystals // ring.settings.n_crystals_per_ring).sum(axis=1)


def sinogram_of(case: Judged, pairs: Coincidences) -> Sinogram:
    """Return pairs counted in bins."""
    layout = SinogramLayout.of(case.ring, span=SPAN, mashed=MASHED)
    return replace(binned(case.scan(pairs), layout, timed=True), mu_map=case.mu_map)


def estimated_in_bins(
    case: Judged, settings: BinScatter | None = None
) -> tuple[ScatterEstimate, np.ndarray, np.ndarray]:
    """Estimate scatter as a run on sinograms does; return it by planes, with the judge's."""
    data, on = sinogram_of(case, case.pairs), cpu()
    for correction in (BinGeometry(), BinAttenuation()):
        data = correction.apply(data, on=on)
    data = usable(data).data
    estimate = estimate_scatter(CountedBins(data, on=on), settings or BinScatter())
    expected = with_scatter(data, estimate.table, threads=on.threads).background
    counted = sinogram_of(case, case.pairs.take(case.pairs.kind == 1)).prompts
    middles = data.layout.plane_ends.sum(axis=1)
    edges = np.linspace(middles.min(), middles.max() + 1, PLANES + 1)
    simulated, counts = (
        np.histogram(middles, edges, weights=values.reshape(data.layout.n_planes, -1).sum(axis=1))[
            0
        ]
        for values in (expected, counted)
    )
    return estimate, simulated, counts


def middle(
    case: Judged, pairs: Coincidences, use: str, folder: Path, *, in_bins: bool = False
) -> tuple[float, float]:
    """Return the middle of a user's image, and the seconds of the scatter stage."""
    scatter = {"scatter": {"use": use}}
    if in_bins:
        write_sinogram(sinogram_of(case, pairs), folder / "scan.hs")
        engine.save(case.mu_map, folder / "mu.nii.gz", {})
        grid = {"voxel_mm": COARSE_MM}
        protocol = RingSinogramProtocol(corrections=scatter, grid=grid)
        inputs = {"attenuation": folder / "mu.nii.gz"}
        study = engine.Study(data=folder / "scan.hs", inputs=inputs, protocol=protocol)
    else:
        engine.save(case.scan(pairs), folder / "scan.h5")
        protocol = engine.ListModeProtocol(corrections=scatter)
        study = engine.Study(data=folder / "scan.h5", protocol=protocol)
    volume = engine.reconstruct(study, on=engine.cpu())
    x, y, z = (volume.grid.centres_mm(axis=k) for k in range(3))
    inside = np.hypot(x[None, :], y[:, None]) < MIDDLE_MM
    values = volume.values[np.abs(z) < HALF_MM][:, inside]
    return float(values.mean(dtype=float)), volume.info["timings_s"].get("scatter", 0.0)


def main(arguments: list[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("radius", nargs="*", type=float, default=[100.0, 150.0])
    parser.add_argument("--rings", type=int, default=48)
    parser.add_argument("--pairs", type=int, default=1_500_000)
    parser.add_argument("--sinogram", action="store_true")
    chosen = parser.parse_args(arguments)
    in_bins = chosen.sinogram
    out = sys.stdout.write
    heads = ("radius mm", "TOF", "scatter %", "estimated %", "scale", "planes", "middle", "off")
    out("| " + " | ".join((*heads, "seconds")) + " |\n" + "|---" * (len(heads) + 1) + "|\n")
    for radius in chosen.radius:
        for with_tof in (False, True):
            case = judged(radius, chosen.pairs, with_tof=with_tof, n_rings=chosen.rings)
            if in_bins:
                estimate, simulated, counted = estimated_in_bins(case)
            else:
                estimate = estimated(case)
                simulated, counted = by_plane(case, estimate)
            with tempfile.TemporaryDirectory() as folder:
                truth, _ = middle(case, case.pairs.trues, "off", Path(folder), in_bins=in_bins)
                corrected, seconds = middle(case, case.pairs, "on", Path(folder), in_bins=in_bins)
                left, _ = middle(case, case.pairs, "off", Path(folder), in_bins=in_bins)
            ratio = simulated / counted
            out(
                f"| {radius:g} | {'300 ps' if with_tof else 'no'} "
                f"| {100 * case.pairs.scatter_fraction:.1f} | {100 * estimate.fraction:.1f} "
                f"| {estimate.fit.scale:.2f} | {ratio.min():.3f} to {ratio.max():.3f} "
                f"| {corrected / truth:.3f} | {left / truth:.2f} | {seconds:.0f} |\n"
            )
            sys.stdout.flush()


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    main(sys.argv[1:])
