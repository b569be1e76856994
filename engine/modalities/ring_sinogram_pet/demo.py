"""Demo of sinograms: a head in a ring, with its counts and all corrections."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from engine.modalities.demo import SEED, Demo, OnProgress, save_volume
from engine.modalities.listmode_pet.demo import HEAD_MM, SCANNER
from engine.modalities.ring_sinogram_pet.protocol import RingSinogramProtocol
from engine.modalities.studies import Study
from engine.modalities.study_values import shipped_protocol
from engine.protocols.study.protocol import Protocol

if TYPE_CHECKING:
    from engine.core.backend import Backend
    from engine.data.listmode import ListMode
    from engine.data.sinogram import Sinogram
    from engine.geometry.ring import RingScanner
    from engine.geometry.sinogram_layout import SinogramLayout
    from engine.modalities.kernel_steps import Steps

RANDOMS_FRACTION = 0.2
# Small segments and mashing keep the demo within seconds; they also test compressed bins.
MAX_DIFFERENCE, MASHED = 4, 2


@dataclass(frozen=True)
class SinogramDemo(Demo):
    """Counts of a few segments, randoms and attenuation factors as sinograms."""

    n_prompts: int = 2_000_000

    key: ClassVar[str] = "pet-sinogram"
    title: ClassVar[str] = "PET sinograms"
    text: ClassVar[str] = "A head in a ring: counts, randoms and attenuation as sinograms"
    wait: ClassVar[str] = "about 30 s"
    icon: ClassVar[str] = "ring"
    busy: ClassVar[str] = "Simulating the sinograms"
    protocol: ClassVar[type[Protocol]] = RingSinogramProtocol
    version: ClassVar[int] = 3

    def kernels(self, on: Backend) -> Steps:
        from engine.modalities.kernel_steps import TINY
        from engine.modalities.ring_sinogram_pet.warm_up import of_bins

        # The attenuation factors of the scan are exact sums.
        return of_bins(on, TINY, TINY)

    def simulate(self, folder: Path, on_progress: OnProgress | None) -> Study:
        """Write counts, randoms and attenuation factors as sinograms, and the truth.

        Returns
        -------
        study
            the study with paths relative to the folder
        """
        from engine.core.backend import cpu
        from engine.corrections.sinogram import BinAttenuation
        from engine.corrections.sinogram_roles import ATTENUATION, RANDOMS
        from engine.data.sinogram import Sinogram, binned
        from engine.geometry.ring import RingScanner
        from engine.io import read_scanner
        from engine.io.interfile.sinogram_writer import write_sinogram
        from engine.simulate import brain, simulate_listmode
        from engine.simulate.phantoms import moved

        phantom, scanner = moved(brain(), HEAD_MM), read_scanner(SCANNER)
        if not isinstance(scanner, RingScanner):
            raise TypeError(
                f"{SCANNER}: the scanner is of type {type(scanner).__name__}, expected RingScanner."
            )
        protocol = _protocol()
        data = simulate_listmode(
            phantom,
            scanner,
            n_prompts=self.n_prompts,
            seed=SEED,
            randoms_fraction=RANDOMS_FRACTION,
            on_progress=on_progress,
        )
        layout = _layout(scanner)
        prompts = binned(data, layout)
        files = {ATTENUATION.key: "-attenuation.hs", RANDOMS.key: "-randoms.hs"}
        passing = BinAttenuation().factor(replace(prompts, mu_map=data.mu_map), on=cpu())
        write_sinogram(prompts, folder / self.name(".hs"))
        # Expected randoms instead of delayeds: the demo then shows a supplied estimate.
        write_sinogram(_expected_randoms(data, layout), folder / self.name(files[RANDOMS.key]))
        # Files contain correction factors, the inverse of the transmission.
        factors = Sinogram(layout, np.float32(1) / np.asarray(passing, np.float32))
        write_sinogram(factors, folder / self.name(files[ATTENUATION.key]))
        study = Study(
            data=Path(self.name(".hs")),
            inputs={key: Path(self.name(name)) for key, name in files.items()},
            protocol=protocol,
        )
        # The truth has relative units, because the demo has no calibration.
        truth = phantom.rasterise(protocol.grid.grid_for(scanner))
        save_volume(replace(truth, unit="relative"), self.truth(folder))
        return study


def _layout(scanner: RingScanner) -> SinogramLayout:
    from engine.geometry.sinogram_layout import Segment, SinogramLayout

    n = scanner.settings.n_rings
    differences = range(-MAX_DIFFERENCE, MAX_DIFFERENCE + 1)
    segments = tuple(Segment(d, d, n - abs(d)) for d in differences)
    n_views = scanner.n_views // MASHED
    return SinogramLayout(scanner, segments, n_views, scanner.settings.n_tangential)


def _expected_randoms(data: ListMode, layout: SinogramLayout) -> Sinogram:
    """Return the randoms expected in each bin from the delayeds, almost without noise."""
    from engine.corrections.randoms import Randoms
    from engine.corrections.sinogram_delayeds import of_rates
    from engine.data.sinogram import Sinogram

    return Sinogram(layout, of_rates(layout, Randoms().rates(data)))


def _protocol() -> RingSinogramProtocol:
    return shipped_protocol("demo-sinograms", RingSinogramProtocol)
