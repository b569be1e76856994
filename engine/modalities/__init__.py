"""Scan types (modalities): one folder for each, with everything that depends on the type.

A new modality is one folder and its entry in `MODALITIES`. General code, such as the command line
and the window, asks these entries and names no modality. An entry contains the facts that are
needed to choose the modality. Its modules are imported when a scan or a protocol needs them.
"""

from typing import TYPE_CHECKING

from engine.core.lazy_exports import face
from engine.modalities import dual_head_pet, listmode_pet, ring_sinogram_pet, xray_ct
from engine.modalities.modality_list import ModalityList, with_added

if TYPE_CHECKING:
    from engine.corrections.base import AnyCorrection as AnyCorrection
    from engine.corrections.base import Correction as Correction
    from engine.corrections.preprocess.parameter_sweep import Candidate as Candidate
    from engine.corrections.preprocess.parameter_sweep import Estimate as Estimate
    from engine.modalities.base import AnyModality as AnyModality
    from engine.modalities.base import Modality as Modality
    from engine.modalities.base import OpenStudy as OpenStudy
    from engine.modalities.base import Sweep as Sweep
    from engine.modalities.demo import Demo as Demo
    from engine.modalities.demos import DEMOS as DEMOS
    from engine.modalities.demos import demo_folder as demo_folder
    from engine.modalities.listmode_pet.protocol import ListModeProtocol as ListModeProtocol
    from engine.modalities.plug_ins import used_plug_ins as used_plug_ins
    from engine.modalities.protocol_choice import misfit as misfit
    from engine.modalities.protocol_choice import protocol_for as protocol_for
    from engine.modalities.protocol_choice import scanner_kind as scanner_kind
    from engine.modalities.protocol_choice import suitable as suitable
    from engine.modalities.protocol_choice import with_measured as with_measured
    from engine.modalities.protocol_identity import compared as compared
    from engine.modalities.protocol_identity import identified as identified
    from engine.modalities.protocol_library import EARLIER as EARLIER
    from engine.modalities.protocol_library import SavedProtocol as SavedProtocol
    from engine.modalities.protocol_library import SavedProtocols as SavedProtocols
    from engine.modalities.protocol_library import Source as Source
    from engine.modalities.recognise import Purpose as Purpose
    from engine.modalities.recognise import Recognised as Recognised
    from engine.modalities.recognise import all_roles as all_roles
    from engine.modalities.recognise import purpose_of as purpose_of
    from engine.modalities.recognise import summarise as summarise
    from engine.modalities.requirements import Requirements as Requirements
    from engine.modalities.requirements import refuse_if_too_large as refuse_if_too_large
    from engine.modalities.scan_files import ScanFiles as ScanFiles
    from engine.modalities.scan_summary import ScanSummary as ScanSummary
    from engine.modalities.settings_page import settings_text as settings_text
    from engine.modalities.studies import Study as Study
    from engine.modalities.studies import files_of_study as files_of_study
    from engine.modalities.studies import modality_of as modality_of
    from engine.modalities.studies import read_protocol as read_protocol
    from engine.modalities.studies import read_study as read_study
    from engine.modalities.studies import shipped_protocols as shipped_protocols
    from engine.modalities.studies import write_protocol as write_protocol
    from engine.modalities.studies import write_study as write_study
    from engine.modalities.warm_up import compiled_early as compiled_early
    from engine.modalities.xray_ct.parameter_sweep import BEST as BEST
    from engine.modalities.xray_ct.parameter_sweep import candidates as candidates
    from engine.modalities.xray_ct.parameter_sweep import with_value as with_value
    from engine.modalities.xray_ct.plane_slices import PlaneSlices as PlaneSlices
    from engine.modalities.xray_ct.preview import PreviewSlice as PreviewSlice
    from engine.modalities.xray_ct.preview import SlicePreview as SlicePreview
    from engine.modalities.xray_ct.projections_summary import (
        ProjectionsSummary as ProjectionsSummary,
    )
    from engine.modalities.xray_ct.protocol import CtProtocol as CtProtocol
    from engine.modalities.xray_ct.radiograph_store import Part as Part
    from engine.modalities.xray_ct.radiograph_store import RadiographStore as RadiographStore
    from engine.protocols.study.difference import SettingChange as SettingChange
    from engine.protocols.study.difference import setting_changes as setting_changes
    from engine.protocols.study.difference import with_setting_of as with_setting_of
    from engine.protocols.study.protocol import Protocol as Protocol
    from engine.protocols.study.stored_protocol import OF_QUALITY as OF_QUALITY
    from engine.protocols.study.stored_protocol import Quality as Quality
    from engine.protocols.study.stored_protocol import SavedAs as SavedAs
    from engine.protocols.study.stored_protocol import digest_of as digest_of
    from engine.protocols.study.stored_protocol import label_of as label_of
    from engine.protocols.study.stored_protocol import stamped as stamped
    from engine.protocols.study.stored_protocol import version_text as version_text
    from engine.protocols.study.unstated import RANDOMS_UNSTATED as RANDOMS_UNSTATED
    from engine.protocols.study.unstated import SUBSETS_UNSTATED as SUBSETS_UNSTATED
    from engine.protocols.study.unstated import still_unstated as still_unstated

