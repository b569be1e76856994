"""Error messages for files of an unexpected kind."""

from __future__ import annotations

from typing import Any

from engine.core.errors import UnknownFormatError
from engine.io import recogniser
from engine.io.format_list import FormatList
from engine.io.formats import READERS, listed
from engine.io.safety.open_input import InputFile

NOTHING_KNOWN = (
    "unknown format, expected list mode, an X-ray scan, a volume, a crystal map, efficiencies or "
    "an Isocenter .toml file; describe raw projections with `isocenter import`."
)


def unnamed(file: InputFile, otherwise: str) -> UnknownFormatError:
    """Return the error for a file that no reader accepts.

    Parameters
    ----------
    file
        an open file
    otherwise
        message if the format is not recognised either
    """
    known = recogniser.recognised(file)
    return UnknownFormatError(known.refuse(file) if known else otherwise)


def unknown(file: InputFile, wanted: str, known: FormatList[Any]) -> UnknownFormatError:
    """Return the error for a file of another kind than expected.

    Parameters
    ----------
    file
        an open file that no reader in `known` accepts
    wanted
        expected kind, such as "sinogram"
    known
        formats of that kind, which the message lists

    Returns
    -------
    error
        its message names the kind of the file if another reader accepts it
    """
    from engine.io.hdf5.response import is_response

    other_reader = READERS.without(known).accepting(file)
    found = None if other_reader is None else other_reader.name
    path = file.path
    if is_response(file):
        return UnknownFormatError(
            f"{path.name}: this is a dual-head response. Open the scan, and add this file as its "
            "response (--response)."
        )
    other = None if found else recogniser.recognised(file)
    if other is not None:
        return UnknownFormatError(other.refuse(file))
    formats = listed(known)
    if found:
        return UnknownFormatError(
            f"{path.name}: this file is of type {found!r}. Expected type: {wanted!r}, in one of "
            f"the formats {formats}."
        )
    # Raw projections have no description of their own, so no reader can accept them.
    if "scan" in wanted:
        return UnknownFormatError(
            f"{path.name}: unknown file type. Expected type: {wanted!r}, in one of the formats "
            f"{formats}. Describe raw X-ray projections with `isocenter import`."
        )
    return UnknownFormatError(
        f"{path.name}: unknown file type. Expected type: {wanted!r}, in one of the formats "
        f"{formats}."
    )
