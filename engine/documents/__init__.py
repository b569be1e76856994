"""Documents of a result: the report, who signed it off, and the site that it comes from."""

from typing import TYPE_CHECKING

from engine.faces import face

if TYPE_CHECKING:
    from engine.documents.site import Site as Site

if not TYPE_CHECKING:  # a checker reads the imports above, and knows no other name
    __getattr__, __dir__ = face(
        __name__,
        {"site": ("Site",)},
    )
