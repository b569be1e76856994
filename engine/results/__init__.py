"""Results: finished images on disk, with all that made them, until the user or an age limit ends.

What is kept for how long, `engine.results.retention` says.
"""

from typing import TYPE_CHECKING

from engine.faces import face

if TYPE_CHECKING:
    from engine.results.naming import default_export_name as default_export_name
    from engine.results.result import EXPORTED as EXPORTED
    from engine.results.result import PINNED as PINNED
    from engine.results.result import VOLUME as VOLUME
    from engine.results.result import Result as Result
    from engine.results.result_record import Outcome as Outcome
    from engine.results.retention import Retention as Retention
    from engine.results.store import NewResult as NewResult
    from engine.results.store import Results as Results
    from engine.results.volume_slices import VolumeSlices as VolumeSlices
    from engine.study.difference import Difference as Difference
    from engine.study.difference import differences as differences

if not TYPE_CHECKING:  # a checker reads the imports above, and knows no other name
    __getattr__, __dir__ = face(
        __name__,
        {
            "naming": ("default_export_name",),
            "result": ("EXPORTED", "PINNED", "VOLUME", "Result"),
            "result_record": ("Outcome",),
            "retention": ("Retention",),
            "store": ("NewResult", "Results"),
            "volume_slices": ("VolumeSlices",),
            "engine.study.difference": ("Difference", "differences"),
        },
    )
