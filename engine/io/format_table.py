"""Tables of the formats of scans and volumes, in their order of precedence.

An entry states the name and suffixes of a format, and a condition that a file must meet before the
module of its reader is loaded. Its class takes name and suffixes from the entry. All but the class
are optional.
"""

from __future__ import annotations

from engine.io.first_bytes import (
    HEADER_LENGTHS,
    TIFF,
    begins,
    both,
    contains,
    either,
    ends,
    is_hdf5,
    is_interfile,
    is_mrc,
    is_ours,
    is_root,
    may_be_dicom,
    may_be_nifti,
    may_be_siemens_raw,
    may_be_yardl,
    named,
)
from engine.io.format_list import Entry
from engine.io.xray.readers import PROJECTIONS

DICOM_SERIES = "DICOM series"
ARRAY = Entry(
    "engine.io.volumes.array_volume.ArrayVolume",
    "array with voxel sizes (NumPy, MATLAB)",
    (".npy", ".npz", ".mat"),
    begins(b"\x93NUMPY", b"MATLAB ", b"PK\x03\x04"),
)
LISTMODE: tuple[Entry, ...] = (
    Entry(
        # Before all sinograms: headers of list mode and of sinograms are both Interfile, and only
        # the PETLINK keys tell them apart.
        "engine.io.siemens.mmr.SiemensMmr",
        "Siemens mMR list mode",
        (".hdr", ".hdr.STIR", ".l"),
        either(ends(".l"), both(is_interfile, contains(b"petlink bin address"))),
    ),
    Entry(
        "engine.io.siemens.raw_dicom.SiemensRawListMode",
        "Siemens raw DICOM list mode",
        (".ptd", ".IMA", ".dcm"),
        may_be_siemens_raw,
        stated_companions=(".bf",),
    ),
    Entry(
        "engine.io.listmode.safir.Safir",
        "SAFIR list mode",
        (".clm.safir", ".safir"),
        either(ends(".safir"), begins(b"MUPET CListModeData", b"SAFIR CListModeData")),
    ),
    Entry(
        "engine.io.listmode.adac.AdacCsv",
        "ADAC list mode",
        (".csv", ".txt"),
        contains(b"separation"),
    ),
    Entry(
        "engine.io.hdf5.listmode.ListModeHdf5",
        "Isocenter list mode",
        (".h5", ".hdf5"),
        is_ours("isocenter-listmode"),
    ),
    Entry(
        # yardl is the encoding of every model made with that tool. The reader checks the schema.
        "engine.io.petsird.reader.Petsird",
        "PETSIRD list mode",
        (".petsird", ".petsird.gz"),
        may_be_yardl,
    ),
    Entry("engine.io.gate.reader.GateRoot", "GATE coincidences (ROOT)", (".root",), is_root),
    Entry(
        "engine.io.castor.reader.Castor",
        "CASToR scan",
        (".cdh", ".cdf"),
        either(ends(".cdf"), contains(b"data filename", b"data mode", b"scanner name")),
    ),
)
HISTOGRAM: tuple[Entry, ...] = (
    Entry(
        "engine.io.hdf5.histogram.HistogramHdf5",
        "Isocenter histogram",
        (".h5", ".hdf5"),
        is_ours("isocenter-histogram"),
    ),
)
SINOGRAM: tuple[Entry, ...] = (
    Entry(
        "engine.io.interfile.sinogram.InterfileSinogram",
        "Interfile sinograms (STIR)",
        (".hs",),
        is_interfile,
        stated_companions=(".s",),
    ),
    Entry(
        "engine.io.siemens.sinogram.SiemensSinogram",
        "Siemens sinograms",
        (".s.hdr",),
        is_interfile,
        stated_companions=(".s",),
    ),
    Entry(
        "engine.io.siemens.raw_dicom.SiemensRawSinogram",
        "Siemens raw DICOM sinograms",
        (".ptd", ".IMA", ".dcm"),
        may_be_siemens_raw,
        stated_companions=(".bf",),
    ),
)
VOLUME: tuple[Entry, ...] = (
    Entry("engine.io.volumes.nifti.Nifti", "NIfTI volume", (".nii", ".nii.gz"), may_be_nifti),
    Entry(
        "engine.io.hdf5.volume.VolumeHdf5",
        "Isocenter volume",
        (".h5", ".hdf5"),
        is_ours("isocenter-volume"),
    ),
    Entry(
        "engine.io.gate.emissions.GateEmissions",
        "GATE emissions (ROOT)",
        (".root",),
        is_root,
    ),
    Entry(
        "engine.io.volumes.metaimage_volume.MetaImageVolumes",
        "MetaImage volume",
        (".mha", ".mhd"),
        ends(".mha", ".mhd"),
    ),
    Entry(
        "engine.io.volumes.nrrd_volume.Nrrd", "NRRD volume", (".nrrd", ".nhdr"), begins(b"NRRD000")
    ),
    Entry("engine.io.dicom.reader.DicomSeries", DICOM_SERIES, (".dcm", ".ima"), may_be_dicom),
    Entry(
        "engine.io.tiff.reader.TiffVolume",
        "TIFF stack with voxel sizes",
        (".tif", ".tiff"),
        begins(*TIFF),
    ),
    Entry("engine.io.volumes.mrc.Mrc", "MRC volume", (".mrc", ".rec", ".map"), is_mrc),
    Entry("engine.io.volumes.minc.Minc", "MINC volume", (".mnc",), either(is_hdf5, begins(b"CDF"))),
    Entry(
        # Before Analyze: both have the same header length, and only the magic "ni1" tells them
        # apart.
        "engine.io.volumes.nifti_pair.NiftiPair",
        "NIfTI volume in two files",
        (".hdr",),
        begins(*HEADER_LENGTHS),
    ),
    ARRAY,
    Entry(
        "engine.io.interfile.image.InterfileImage",
        "Interfile image (STIR, Siemens, CASToR)",
        (".hv", ".ahv", ".v.hdr"),
        is_interfile,
        stated_companions=(".v",),
    ),
    Entry("engine.io.siemens.ecat7.Ecat7", "ECAT 7 volume", (".v",), begins(b"MATRIX7")),
    Entry(
        "engine.io.volumes.nifti_pair.AnalyzeVolume",
        "Analyze 7.5 volume",
        (".hdr",),
        begins(*HEADER_LENGTHS),
    ),
    Entry(
        # A folder, which is opened through its metadata file.
        "engine.io.volumes.ome_zarr_read.OmeZarr",
        "OME-Zarr image",
        (".ome.zarr",),
        named("zarr.json"),
    ),
)
WRITER: tuple[Entry, ...] = (
    Entry("engine.io.volumes.nifti.NiftiWriter", "NIfTI volume", (".nii.gz", ".nii")),
    Entry("engine.io.hdf5.volume.VolumeHdf5Writer", "Isocenter volume", (".h5", ".hdf5")),
    Entry("engine.io.dicom.series.DicomSeriesWriter", DICOM_SERIES, (".dicom",)),
    Entry("engine.io.volumes.metaimage_volume.MetaImageWriter", "MetaImage volume", (".mha",)),
    Entry("engine.io.volumes.nrrd_volume.NrrdWriter", "NRRD volume", (".nrrd",)),
    Entry("engine.io.interfile.image_writer.InterfileImageWriter", "Interfile image", (".hv",)),
    Entry("engine.io.bids.dataset.BidsWriter", "BIDS dataset", (".bids",)),
    # Before TIFF, whose suffix also matches ".ome.tif".
    Entry("engine.io.tiff.volume.OmeTiffWriter", "OME-TIFF", (".ome.tif", ".ome.tiff")),
    Entry("engine.io.tiff.volume.TiffWriter", "TIFF stack", (".tif", ".tiff")),
    Entry("engine.io.raster.png.PngWriter", "Snapshot picture", (".png",)),
    Entry("engine.io.raster.cine.CineWriter", "Movie of the slices", (".gif",)),
    Entry("engine.io.dicom.capture.DicomCaptureWriter", "DICOM picture", (".capture.dcm",)),
    Entry("engine.io.volumes.ome_zarr.OmeZarrWriter", "OME-Zarr", (".ome.zarr",)),
)
"""Writers of volumes, in the order of dialogs and help."""
BUILT_IN = {
    each.place: each for each in (*LISTMODE, *HISTOGRAM, *SINOGRAM, *PROJECTIONS, *VOLUME, *WRITER)
}
"""Full name of each class of a format -> its entry."""
