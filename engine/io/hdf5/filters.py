"""Name missing HDF5 compression filters; hdf5plugin supplies them if installed.

Detectors write with bitshuffle, LZ4, Blosc or Zstandard. No library of filters is looked for on the
machine, since what the environment names is code; hdf5plugin is asked for only where a dataset
needs it.
"""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING

from engine.core.errors import ResourceError

if TYPE_CHECKING:
    import h5py

NAMES = {
    307: "bzip2",
    32001: "Blosc",
    32004: "LZ4",
    32008: "bitshuffle",
    32013: "ZFP",
    32015: "Zstandard",
    32017: "SZ",
    32018: "FCIDECOMP",
    32024: "SZ3",
    32026: "Blosc2",
}
"""As The HDF Group registered them."""


def provide_filters(item: h5py.Dataset, where: str) -> None:
    """Load the filters that a dataset was packed with, or refuse it by their name.

    Parameters
    ----------
    item
        about to be read
    where
        file and dataset, for the sentence

    Raises
    ------
    ResourceError
        where a filter is not installed
    """
    if not _missing(item):
        return
    with suppress(ImportError):
        import_module("hdf5plugin")
    missing = _missing(item)
    if missing:
        names = " and ".join(NAMES.get(number, f"number {number}") for number in missing)
        raise ResourceError(
            f"{where} is compressed with the filter {names}, which is not installed; run pip "
            "install 'isocenter[filters]', or save the file with gzip or uncompressed."
        )


def _missing(item: h5py.Dataset) -> list[int]:
    import h5py

    plan = item.id.get_create_plist()
    numbers = (int(plan.get_filter(k)[0]) for k in range(plan.get_nfilters()))
    return [number for number in numbers if not h5py.h5z.filter_avail(number)]
