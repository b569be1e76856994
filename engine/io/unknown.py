"""What is said of a file that is not of the kind that was wanted."""

from __future__ import annotations

from collections.abc import Sequence

from engine.core.errors import UnknownFormatError
from engine.io.formats import READERS, AnyReader, listed
from engine.io.hdf5.response import is_response
from engine.io.recogniser import recognised
from engine.io.safety.open_input import InputFile

NOTHING_KNOWN = (
    "unknown format; known are list-mode and X-ray scans, volumes, crystal maps, efficiencies and "
    "our .toml; raw projections want a .toml beside them: isocenter import."
)


def unnamed(file: InputFile, otherwise: str) -> UnknownFormatError:
    """Return the fault of a file that no reader takes: what it is, or else a sentence."""
    known = recognised(file)
    return UnknownFormatError(known.refuse(file) if known else otherwise)


def unknown(file: InputFile, wanted: str, known: Sequence[AnyReader]) -> UnknownFormatError:
    """Return the fault of a file that is no `wanted`, of which these formats are known."""
    others = (reader for reader in READERS if reader not in known)
    found = next((other.name for other in others if other.accepts(file)), None)
    path = file.path
    if is_response(file):
        return UnknownFormatError(
            f"{path.name}: this is the response of two panels, not a {wanted}; open the scan, and "
            "name this file as its response (--response)."
        )
    other = None if found else recognised(file)
    if other is not None:
        return UnknownFormatError(other.refuse(file))
    what = f"this is a file of the kind {found!r}, not a {wanted}" if found else f"unknown {wanted}"
    is_raw = found is None and "scan" in wanted
    raw = (
        "; raw X-ray projections want a .toml beside them, which `isocenter import` writes"
        if is_raw
        else ""
    )
    return UnknownFormatError(f"{path.name}: {what}; can be read: {listed(known)}{raw}.")
