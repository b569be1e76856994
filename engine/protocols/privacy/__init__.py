"""Pseudonyms: patient names stay on this machine, and so does the key."""

from typing import TYPE_CHECKING

from engine.core.lazy_exports import face

if TYPE_CHECKING:
    from engine.protocols.privacy.key import file_of as file_of
    from engine.protocols.privacy.key import pseudonym_of as pseudonym_of
    from engine.protocols.privacy.names import Names as Names
    from engine.protocols.privacy.records import without_names as without_names

# Lazy imports: a command that handles no names must not load HMAC and the key files.
if not TYPE_CHECKING:  # type checkers read the imports above and refuse other names
    __getattr__, __dir__ = face(
        __name__,
        {
            "key": ("file_of", "pseudonym_of"),
            "names": ("Names",),
            "records": ("without_names",),
        },
    )
