"""Compare errors of time frames with the spread of independent measurements, and their sum.

    python -m tests.physics.frame_coverage [SCANNER] [--draws N] [--frames N] [--no-tof]

The judge's photons are divided at random into short scans, and each event gets a random time. The
program reconstructs the frames of every scan (`frames` of the protocol), and of some scans with
error maps. It prints

- for each frame and their sum, the comparison of `tests.physics.error_coverage`,
- the standard deviation of the sum relative to √(Σ σ_f²) of its frames, which are independent,
- the standard deviation of the sum relative to that of the same scan without frames, and the
  difference of the two images: with the subsets of the frames, and with those that the program
  chooses for the counts of the whole scan.

Ratios are medians over the voxels of `error_coverage`. The photons contain no scatter.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

import engine
from engine.data.error_map import ErrorMap
from engine.data.runs.events import Finished
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.modalities.count_demand import ring_demand
from engine.recon.algorithms import Algorithm
from engine.recon.algorithms.osem import Osem
from engine.recon.postprocess import Gaussian
from tests.physics.error_coverage import MIN_BACKGROUND_SHARE, Coverage, Image, coverage
from tests.physics.map_scan import CASES, Masks, RingCase

Volumes = tuple[Volume, ...]


@dataclass(frozen=True)
class FramedScans:
    """Short scans with times of their events, and their reconstructions.

    Attributes
    ----------
    events : all events
    n : number of short scans
    n_frames : equally long frames of a scan
    n_maps : number of scans with error maps
    n_replicates : replicates of each error map
    algorithm : algorithm of the frames
    fwhm_mm : width of the final filter
    """

    events: engine.ListMode
    n: int
    n_frames: int
    n_maps: int
    n_replicates: int
    algorithm: Algorithm
    fwhm_mm: float
    _made: dict[int, Volumes] = field(default_factory=dict, repr=False)

    @property
    def grid(self) -> ImageGrid:
        """Grid of the images."""
        return engine.ListModeProtocol().grid.grid_for(self.events.scanner)

    @cached_property
    def _chance(self) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
        """Return scan and time of each event, from a fixed seed for reproducible results."""
        rng, n = np.random.default_rng(20_261_129), self.events.n_events
        return rng.integers(0, self.n, n), rng.integers(0, self._length_ms, n, dtype=np.uint32)

    @property
    def _length_ms(self) -> int:
        return round(1000 * self.events.duration_s)

    def scan(self, k: int) -> engine.ListMode:
        """Return a short scan in the order of time."""
        of_event, times = self._chance
        rows = np.flatnonzero(of_event == k)
        rows = rows[np.argsort(times[rows], kind="stable")]
        return replace(self.events.select(rows), time_ms=times[rows])

    def volumes(self, k: int) -> Volumes:
        """Return the frames of a scan and their sum."""
        if k not in self._made:
            last = self._run(k, self.algorithm, in_frames=True)
            self._made[k] = (*(each.volume for each in last.frames), last.volume)
        return self._made[k]

    def whole(self, k: int, algorithm: Algorithm) -> Volume:
        """Return the image of a scan without frames."""
        return self._run(k, algorithm, in_frames=False).volume

    def _run(self, k: int, algorithm: Algorithm, *, in_frames: bool) -> Finished:
        with TemporaryDirectory() as folder:
            path = Path(folder) / "scan.h5"
            engine.save(self.scan(k), path)
            study = engine.Study(data=path, protocol=self._protocol(k, algorithm, in_frames))
            *_, last = engine.run(study, on=engine.cpu())
        assert isinstance(last, Finished)
        return last

    def _protocol(self, k: int, algorithm: Algorithm, in_frames: bool) -> engine.ListModeProtocol:
        seconds = self.events.duration_s / self.n_frames
        protocol = engine.ListModeProtocol(
            algorithm=algorithm,
            finishing=(Gaussian(fwhm_mm=self.fwhm_mm),),
            frames=f"{self.n_frames}x{seconds:g}" if in_frames else "",
            error_replicates=self.n_replicates if k < self.n_maps else None,
            error_seed=k,
        )
        off = {
            step.kind: step.model_copy(update={"use": "off"})
            for step in protocol.corrections.steps()
            if step.kind in ("resolution", "scatter")
        }
        corrections = protocol.corrections.model_copy(update=off)
        return protocol.model_copy(update={"corrections": corrections})


@dataclass(frozen=True)
class Part:
    """One frame of all scans, or their sum.

    Attributes
    ----------
    scans : the short scans
    place : number of the frame; −1 for the sum
    """

    scans: FramedScans
    place: int

    @property
    def n(self) -> int:
        """Number of scans."""
        return self.scans.n

    @property
    def grid(self) -> ImageGrid:
        """Grid of the images."""
        return self.scans.grid

    def image(self, k: int) -> Image:
        """Return the image of a scan."""
        return self.scans.volumes(k)[self.place].values

    def error(self, k: int, n_replicates: int) -> ErrorMap:
        """Return the error map of a scan."""
        found = self.scans.volumes(k)[self.place].error
        assert found is not None and found.n == n_replicates
        return found


@dataclass(frozen=True)
class SumOfFrames:
    """The sum of frames against its parts, and against the scan without frames.

    Attributes
    ----------
    of_parts : standard deviation of the sum relative to √(Σ σ_f²)
    of_whole : standard deviation of the sum relative to that of the scan without frames
    difference : rms difference of the sum from the image without frames, relative to its
        standard deviation
    """

    of_parts: float
    of_whole: float
    difference: float

    def __str__(self) -> str:
        return (
            f"σ of the sum relative to that from its frames {self.of_parts:.3f}, to that of the "
            f"scan without frames {self.of_whole:.3f}; rms difference from its image "
            f"{self.difference:.2f} σ"
        )


def sum_of_frames(scans: FramedScans, masks: Masks, algorithm: Algorithm) -> SumOfFrames:
    """Compare the sum of frames with its parts and with scans without frames.

    Parameters
    ----------
    scans : short scans with error maps
    masks : whole object, background and rods
    algorithm : algorithm of the scans without frames
    """
    whole, background, _ = masks
    figures = []
    for k in range(scans.n_maps):
        *frames, total = scans.volumes(k)
        single = scans.whole(k, algorithm)
        level = float(single.values[background].mean())
        voxels = whole & (single.values > MIN_BACKGROUND_SHARE * level)
        of_total, of_single = _deviation(total), _deviation(single)
        of_frames = np.sqrt(np.sum([_deviation(frame) ** 2 for frame in frames], axis=0))
        apart = ((total.values - single.values) / of_single)[voxels]
        figures.append(
            (
                np.median((of_total / of_frames)[voxels]),
                np.median((of_total / of_single)[voxels]),
                np.sqrt(np.mean(apart**2)),
            )
        )
    return SumOfFrames(*np.mean(figures, axis=0).tolist())


def _deviation(volume: Volume) -> Image:
    assert volume.error is not None
    return volume.error.standard_deviation


def frame_coverages(scans: FramedScans, masks: Masks) -> list[Coverage]:
    """Return the comparison of each frame, and at the end that of their sum.

    Parameters
    ----------
    scans : short scans, some with error maps
    masks : whole object, background and rods
    """
    return [
        coverage(Part(scans, place), masks, n_maps=scans.n_maps, n_replicates=scans.n_replicates)
        for place in (*range(scans.n_frames), -1)
    ]


def main(arguments: list[str] | None = None) -> None:
    """Print the comparison."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    rings = [name for name, case in CASES.items() if isinstance(case, RingCase)]
    parser.add_argument("scanner", nargs="?", choices=rings, default="demo-ring")
    parser.add_argument("--draws", type=int, default=100)
    parser.add_argument("--pairs", type=int, default=100_000, help="of each draw")
    parser.add_argument("--frames", type=int, default=4)
    parser.add_argument("--maps", type=int, default=6, help="draws with error maps")
    parser.add_argument("--replicates", type=int, default=20)
    parser.add_argument("--updates", type=int, default=24)
    parser.add_argument("--fwhm", type=float, default=14.0, help="final filter [mm]")
    parser.add_argument("--no-tof", action="store_true", help="the same photons without timing")
    chosen = parser.parse_args(arguments)
    case = CASES[chosen.scanner]
    assert isinstance(case, RingCase)
    case = replace(case, is_timed=not chosen.no_tof)
    events = case.recorded(chosen.pairs * chosen.draws, seed=1)
    grid = engine.ListModeProtocol().grid.grid_for(events.scanner)
    open_subsets = Osem(updates=chosen.updates)
    n_counts, tof = events.n_events / chosen.draws, case.tof if case.is_timed else None
    algorithm = open_subsets.for_counts(ring_demand(n_counts / chosen.frames, grid, tof))
    scans = FramedScans(
        events, chosen.draws, chosen.frames, chosen.maps, chosen.replicates, algorithm, chosen.fwhm
    )
    masks = case.regions(grid)
    sys.stdout.write(
        f"{chosen.scanner}, {algorithm.describe()}, {chosen.draws} draws of {n_counts:,.0f} "
        f"counts in {chosen.frames} frames, {chosen.maps} with error maps of "
        f"{chosen.replicates}, final filter {chosen.fwhm:g} mm\n"
    )
    *frames, total = frame_coverages(scans, masks)
    for number, found in enumerate(frames, 1):
        sys.stdout.write(f"frame {number}: {found}\n")
    covered = np.mean([(each.voxels_covered, each.regions_covered) for each in frames], axis=0)
    sys.stdout.write(f"all frames: covered {covered[0]:.1%} (voxels), {covered[1]:.1%} (regions)\n")
    sys.stdout.write(f"sum: {total}\n")
    for name, whole in (("the same", algorithm), ("its own", open_subsets)):
        agreement = sum_of_frames(scans, masks, whole)
        sys.stdout.write(f"whole scan with {name} subsets: {agreement}\n")


if __name__ == "__main__":
    main()
