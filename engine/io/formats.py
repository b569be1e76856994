"""The registry of formats: what can be read, what can be written, and how such files' names end.

A format is one class in one file, and its name in the tuple here that it belongs to; file dialogs,
the list of exports, the command line and the recognition of files follow.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from engine.core.errors import UnknownFormatError
from engine.io.base import (
    Format,
    HistogramReader,
    ListModeReader,
    ProjectionsReader,
    SinogramReader,
    VolumeReader,
    VolumeWriter,
)
from engine.io.bids.dataset import BidsWriter
from engine.io.castor.reader import Castor
from engine.io.dicom.capture import DicomCaptureWriter
from engine.io.dicom.reader import DicomSeries
from engine.io.dicom.series_writer import DicomSeriesWriter
from engine.io.gate.emissions import GateEmissions
from engine.io.gate.reader import GateRoot
from engine.io.hdf5.histogram import HistogramHdf5
from engine.io.hdf5.listmode import ListModeHdf5
from engine.io.hdf5.volume import VolumeHdf5, VolumeHdf5Writer
from engine.io.interfile.image import InterfileImage
from engine.io.interfile.image_writer import InterfileImageWriter
from engine.io.interfile.sinogram import InterfileSinogram
from engine.io.listmode.adac import AdacCsv
from engine.io.listmode.safir import Safir
from engine.io.petsird.reader import Petsird
from engine.io.raster.cine import CineWriter
from engine.io.raster.png import PngWriter
from engine.io.safety.open_input import InputFile
from engine.io.siemens.ecat7 import Ecat7
from engine.io.siemens.mmr import SiemensMmr
from engine.io.siemens.raw_listmode import SiemensRawListMode
from engine.io.siemens.raw_sinogram import SiemensRawSinogram
from engine.io.siemens.sinogram import SiemensSinogram
from engine.io.tiff.ome_tiff import OmeTiffWriter
from engine.io.tiff.reader import TiffVolume
from engine.io.tiff.volume import TiffWriter
from engine.io.volumes.analyze import AnalyzeVolume
from engine.io.volumes.array_volume import ArrayVolume
from engine.io.volumes.metaimage_volume import MetaImageVolumes, MetaImageWriter
from engine.io.volumes.minc import Minc
from engine.io.volumes.mrc import Mrc
from engine.io.volumes.nifti import Nifti, NiftiWriter
from engine.io.volumes.nifti_pair import NiftiPair
from engine.io.volumes.nrrd_volume import Nrrd, NrrdWriter
from engine.io.volumes.ome_zarr import OmeZarrWriter
from engine.io.volumes.ome_zarr_read import OmeZarr
from engine.io.xray.readers import PROJECTION_READERS

LISTMODE_READERS: tuple[type[ListModeReader], ...] = (
    *(SiemensMmr, SiemensRawListMode, Safir, AdacCsv, ListModeHdf5),
    *(Petsird, GateRoot, Castor),
)
HISTOGRAM_READERS: tuple[type[HistogramReader], ...] = (HistogramHdf5,)
SINOGRAM_READERS: tuple[type[SinogramReader], ...] = (
    *(InterfileSinogram, SiemensSinogram, SiemensRawSinogram),
)
VOLUME_READERS: tuple[type[VolumeReader], ...] = (
    *(Nifti, VolumeHdf5, GateEmissions),
    *(MetaImageVolumes, Nrrd, DicomSeries, TiffVolume, Mrc, Minc, NiftiPair),
    *(ArrayVolume, InterfileImage, Ecat7, AnalyzeVolume, OmeZarr),
)
WRITERS: tuple[type[VolumeWriter], ...] = (
    *(NiftiWriter, VolumeHdf5Writer, DicomSeriesWriter, MetaImageWriter, NrrdWriter),
    *(InterfileImageWriter, BidsWriter, OmeTiffWriter, TiffWriter, PngWriter, CineWriter),
    *(DicomCaptureWriter, OmeZarrWriter),
)
"""Writers of volumes, in the order in which they are offered."""

AnyReader = (
    type[ListModeReader]
    | type[HistogramReader]
    | type[SinogramReader]
    | type[VolumeReader]
    | type[ProjectionsReader]
)
SCAN_READERS: tuple[AnyReader, ...] = (
    *LISTMODE_READERS,
    *HISTOGRAM_READERS,
    *SINOGRAM_READERS,
    *PROJECTION_READERS,
)
READERS: tuple[AnyReader, ...] = (*SCAN_READERS, *VOLUME_READERS)

R = TypeVar("R", bound=AnyReader)


def reader_of(readers: Sequence[R], file: InputFile) -> R | None:
    """Return the first reader that accepts a file, None if none does."""
    return next((reader for reader in readers if reader.accepts(file)), None)


def writer_of(path: Path) -> type[VolumeWriter]:
    """Return the writer of the format that a name ends with."""
    for writer in WRITERS:
        if writer.ends(path):
            return writer
    raise UnknownFormatError(
        f"{path.name}: no format of this name can be written; choose one of {listed(WRITERS)}."
    )


def suffixes_of(formats: Iterable[type[Format]]) -> tuple[str, ...]:
    """Return how files of these formats end, and what lies beside them, each once, in order."""
    found = (each for one in formats for each in (*one.suffixes, *one.companions))
    return tuple(dict.fromkeys(found))


def usual_suffixes(formats: Iterable[type[Format]]) -> str:
    """Return the first suffix of each format, for people: ".nii.gz, .h5, .png"."""
    return ", ".join(one.suffixes[0] for one in formats)


def listed(formats: Sequence[type[Format]]) -> str:
    """Return names and suffixes of formats, for people."""
    return ", ".join(f"{one.name} ({', '.join(one.suffixes)})" for one in formats)
