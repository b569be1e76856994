"""Recognise unsupported formats by their content, and name a remedy for each."""

from typing import TYPE_CHECKING

from engine.core.lazy_exports import face

if TYPE_CHECKING:
    from engine.io.recogniser.known_format import KnownFormat as KnownFormat
    from engine.io.recogniser.recognising import recognised as recognised

if not TYPE_CHECKING:  # type checkers read the imports above and refuse other names
    __getattr__, __dir__ = face(
        __name__,
        {
            "known_format": ("KnownFormat",),
            "recognising": ("recognised",),
        },
    )
