"""DICOM: read and write series of images, and exchange them with nodes."""

from typing import TYPE_CHECKING

from engine.core.lazy_exports import face

if TYPE_CHECKING:
    from engine.io.dicom.reader import series_file as series_file
    from engine.io.dicom.reader import series_files as series_files
    from engine.io.dicom.reader import series_in as series_in

if not TYPE_CHECKING:  # type checkers read the imports above and refuse other names
    __getattr__, __dir__ = face(
        __name__,
        {
            "reader": (
                "series_file",
                "series_files",
                "series_in",
            ),
        },
    )
