"""Readers of X-ray scans, in their order of precedence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.io.first_bytes import (
    begins,
    contains,
    either,
    ends,
    is_other_hdf5,
    named,
)
from engine.io.format_list import Entry, FormatList

if TYPE_CHECKING:
    from engine.io.base import ProjectionsReader

# A sidecar is first, because the user wrote it to overrule other files.
PROJECTIONS: tuple[Entry, ...] = (
    Entry(
        "engine.io.xray.sidecar.scan.RawSidecar",
        "Projections with a .toml sidecar",
        (".toml",),
        contains(b"isocenter-projections"),
        stated_companions=(".raw", ".tif", ".tiff", ".npy", ".npz"),
    ),
    Entry(
        "engine.io.xray.vectors.AstraVectors",
        "ASTRA vector geometry",
        (".geom",),
        ends(".geom"),
        stated_companions=(".tif", ".tiff"),
    ),
    Entry(
        "engine.io.xray.rtk.RtkXml",
        "RTK circular geometry",
        (".xml",),
        contains(b"rtkthreedcirculargeometry"),
        stated_companions=(".mha",),
    ),
    Entry(
        "engine.io.xray.nikon.Nikon",
        "Nikon scan",
        (".xtekct",),
        contains(b"[xtekct]"),
        stated_companions=(".tif", ".tiff"),
    ),
    Entry(
        "engine.io.xray.bruker.Bruker",
        "Bruker SkyScan scan",
        (".log",),
        contains(b"[system]", b"[acquisition]"),
        stated_companions=(".tif", ".tiff"),
    ),
    Entry(
        "engine.io.xray.flexray.FlexRay",
        "FleX-ray scan",
        (".txt",),
        contains(b"sod", b"sdd"),
        stated_companions=(".tif", ".tiff"),
    ),
    Entry(
        # Any MATLAB 5 file begins like this; the reader looks for the variables of the challenge.
        "engine.io.xray.htc.HtcMatlab",
        "HTC 2022 sinogram (MATLAB)",
        (".mat",),
        begins(b"MATLAB 5.0 MAT-file"),
    ),
    Entry(
        # Three readers share the suffixes of HDF5; their content decides.
        "engine.io.xray.hdf5.dxchange.DxChange",
        "Data Exchange HDF5",
        (".h5", ".hdf5", ".hdf"),
        is_other_hdf5,
    ),
    Entry("engine.io.xray.cil.CilNexus", "NeXus of CIL", (".nxs", ".h5", ".hdf5"), is_other_hdf5),
    Entry(
        "engine.io.xray.hdf5.nxtomo.NxTomo",
        "NXtomo",
        (".nxs", ".nx", ".h5", ".hdf5", ".hdf"),
        is_other_hdf5,
    ),
    Entry("engine.io.xray.zeiss.Zeiss", "Zeiss scan", (".txrm",), begins(b"\xd0\xcf\x11\xe0")),
    Entry(
        "engine.io.xray.varian.scan.Varian",
        "Varian scan",
        (".xml",),
        either(named("scan.xml"), begins(b"VMS.XI\0")),
        stated_companions=(".xim",),
    ),
    Entry(
        "engine.io.xray.ctsimu.scan.CtSimu",
        "CTSimU scenario",
        (".json",),
        either(contains(b'"ctsimu scenario"'), contains(b'"path_to_ctsimu_json"')),
        stated_companions=(".tif", ".tiff", ".raw"),
    ),
    Entry(
        "engine.io.xray.varian.varian_obi.VarianObi",
        "Varian scan (HND)",
        (".xml",),
        either(named("projectioninfo.xml"), begins(b"VARIAN_VA_INTERNAL")),
        stated_companions=(".hnd",),
    ),
    Entry(
        "engine.io.xray.elekta.scan.Elekta",
        "Elekta XVI scan",
        (".xml",),
        either(ends("_frames.xml"), begins(b"\0\x70\x44\0")),
        stated_companions=(".his",),
    ),
    Entry(
        "engine.io.xray.esrf.scan.EsrfEdf",
        "ESRF scan (EDF)",
        (".info",),
        either(ends(".info"), contains(b"dim_1")),
        stated_companions=(".edf",),
    ),
)

PROJECTION_READERS: FormatList[ProjectionsReader] = FormatList(PROJECTIONS, "ProjectionsReader")
"""Kinds of files that describe a scan. If a folder contains several, the first kind wins."""