# Order matters: the first entry that accepts a file reads it, and it is the default.
MODALITIES: ModalityList = with_added(
    (
        listmode_pet.ENTRY,
        xray_ct.ENTRY,
        dual_head_pet.ENTRY,
        ring_sinogram_pet.ENTRY,
    )
)
"""Modalities in the order in which they are offered; the first one is the default."""

if not TYPE_CHECKING:  # type checkers read the imports above and refuse other names
    __getattr__, __dir__ = face(
        __name__,
        {
            "engine.corrections.base": ("AnyCorrection", "Correction"),
            "base": ("AnyModality", "Modality", "OpenStudy", "Sweep"),
            "demo": ("Demo",),
            "demos": (
                "DEMOS",
                "demo_folder",
            ),
            "plug_ins": ("used_plug_ins",),
            "protocol_choice": (
                "misfit",
                "protocol_for",
                "scanner_kind",
                "suitable",
                "with_measured",
            ),
            "protocol_identity": ("compared", "identified"),
            "protocol_library": (
                "EARLIER",
                "SavedProtocol",
                "SavedProtocols",
                "Source",
            ),
            "recognise": (
                "Purpose",
                "Recognised",
                "all_roles",
                "purpose_of",
                "summarise",
            ),
            "requirements": (
                "Requirements",
                "refuse_if_too_large",
            ),
            "scan_files": ("ScanFiles",),
            "scan_summary": ("ScanSummary",),
            "settings_page": ("settings_text",),
            "studies": (
                "Study",
                "files_of_study",
                "modality_of",
                "read_protocol",
                "read_study",
                "shipped_protocols",
                "write_protocol",
                "write_study",
            ),
            "warm_up": ("compiled_early",),
            "engine.modalities.xray_ct.parameter_sweep": (
                "BEST",
                "candidates",
                "with_value",
            ),
            "engine.modalities.xray_ct.plane_slices": ("PlaneSlices",),
            "engine.modalities.xray_ct.preview": (
                "PreviewSlice",
                "SlicePreview",
            ),
            "engine.modalities.xray_ct.projections_summary": ("ProjectionsSummary",),
            "engine.modalities.listmode_pet.protocol": ("ListModeProtocol",),
            "engine.modalities.xray_ct.protocol": ("CtProtocol",),
            "engine.modalities.xray_ct.radiograph_store": (
                "Part",
                "RadiographStore",
            ),
            "engine.corrections.preprocess.parameter_sweep": (
                "Candidate",
                "Estimate",
            ),
            "engine.protocols.study.difference": (
                "SettingChange",
                "setting_changes",
                "with_setting_of",
            ),
            "engine.protocols.study.protocol": ("Protocol",),
            "engine.protocols.study.stored_protocol": (
                "OF_QUALITY",
                "Quality",
                "SavedAs",
                "digest_of",
                "label_of",
                "stamped",
                "version_text",
            ),
            "engine.protocols.study.unstated": (
                "RANDOMS_UNSTATED",
                "SUBSETS_UNSTATED",
                "still_unstated",
            ),
        },
    )

__all__ = [
    "MODALITIES",
    "AnyModality",
    "Modality",
    "OpenStudy",
    "ScanFiles",
    "ScanSummary",
    "Sweep",
]
