"""Protocol of the gamma camera."""

from __future__ import annotations

from typing import Literal

from engine.protocols.study.choices import ChoiceGroup, CountsAlgorithm
from engine.protocols.study.fields import Finishing, Name
from engine.protocols.study.protocol import GridSettings, Protocol
from engine.recon.algorithms import ALGORITHMS
from engine.recon.postprocess import Gaussian


class CameraGrid(GridSettings):
    """Image grid, which has the pixels of the camera: there is nothing to choose."""

    voxel_mm: None = None


class GammaCameraProtocol(Protocol):
    """Protocol for scans of a rotating gamma camera."""

    modality: Literal["gamma-camera"] = "gamma-camera"
    name: Name = "Standard gamma camera"
    grid: CameraGrid = CameraGrid()
    corrections: ChoiceGroup = ChoiceGroup()  # none yet
    algorithm: CountsAlgorithm = ALGORITHMS[0]()
    finishing: Finishing = (Gaussian(),)
