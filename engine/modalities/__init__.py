"""The kinds of scans: everything that knows what kind of scan it is, a folder for each.

A further kind is one folder and its name in `MODALITIES`. Whoever handles scans in general, the
command line and the window among them, asks these and names none.
"""

from engine.modalities.base import AnyModality, Modality, OpenStudy
from engine.modalities.dual_head_pet.modality import DualHeadPet
from engine.modalities.listmode_pet.modality import ListModePet
from engine.modalities.scan_summary import ScanSummary
from engine.modalities.xray_ct.modality import XrayCt

MODALITIES: tuple[AnyModality, ...] = (ListModePet(), XrayCt(), DualHeadPet())
"""In the order in which they are offered; the first one is shown to who asks for none."""

__all__ = ["MODALITIES", "AnyModality", "Modality", "OpenStudy", "ScanSummary"]
