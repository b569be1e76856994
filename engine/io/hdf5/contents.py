"""Describe an HDF5 file of unknown format: names, shapes and types of its datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.io.hdf5.opening import open_hdf5
from engine.io.safety.open_input import InputFile

if TYPE_CHECKING:
    import h5py

MOST_NAMED = 6


def datasets_in(file: InputFile) -> list[str]:
    """Return each dataset of a file as text.

    Parameters
    ----------
    file
        open HDF5 file

    Returns
    -------
    datasets
        such as "/group/name (3 x 4, float32)", in the order of the file
    """
    import h5py

    found: list[str] = []

    # Must return None: any other value ends `visititems`.
    def note(name: str, item: h5py.HLObject) -> None:
        if isinstance(item, h5py.Dataset):
            shape = " x ".join(f"{n:,}" for n in item.shape or ()) or "one value"
            found.append(f"/{name} ({shape}, {item.dtype})")

    with open_hdf5(file) as tree:
        tree.visititems(note)
    return found


def describe_contents(file: InputFile) -> str:
    """Return the message for an HDF5 file that no reader accepts, with its first datasets."""
    found = datasets_in(file)
    named = ", ".join(found[:MOST_NAMED]) or "no dataset"
    more = f" and {len(found) - MOST_NAMED:,} more" if len(found) > MOST_NAMED else ""
    return (
        f"{file.name}: unknown kind of HDF5 file with {named}{more}; export it in a supported "
        "format, or describe its X-ray projections with `isocenter import`."
    )


def holds(file: InputFile, name: str) -> bool:
    """Return True if a file has a top-level dataset of this name."""
    return any(each.startswith(f"/{name} (") for each in datasets_in(file))
