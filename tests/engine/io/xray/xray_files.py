"""Tiny scans in the formats of instruments, for tests of X-ray readers."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import tifffile
from numpy.typing import NDArray

N, ROWS, COLUMNS = 12, 3, 5
STEP = 360 / N


def counts(n: int = N, rows: int = ROWS, columns: int = COLUMNS) -> NDArray[np.uint16]:
    """Return (n, rows, columns) different values, none at a limit of the converter."""
    return (1000 + np.arange(n * rows * columns)).reshape(n, rows, columns).astype(np.uint16)


FLATS = np.full((2, ROWS, COLUMNS), 5000, np.uint16)
DARKS = np.full((2, ROWS, COLUMNS), 100, np.uint16)


def write_tiffs(folder: Path, prefix: str, images: NDArray[np.generic], first: int = 0) -> None:
    for k, image in enumerate(images):
        tifffile.imwrite(folder / f"{prefix}{k + first:06}.tif", image)


def dxchange(folder: Path, **changes: object) -> Path:
    """Write a Data Exchange file; None omits a dataset."""
    path = folder / "scan.h5"
    content: dict[str, object] = {
        "data": counts(),
        "data_white": FLATS,
        "data_dark": DARKS,
        "theta": np.arange(N) * 180 / N,
        **changes,
    }
    units = content.pop("units", "degrees")
    axes = content.pop("axes", None)
    with h5py.File(path, "w") as file:
        file["implements"] = "exchange"
        for name, values in content.items():
            if values is not None:
                file[f"exchange/{name}"] = values
        if "theta" in file["exchange"]:
            file["exchange/theta"].attrs["units"] = units
        if axes is not None:
            file["exchange/data"].attrs["axes"] = axes
    return path


KEYS = np.array([1, 2, *[0] * N, 3, 2, 1])


def nxtomo(folder: Path, *, angles: NDArray[np.floating] | None = None, units: str = "deg") -> Path:
    """Write an NXtomo file: projections between two flats, two darks and an invalid image."""
    path = folder / "scan.nxs"
    turned = np.arange(N) * 180 / N if angles is None else angles
    images = np.empty((len(KEYS), ROWS, COLUMNS), np.uint16)
    images[KEYS == 0], images[KEYS == 1], images[KEYS == 2] = counts(), FLATS, DARKS
    images[KEYS == 3] = 7
    with h5py.File(path, "w") as file:
        entry = file.create_group("entry1")
        entry.attrs["NX_class"] = "NXentry"
        tomo = entry.create_group("tomo_entry")
        tomo.attrs["NX_class"] = "NXsubentry"
        tomo["definition"] = "NXtomo"
        for name, nx_class in (
            ("instrument", "NXinstrument"),
            ("instrument/eye", "NXdetector"),
            ("sample", "NXsample"),
            ("data", "NXdata"),
        ):
            tomo.create_group(name).attrs["NX_class"] = nx_class
        tomo["instrument/eye/data"] = images
        tomo["instrument/eye/image_key"] = KEYS
        tomo["instrument/eye/x_pixel_size"] = 2e-6
        tomo["instrument/eye/y_pixel_size"] = 3e-6
        every = np.zeros(len(KEYS))
        every[KEYS == 0] = turned
        tomo["sample/rotation_angle"] = every
        tomo["sample/rotation_angle"].attrs["units"] = units
        tomo["data/data"] = h5py.SoftLink("/entry1/tomo_entry/instrument/eye/data")
        tomo["data/rotation_angle"] = h5py.SoftLink("/entry1/tomo_entry/sample/rotation_angle")
    return path


def nxtomo_with_links(folder: Path) -> Path:
    """Write an NXtomo file with links to its images and keys in a subfolder."""
    path, values = nxtomo(folder), folder / "raw" / "eye_0001.h5"
    values.parent.mkdir()
    with h5py.File(path, "r+") as file, h5py.File(values, "w") as raw:
        eye = file["entry1/tomo_entry/instrument/eye"]
        for name in ("data", "image_key"):
            raw[name] = eye[name][:]
            del eye[name]
            eye[name] = h5py.ExternalLink("raw/eye_0001.h5", f"/{name}")
    return path


FLEXRAY = {
    "SOD": "100.0",
    "SDD": "200.0",
    "voxel size": "50.0",
    "Binned pixel size": "100.0",
    "start angle": "0.0",
    "last angle": "330.0",
    "# projections": str(N),
    "tube voltage": "60",
    "tra_det": "1.5",
    "ver_tube": "2.0",
}


def flexray(folder: Path, **changes: str) -> Path:
    """Write a folder of FleX-ray."""
    write_tiffs(folder, "scan_", counts())
    write_tiffs(folder, "io", FLATS)
    write_tiffs(folder, "di", DARKS)
    path = folder / "scan settings.txt"
    settings = {**FLEXRAY, **changes}
    path.write_text("[scan]\n" + "".join(f"{k} : {v}\n" for k, v in settings.items()))
    return path


NIKON = {
    "Name": "bean",
    "Projections": str(N),
    "DetectorPixelsX": str(COLUMNS),
    "DetectorPixelsY": str(ROWS),
    "DetectorPixelSizeX": "0.2",
    "DetectorPixelSizeY": "0.25",
    "SrcToObject": "100",
    "SrcToDetector": "400",
    "InitialAngle": "180",
    "AngularStep": str(STEP),
    "WhiteLevel": "4000",
    "ObjectOffsetX": "0",
}


def nikon(folder: Path, **changes: str) -> Path:
    """Write a folder of Nikon."""
    write_tiffs(folder, "bean_", counts(), first=1)
    path = folder / "bean.xtekct"
    settings = {**NIKON, **changes}
    path.write_text("[XTekCT]\r\n" + "".join(f"{k}={v}\r\n" for k, v in settings.items()))
    return path


BRUKER = {
    "Camera Pixel Size (um)": "8.8",
    "CameraXYRatio": "0.5",
    "Filename Prefix": "fish",
    "Number of Files": str(N),
    "Number of Rows": str(ROWS),
    "Number of Columns": str(COLUMNS),
    "Image Pixel Size (um)": "2.0",
    "Object to Source (mm)": "40",
    "Camera to Source (mm)": "200",
    "Depth (bits)": "16",
    "Rotation Step (deg)": "15",
    "Rotation Direction": "CC",
}


def bruker(folder: Path, **changes: str) -> Path:
    """Write a folder of SkyScan."""
    write_tiffs(folder, "fish", counts())
    path = folder / "fish.log"
    settings = {**BRUKER, **changes}
    lines = [f"{k}={v}" for k, v in settings.items()]
    path.write_text("\n".join(["[System]", *lines[:2], "[Acquisition]", *lines[2:]]) + "\n")
    return path
