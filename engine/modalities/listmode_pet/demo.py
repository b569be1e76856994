"""Demo of list-mode PET: a head in a small ring scanner, with all auxiliary files."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from engine.corrections.roles import ATTENUATION_MAP, EFFICIENCIES
from engine.modalities.demo import SEED, Demo, OnProgress, save_efficiencies, save_volume
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study
from engine.modalities.study_values import shipped_protocol
from engine.protocols.study.protocol import Protocol

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.core.backend import Backend
    from engine.geometry.scanner import Scanner
    from engine.modalities.kernel_steps import Steps

SCANNER = "demo-ring"
HEAD_MM = (0.0, 0.0, 4.0)
"""Position of the head in the ring [mm]: the crown is well inside."""
RANDOMS_FRACTION = 0.2
# Uneven and dead crystals make the effect of normalisation visible.
EFFICIENCY_SPREAD = 0.1
N_DEAD_CRYSTALS = 6


@dataclass(frozen=True)
class PetDemo(Demo):
    """List mode with time of flight, randoms, a μ-map and uneven crystals."""

    n_prompts: int = 1_000_000

    key: ClassVar[str] = "pet"
    title: ClassVar[str] = "PET ring"
    text: ClassVar[str] = "A head with FDG in a ring of crystals: list mode with time of flight"
    wait: ClassVar[str] = "10 to 30 s"
    icon: ClassVar[str] = "ring"
    busy: ClassVar[str] = "Simulating the PET scan"
    protocol: ClassVar[type[Protocol]] = ListModeProtocol
    version: ClassVar[int] = 7

    def kernels(self, on: Backend) -> Steps:
        from engine.io import read_scanner
        from engine.modalities.kernel_steps import TINY
        from engine.modalities.listmode_pet.warm_up import of_events

        protocol, tof = _protocol(), read_scanner(SCANNER).tof
        return of_events(on, TINY, tof, reproducible=protocol.reproducible, mu_map=TINY)

    def simulate(self, folder: Path, on_progress: OnProgress | None) -> Study:
        """Write list mode, μ-map, efficiencies and the truth.

        Returns
        -------
        study
            the study with paths relative to the folder
        """
        from engine.io import read_scanner, write_listmode
        from engine.simulate import brain, simulate_listmode
        from engine.simulate.phantoms import moved

        phantom, scanner = moved(brain(), HEAD_MM), read_scanner(SCANNER)
        efficiencies, protocol = efficiencies_of(scanner), _protocol()
        data = simulate_listmode(
            phantom,
            scanner,
            n_prompts=self.n_prompts,
            seed=SEED,
            randoms_fraction=RANDOMS_FRACTION,
            efficiencies=efficiencies,
            on_progress=on_progress,
        )
        study = Study(
            data=Path(self.name(".h5")),
            inputs={
                ATTENUATION_MAP.key: Path(self.name("-mu-map.nii.gz")),
                EFFICIENCIES.key: Path(self.name("-normalisation.h5")),
            },
            protocol=protocol,
        )
        truth = phantom.rasterise(protocol.grid.grid_for(scanner))
        # The truth in the unit of the image, so that both can be subtracted.
        values = np.float32(data.info["counts_per_mm"]) * truth.values
        save_volume(replace(truth, values=values, unit="counts/mm"), self.truth(folder))
        if data.mu_map is not None:
            save_volume(data.mu_map, folder / self.name("-mu-map.nii.gz"))
        save_efficiencies(efficiencies, folder / self.name("-normalisation.h5"))
        # μ-map and efficiencies are files of their own, as in a hospital.
        write_listmode(replace(data, mu_map=None, efficiencies=None), folder / study.data)
        return study


def _protocol() -> ListModeProtocol:
    return shipped_protocol("demo", ListModeProtocol)


def efficiencies_of(scanner: Scanner) -> NDArray[np.float32]:
    """Return detection efficiencies of crystals, uneven and with a few dead ones.

    Parameters
    ----------
    scanner
        scanner with its gaps

    Returns
    -------
    efficiencies
        (n_crystals,) float32, 0 in gaps and dead crystals
    """
    rng = np.random.default_rng(SEED)
    values = 1 + EFFICIENCY_SPREAD * rng.standard_normal(scanner.n_crystals).clip(-3, 3)
    live = np.flatnonzero(scanner.alive)
    values[rng.choice(live, N_DEAD_CRYSTALS, replace=False)] = 0
    return np.where(scanner.alive, values, 0).astype(np.float32)
