"""Protocol of sinograms: grid, corrections, algorithm and filters."""

from __future__ import annotations

from typing import Literal

from engine.core.settings import setting
from engine.modalities.listmode_pet.protocol import ListModeGrid
from engine.protocols.study.choices import CountsAlgorithm, SinogramCorrections
from engine.protocols.study.fields import Finishing, Name, Replicates, ReplicateSeed
from engine.protocols.study.protocol import Protocol
from engine.recon.algorithms import ALGORITHMS
from engine.recon.postprocess import Gaussian


class RingSinogramProtocol(Protocol):
    """Protocol for sinograms of a ring scanner.

    Examples
    --------
    >>> from engine.modalities.ring_sinogram_pet.protocol import RingSinogramProtocol
    >>> protocol = RingSinogramProtocol(
    ...     grid={"voxel_mm": (2, 2, 2)}, algorithm={"kind": "osem", "iterations": 4, "subsets": 8}
    ... )
    >>> protocol.algorithm.describe()
    'OSEM, 4 iterations × 8 subsets'
    """

    modality: Literal["pet-sinogram"] = "pet-sinogram"
    name: Name = "Standard sinograms"
    grid: ListModeGrid = ListModeGrid()
    corrections: SinogramCorrections = SinogramCorrections()
    time_of_flight: bool = setting(
        True, "Use time-of-flight data if the scan contains them", label="Time of flight"
    )
    algorithm: CountsAlgorithm = ALGORITHMS[0]()
    finishing: Finishing = (Gaussian(),)
    error_replicates: Replicates = None
    error_seed: ReplicateSeed = None
