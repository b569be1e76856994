"""How a scan becomes a volume, one flow for each kind of scan."""

from __future__ import annotations

from collections.abc import Callable

from engine.data.volume import Volume
from engine.flows import dual_head_pet, listmode_pet, xray_ct
from engine.flows.common import Stage
from engine.record import Record, Resume

Flow = Callable[[Record, Resume | None, Callable[[], bool] | None], Stage[Volume]]

FLOWS: dict[str, Flow] = {
    "pet": listmode_pet.flow,
    "dual-head": dual_head_pet.flow,
    "ct": xray_ct.flow,
}
"""Modality of a protocol to its flow."""
