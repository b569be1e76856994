"""HDF5 files of other fields, recognised by their top-level groups and attributes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from engine.core.errors import EngineError
from engine.io.hdf5.opening import is_hdf5, open_hdf5
from engine.io.recogniser.known_format import KnownFormat, Tell
from engine.io.recogniser.volumes import IMPORT as IMPORT_ARRAY
from engine.io.recogniser.volumes import WITHIN
from engine.io.safety.open_input import InputFile
from engine.io.xray.matlab import MARK_OF_HDF5

if TYPE_CHECKING:
    import h5py

MAX_NAMES = 1000
"""Maximum number of top-level names that are read."""
IMPORT = "If it contains projections, describe dataset, sizes and angles with `isocenter import`."
CONVERT = "Save it as OME-TIFF with Fiji, and open that."
NO_IMAGE = "It contains no image; open the scan or image that belongs to it."


def _tree(tell: Callable[[set[str], set[str], h5py.File], bool]) -> Tell:
    """Recognise an HDF5 file by its top-level names and attributes."""

    def is_one(file: InputFile) -> bool:
        if not is_hdf5(file.head):
            return False
        try:
            # h5py raises many types of errors for damaged files. None of them may hide the file's
            # own report.
            with open_hdf5(file) as tree:
                # A file can have a dataset for each of a million frames, which take minutes to
                # list.
                names = {name for name, _ in zip(tree, range(MAX_NAMES), strict=False)}
                return tell(names, set(tree.attrs), tree)
        except (EngineError, OSError, KeyError, RuntimeError, ValueError):
            return False

    return is_one


def _has(*wanted: str) -> Tell:
    return _tree(lambda names, attributes, tree: set(wanted) <= names)


def _marked(*wanted: str) -> Tell:
    return _tree(lambda names, attributes, tree: bool(set(wanted) & attributes))


def _is_eiger(names: set[str], attributes: set[str], tree: h5py.File) -> bool:
    # NeXus layout of Dectris detectors: frames in numbered datasets behind external links.
    return "entry" in names and "data" in tree["entry"] and "data_000001" in tree["entry/data"]


TREES = (
    KnownFormat(
        "MATLAB 7.3 file without a voxel size",
        lambda file: file.head.startswith(MARK_OF_HDF5),
        f"{WITHIN} {IMPORT_ARRAY}",
    ),
    KnownFormat("Imaris image", _has("DataSet", "DataSetInfo"), CONVERT),
    KnownFormat("BigDataViewer image", _has("s00", "t00000"), CONVERT),
    KnownFormat("Keras model", _marked("keras_version"), NO_IMAGE),
    KnownFormat("NetCDF 4 file", _marked("_NCProperties"), IMPORT),
    KnownFormat("MRI raw data (ISMRMRD)", _tree(
        lambda names, _, tree: "dataset" in names and {"xml", "data"} <= set(tree["dataset"])
    ), NO_IMAGE),
    KnownFormat("cell table (AnnData)", _has("obs", "var", "X"), NO_IMAGE),
    KnownFormat("raw data of a GE PET scanner (RDF)", _has("HeaderData"), (
        "Convert it with STIR to sinograms (.hs), and open those."
    )),
    KnownFormat("DREAM.3D file", _has("DataContainers"), CONVERT),
    KnownFormat("Eiger detector frames", _tree(_is_eiger), IMPORT),
)  # fmt: skip
