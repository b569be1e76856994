"""The kinds of scans the window knows."""

from __future__ import annotations

from app.ct import Ct
from app.dual_head import DualHeadPet
from app.histogram_scan import HistogramScan
from app.inputs import Inputs, Plan
from app.modality import Modality
from app.pet import Pet
from app.xray_scan import XrayScan
from engine.geometry.dual_head import DualHead

MODALITIES: dict[str, Modality] = {made.key: made for made in (Pet(), DualHeadPet(), Ct())}


def modality_of(plan: Plan) -> Modality:
    """Return the kind of scan a protocol is for."""
    return MODALITIES[plan.modality]


def ways_of(inputs: Inputs) -> tuple[Modality, ...]:
    """Return the kinds of protocols that suit the open scan, the usual one first; none before."""
    scan = inputs.scan
    if scan is None:
        return ()
    if isinstance(scan, XrayScan):
        return (MODALITIES["ct"],)
    if isinstance(scan, HistogramScan):
        return (MODALITIES["dual-head"],)
    scanner = inputs.scanner or scan.sample.scanner  # one that was chosen may still be read
    if isinstance(scanner, DualHead):
        return MODALITIES["pet"], MODALITIES["dual-head"]
    return (MODALITIES["pet"],)
