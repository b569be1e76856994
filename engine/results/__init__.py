"""Results: finished images on disk with study and provenance.

They stay until the user or a limit of `engine.results.retention` removes them.
"""

from typing import TYPE_CHECKING

from engine.core.lazy_exports import face

if TYPE_CHECKING:
    from engine.data.runs.record import Ending as Ending
    from engine.data.runs.record import Outcome as Outcome
    from engine.protocols.run_context.unrecorded import unrecorded as unrecorded
    from engine.protocols.study.difference import Difference as Difference
    from engine.protocols.study.difference import differences as differences
    from engine.results.name_differences import Named as Named
    from engine.results.name_differences import NameWords as NameWords
    from engine.results.naming import default_export_name as default_export_name
    from engine.results.result import EXPORTED as EXPORTED
    from engine.results.result import PINNED as PINNED
    from engine.results.result import VOLUME as VOLUME
    from engine.results.result import Result as Result
    from engine.results.result_names import BETWEEN as BETWEEN
    from engine.results.result_names import VISIBLE as VISIBLE
    from engine.results.result_names import difference_name as difference_name
    from engine.results.result_names import difference_parts as difference_parts
    from engine.results.result_names import image_names as image_names
    from engine.results.retention import Retention as Retention
    from engine.results.store import NewResult as NewResult
    from engine.results.store import Results as Results
    from engine.results.volume_slices import VolumeSlices as VolumeSlices

if not TYPE_CHECKING:  # type checkers read the imports above and refuse other names
    __getattr__, __dir__ = face(
        __name__,
        {
            "name_differences": ("Named", "NameWords"),
            "naming": ("default_export_name",),
            "result": ("EXPORTED", "PINNED", "VOLUME", "Result"),
            "engine.data.runs.record": ("Ending", "Outcome"),
            "engine.protocols.run_context.unrecorded": ("unrecorded",),
            "result_names": (
                "BETWEEN",
                "VISIBLE",
                "difference_name",
                "difference_parts",
                "image_names",
            ),
            "retention": ("Retention",),
            "store": ("NewResult", "Results"),
            "volume_slices": ("VolumeSlices",),
            "engine.protocols.study.difference": ("Difference", "differences"),
        },
    )
