"""Protocol of sinograms: grid, corrections, algorithm and filters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import model_validator

from engine.core.settings import setting
from engine.modalities.listmode_pet.protocol import ListModeGrid
from engine.protocols.study.choices import CountsAlgorithm, SinogramCorrections
from engine.protocols.study.fields import (
    ErrorMethod,
    Finishing,
    Name,
    Replicates,
    ReplicateSeed,
    hessian_needs_map,
)
from engine.protocols.study.protocol import Protocol
from engine.recon.algorithms import ALGORITHMS
from engine.recon.postprocess import Gaussian

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.protocols.study.fields import Table
    from engine.protocols.study.stored_protocol import SavedAs
    from engine.recon.postprocess import Filter


class RingSinogramProtocol(Protocol):
    """Protocol for sinograms of a ring scanner.

    Examples
    --------
    >>> import engine
    >>> protocol = engine.RingSinogramProtocol(
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
    error_method: ErrorMethod = "bootstrap"
    error_seed: ReplicateSeed = None
    if TYPE_CHECKING:  # the constructor converts tables and lists of settings

        def __init__(
            self,
            *,
            modality: Literal["pet-sinogram"] = ...,
            name: str = ...,
            version: int = ...,
            grid: ListModeGrid | Table = ...,
            corrections: SinogramCorrections | Table = ...,
            time_of_flight: bool = ...,
            algorithm: CountsAlgorithm | Table = ...,
            error_replicates: int | None = ...,
            error_method: ErrorMethod = ...,
            error_seed: int | None = ...,
            between: Sequence[Filter | Table] = ...,
            finishing: Sequence[Filter | Table] = ...,
            saved: SavedAs | Table | None = ...,
        ) -> None: ...

    _hessian_needs_map = model_validator(mode="after")(hessian_needs_map)
