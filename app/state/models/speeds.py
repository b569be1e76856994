"""How fast runs of a kind have proved on a device, and what they compute only once."""

from __future__ import annotations

from dataclasses import dataclass

from app.state.models.inputs import Inputs
from engine.core.backend import DeviceInfo
from engine.modalities import AnyModality, Protocol, Requirements


@dataclass(frozen=True)
class Speeds:
    """Measured over estimated times of a kind of scan on a device, by stage of its run.

    Attributes
    ----------
    ratios : of all kinds and devices, by `key`
    """

    modality: AnyModality
    device: DeviceInfo
    ratios: dict[str, float]

    def key(self, stage: str) -> str:
        """Return under which name the speed of a stage is remembered."""
        return f"{self.modality.speed_key(self.device.key)}_{stage}"

    def ratio(self, stage: str) -> float:
        """Return measured over estimated time of a stage, 1 before the first run."""
        return self.ratios.get(self.key(stage), 1.0)

    def applied(self, estimate: Requirements) -> Requirements:
        """Return an estimate as this machine has proved to be."""
        return estimate.scaled({stage: self.ratio(stage) for stage in estimate.stages})


def once_key(inputs: Inputs, protocol: Protocol, on: DeviceInfo) -> str:
    """Return all that decides on what a run computes once and keeps: not its iterations."""
    values = sorted((role, found.value) for role, found in inputs.items())
    kept = protocol.model_dump_json(exclude={"name", "algorithm", "between", "finishing"})
    return f"{on.key} {values} {kept}"
