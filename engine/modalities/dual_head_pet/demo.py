"""The demo of dual-head PET: rods of six sizes between two small panels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from engine.corrections.roles import EFFICIENCIES
from engine.modalities.demo import SEED, Demo, OnProgress, save_efficiencies, save_volume
from engine.modalities.dual_head_pet.protocol import DualHeadProtocol
from engine.modalities.dual_head_pet.response.settings import AnalyticResponse
from engine.modalities.studies import Study
from engine.modalities.study_values import shipped_protocol
from engine.protocols.study.protocol import Protocol

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.data.layered_response import StoredResponse

SCANNER = "demo-panels"
RADIUS_MM = 18.0
"""Radius of the phantom, whose rods extend from panel to panel."""
RANDOMS_FRACTION = 0.1
EFFICIENCY_SPREAD = 0.1
RESPONSE_PERCENT = 95
"""Percentage of the work for computing the response, if it is not cached."""


@dataclass(frozen=True)
class DualHeadDemo(Demo):
    """A histogram with randoms and uneven crystals.

    `n_points` determines the accuracy of the response. The scan is simulated with the same
    response, so a quarter of the usual points gives an equally good image.
    """

    n_prompts: int = 4_000_000
    n_points: int = 1 << 15

    key: ClassVar[str] = "dual-head"
    title: ClassVar[str] = "Dual-head PET"
    text: ClassVar[str] = "Rods of 0.75 to 2.4 mm between two panels, with a stored response matrix"
    wait: ClassVar[str] = "about 20 s, half of it for the response matrix"
    icon: ClassVar[str] = "panels"
    busy: ClassVar[str] = "Computing the response matrix of the panels and simulating a scan"
    protocol: ClassVar[type[Protocol]] = DualHeadProtocol
    version: ClassVar[int] = 3

    def simulate(self, folder: Path, on_progress: OnProgress | None) -> Study:
        """Write a histogram, its efficiencies and the truth.

        Returns
        -------
        study
            the study with paths relative to the folder
        """
        from engine.core.backend import cpu
        from engine.io import write_histogram
        from engine.simulate import derenzo
        from engine.simulate.histogram import simulate_histogram

        # The scan is simulated with the response of the run, so that the demo shows no model error.
        settings = AnalyticResponse(n_points=self.n_points)
        response = _response(settings, _part(on_progress, 0, RESPONSE_PERCENT))
        efficiencies = _efficiencies(response.scanner.n_crystals)
        phantom = derenzo(radius_mm=RADIUS_MM, along="y")
        data = simulate_histogram(
            phantom,
            response,
            n_prompts=self.n_prompts,
            seed=SEED,
            on=cpu(),
            randoms_fraction=RANDOMS_FRACTION,
            efficiencies=efficiencies,
            on_progress=_part(on_progress, RESPONSE_PERCENT, 100),
        )
        study = Study(
            data=Path(self.name(".h5")),
            inputs={EFFICIENCIES.key: Path(self.name("-normalisation.h5"))},
            protocol=_protocol(settings),
        )
        truth = phantom.rasterise(response.scanner.grid)
        # The truth in decays, the unit of the image.
        values = np.float32(data.info["decays_per_activity"]) * truth.values
        save_volume(replace(truth, values=values, unit="decays"), self.truth(folder))
        save_efficiencies(efficiencies, folder / self.name("-normalisation.h5"))
        # The window draws the rods from this entry.
        info = data.info | {"rods": {"radius_mm": RADIUS_MM, "along": "y"}}
        write_histogram(replace(data, efficiencies=None, info=info), folder / study.data)
        return study


def _protocol(settings: AnalyticResponse) -> Protocol:
    """Return the protocol of the demo with the response that simulated the scan."""
    return shipped_protocol("demo-dual-head", DualHeadProtocol).model_copy(
        update={"response": settings}
    )


def _response(settings: AnalyticResponse, on_progress: OnProgress | None) -> StoredResponse:
    """Return the response that a run finds: from the cache, or computed into it."""
    from engine.core.backend import usable_cores
    from engine.core.paths import cached_dir
    from engine.geometry.dual_head import DualHead
    from engine.io import read_scanner
    from engine.modalities.dual_head_pet import response_cache

    folder, scanner = cached_dir("response"), read_scanner(SCANNER)
    if not isinstance(scanner, DualHead):
        raise TypeError(
            f"{SCANNER}: the scanner is of type {type(scanner).__name__}, expected DualHead."
        )
    # The same folder and settings as a run, which then reuses the matrix.
    return response_cache.find(folder, scanner, settings) or response_cache.build(
        folder, scanner, settings, threads=usable_cores(), on_progress=on_progress
    )


def _efficiencies(n_crystals: int) -> NDArray[np.float32]:
    """Return uneven detection efficiencies of crystals, (n_crystals,)."""
    spread = np.random.default_rng(SEED).standard_normal(n_crystals).clip(-3, 3)
    return (1 + EFFICIENCY_SPREAD * spread).astype(np.float32)


def _part(on_progress: OnProgress | None, first: int, last: int) -> OnProgress | None:
    """Return a progress callback for a part of the work, from `first` to `last` percent."""
    if on_progress is None:
        return None
    return lambda done, total: on_progress(first + (last - first) * done // max(total, 1), 100)
