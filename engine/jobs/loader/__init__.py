"""Read files of other programs in a child process: crashes, hangs and large files become errors."""

from typing import TYPE_CHECKING

from engine.core.lazy_exports import face

if TYPE_CHECKING:
    from engine.jobs.loader.foreign_files import ForeignFiles as ForeignFiles
    from engine.jobs.loader.loader import CallsHere as CallsHere
    from engine.jobs.loader.loader import Loader as Loader
    from engine.jobs.loader.loader import for_command as for_command

if not TYPE_CHECKING:  # type checkers read the imports above and refuse other names
    __getattr__, __dir__ = face(
        __name__,
        {
            "foreign_files": ("ForeignFiles",),
            "loader": (
                "CallsHere",
                "Loader",
                "for_command",
            ),
        },
    )
