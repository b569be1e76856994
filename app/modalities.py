"""The kinds of scans the window knows."""

from __future__ import annotations

from app.ct import Ct
from app.inputs import Inputs, Plan
from app.modality import Modality
from app.pet import Pet
from app.xray_scan import XrayScan

MODALITIES: dict[str, Modality] = {made.key: made for made in (Pet(), Ct())}


def modality_of(plan: Plan) -> Modality:
    """Return the kind of scan a protocol is for."""
    return MODALITIES[plan.modality]


def modality_of_scan(inputs: Inputs) -> Modality | None:
    """Return the kind of the scan that is open, None before it is read."""
    if inputs.scan is None:
        return None
    return MODALITIES["ct" if isinstance(inputs.scan, XrayScan) else "pet"]
