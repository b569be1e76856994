"""Files of Siemens scanners: ECAT, PETLINK, sinograms, raw DICOM."""

from typing import TYPE_CHECKING

from engine.core.lazy_exports import face

if TYPE_CHECKING:
    from engine.io.siemens.folder import siemens_folder as siemens_folder
    from engine.io.siemens.raw import other_file as other_file
    from engine.io.siemens.raw import scan_in as scan_in

ENDINGS = (".hdr", ".mhdr", ".nhdr", ".h33", ".s", ".a", ".n", ".v", ".i")
"""Endings of the files of a scan in a folder of Siemens' software."""

if not TYPE_CHECKING:  # type checkers read the imports above and refuse other names
    __getattr__, __dir__ = face(
        __name__,
        {
            "folder": ("siemens_folder",),
            "raw": (
                "other_file",
                "scan_in",
            ),
        },
    )
