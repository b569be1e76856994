"""How a scan becomes a volume, one flow for each kind of scan."""

from __future__ import annotations

from collections.abc import Callable

from engine.data.volume import Volume
from engine.modalities.dual_head_pet import flow as dual_head_pet
from engine.modalities.listmode_pet import flow as listmode_pet
from engine.modalities.stages import Stage
from engine.modalities.xray_ct import flow as xray_ct
from engine.reporting.context import Resume, RunContext

Flow = Callable[[RunContext, Resume | None, Callable[[], bool] | None], Stage[Volume]]

FLOWS: dict[str, Flow] = {
    "pet": listmode_pet.flow,
    "dual-head": dual_head_pet.flow,
    "ct": xray_ct.flow,
}
"""Modality of a protocol to its flow."""
