"""Interfile headers, images and sinograms."""

from typing import TYPE_CHECKING

from engine.core.lazy_exports import face

if TYPE_CHECKING:
    from engine.io.interfile.sinogram_header import header_of_values as header_of_values
    from engine.io.interfile.sinogram_writer import write_sinogram as write_sinogram

if not TYPE_CHECKING:  # type checkers read the imports above and refuse other names
    __getattr__, __dir__ = face(
        __name__,
        {
            "sinogram_header": ("header_of_values",),
            "sinogram_writer": ("write_sinogram",),
        },
    )
