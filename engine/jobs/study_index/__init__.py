"""Index of all studies that the program knows, with their worklist orders."""

from typing import TYPE_CHECKING

from engine.core.lazy_exports import face

if TYPE_CHECKING:
    from engine.io.dicom.network import Node as Node
    from engine.io.dicom.network import send_files as send_files
    from engine.io.dicom.order import ImagingOrder as ImagingOrder
    from engine.io.dicom.order import day_of as day_of
    from engine.io.dicom.patient_identity import is_dicom as is_dicom
    from engine.io.dicom.patient_identity import write_for_order as write_for_order
    from engine.io.dicom.worklist import Worklist as Worklist
    from engine.io.dicom.worklist import WorklistQuery as WorklistQuery
    from engine.io.dicom.worklist import ask_worklist as ask_worklist
    from engine.jobs.loader.node_calls import call_node as call_node
    from engine.jobs.study_index.collecting import known_studies as known_studies
    from engine.jobs.study_index.indexed_study import FILTERS as FILTERS
    from engine.jobs.study_index.indexed_study import KnownStudy as KnownStudy
    from engine.jobs.study_index.indexed_study import State as State

if not TYPE_CHECKING:  # type checkers read the imports above and refuse other names
    __getattr__, __dir__ = face(
        __name__,
        {
            "collecting": ("known_studies",),
            "indexed_study": ("FILTERS", "KnownStudy", "State"),
            "engine.io.dicom.network": ("Node", "send_files"),
            "engine.io.dicom.order": ("ImagingOrder", "day_of"),
            "engine.io.dicom.patient_identity": ("is_dicom", "write_for_order"),
            "engine.jobs.loader.node_calls": ("call_node",),
            "engine.io.dicom.worklist": ("WorklistQuery", "Worklist", "ask_worklist"),
        },
    )
