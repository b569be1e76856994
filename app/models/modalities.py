"""The kinds of scans the window knows."""

from __future__ import annotations

from typing import Any

from app.models.dual_head_pet import DualHeadScans
from app.models.histogram_scan import HistogramScan
from app.models.inputs import AnyProtocol, Inputs
from app.models.listmode_pet import Pet
from app.models.modality import WindowModality
from app.models.xray_ct import Ct
from app.models.xray_scan import XrayScan
from engine.geometry.dual_head import DualHead

AnyModality = WindowModality[Any]
"""A modality, whatever its protocols."""
MODALITIES: dict[str, AnyModality] = {made.key: made for made in (Pet(), DualHeadScans(), Ct())}


def modality_of(protocol: AnyProtocol) -> AnyModality:
    """Return the kind of scan a protocol is for."""
    return MODALITIES[protocol.modality]


def suitable_modalities(inputs: Inputs) -> tuple[AnyModality, ...]:
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
