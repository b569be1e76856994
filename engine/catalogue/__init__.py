"""All studies that this user's Isocenter knows: results, runs that were cut off, the queue."""

from typing import TYPE_CHECKING

from engine.faces import face

if TYPE_CHECKING:
    from engine.catalogue.gathering import known_studies as known_studies
    from engine.catalogue.known_study import FILTERS as FILTERS
    from engine.catalogue.known_study import KnownStudy as KnownStudy
    from engine.catalogue.known_study import State as State

if not TYPE_CHECKING:
    __getattr__, __dir__ = face(
        __name__,
        {
            "gathering": ("known_studies",),
            "known_study": ("FILTERS", "KnownStudy", "State"),
        },
    )
