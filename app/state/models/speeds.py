"""Measured speeds of runs on a device, and work that a run does only once."""

from __future__ import annotations

from dataclasses import dataclass

from app.state.models.inputs import Inputs
from engine.core.backend import DeviceInfo
from engine.modalities import AnyModality, Protocol, Requirements


@dataclass(frozen=True)
class Speeds:
    """Measured over estimated times of a modality on a device, by stage.

    Attributes
    ----------
    modality : the kind of scan
    device : the device
    ratios : ratios of all modalities and devices, by `key`
    """

    modality: AnyModality
    device: DeviceInfo
    ratios: dict[str, float]

    def key(self, stage: str) -> str:
        """Return the key under which the speed of a stage is stored.

        Parameters
        ----------
        stage
            key of the stage
        """
        return f"{self.modality.speed_key(self.device.key)}_{stage}"

    def ratio(self, stage: str) -> float:
        """Return measured over estimated time of a stage.

        Parameters
        ----------
        stage
            key of the stage

        Returns
        -------
        1 before the first run
        """
        return self.ratios.get(self.key(stage), 1.0)

    def applied(self, estimate: Requirements) -> Requirements:
        """Scale an estimate with the measured speeds of this computer.

        Parameters
        ----------
        estimate
            memory and time by stage
        """
        return estimate.scaled({stage: self.ratio(stage) for stage in estimate.stages})


def once_key(inputs: Inputs, protocol: Protocol, on: DeviceInfo) -> str:
    """Return a key for the work that a run does once and caches.

    Parameters
    ----------
    inputs
        files of the study
    protocol
        its iterations and filters do not matter here
    on
        the device
    """
    # Sensitivity and system matrix depend on files, grid and corrections, not on the algorithm.
    values = sorted((role, found.value) for role, found in inputs.items())
    settings = protocol.model_dump_json(exclude={"name", "algorithm", "between", "finishing"})
    return f"{on.key} {values} {settings}"
