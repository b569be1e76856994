"""Support for problems: the last internal error, and a bundle of facts without names."""

from typing import TYPE_CHECKING

from engine.core.lazy_exports import face

if TYPE_CHECKING:
    from engine.tools.diagnostics.bundle import SupportBundle as SupportBundle
    from engine.tools.diagnostics.bundle import gather as gather
    from engine.tools.diagnostics.faults import keep_fault as keep_fault
    from engine.tools.diagnostics.private_homes import refused_homes as refused_homes

if not TYPE_CHECKING:  # type checkers read the imports above and refuse other names
    __getattr__, __dir__ = face(
        __name__,
        {
            "bundle": ("SupportBundle", "gather"),
            "faults": ("keep_fault",),
            "private_homes": ("refused_homes",),
        },
    )
