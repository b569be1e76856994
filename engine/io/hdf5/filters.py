"""Load HDF5 compression filters from hdf5plugin, and name missing ones.

Detectors write with bitshuffle, LZ4, Blosc or Zstandard. No other libraries of filters are loaded,
because paths in the environment could point to foreign code. hdf5plugin is imported only if a
dataset
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
"""Filter numbers registered at The HDF Group."""


def provide_filters(item: h5py.Dataset, where: str) -> None:
    """Load the filters of a dataset.

    Parameters
    ----------
    item
        dataset that will be read
    where
        file and dataset, for the message

    Raises
    ------
    ResourceError
        names the filters that are not installed
    """
    if not _missing(item):
        return
    # The import registers all filters of the package with the HDF5 library.
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

    # The creation properties list the filters without reading any value.
    plan = item.id.get_create_plist()
    numbers = (int(plan.get_filter(k)[0]) for k in range(plan.get_nfilters()))
    return [number for number in numbers if not h5py.h5z.filter_avail(number)]
