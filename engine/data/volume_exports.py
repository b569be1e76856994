"""Volumes for other libraries and for the eye: nibabel, xarray, a picture, the window."""

from __future__ import annotations

import subprocess
import sys
from base64 import b64encode
from importlib import import_module
from io import BytesIO
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.core.errors import ResourceError

if TYPE_CHECKING:
    from engine.data.volume import Volume

LPS_TO_RAS = np.diag([-1.0, -1.0, 1.0, 1.0])
_EDGE = 256
"""Pixels of the longer edge of a picture, at least."""
_WINDOW = """
import shutil, sys
from app.__main__ import main
try:
    sys.exit(main([sys.argv[1]]))
finally:
    shutil.rmtree(sys.argv[2], ignore_errors=True)
"""
"""Program of the window's process: it removes the folder of its file at the end."""


def to_nibabel(volume: Volume) -> Any:
    """Return a volume as a Nifti1Image of nibabel.

    Parameters
    ----------
    volume
        any volume
    """
    nibabel: Any = import_module("nibabel")  # slow to load, and without types
    image = nibabel.Nifti1Image(volume.values.T, LPS_TO_RAS @ volume.affine)
    image.header.set_xyzt_units("mm", "sec")
    image.header["descrip"] = f"unit {volume.unit}; Isocenter, not for clinical use".encode()[:79]
    # Code 1: scanner coordinates.
    image.set_sform(image.affine, code=1)
    image.set_qform(image.affine, code=1)
    return image


def to_xarray(volume: Volume) -> Any:
    """Return a volume as an xarray.DataArray with the coordinates z, y and x [mm].

    Parameters
    ----------
    volume
        any volume

    Raises
    ------
    ResourceError
        if xarray is not installed
    """
    try:
        xarray = import_module("xarray")
    except ImportError as e:
        raise ResourceError(
            "xarray is not installed, so the volume cannot be converted to it; run "
            "`pip install xarray`."
        ) from e
    axes = {"z": 2, "y": 1, "x": 0}
    places = {
        name: (name, volume.grid.centres_mm(axis), {"units": "mm"}) for name, axis in axes.items()
    }
    facts = {"units": volume.unit, "axes": volume.axes}
    return xarray.DataArray(volume.values, places, tuple(axes), attrs=facts)


def middle_slice(volume: Volume) -> str:
    """Return the middle axial slice as an image in HTML, from the smallest to the largest value.

    Parameters
    ----------
    volume
        any volume
    """
    content = b64encode(png(volume)).decode()
    return f"<img alt='middle slice' src='data:image/png;base64,{content}'/>"


def png(volume: Volume) -> bytes:
    """Return the middle axial slice as a PNG file, with square pixels.

    Parameters
    ----------
    volume
        any volume
    """
    from PIL import Image

    n_z, n_y, n_x = volume.grid.shape
    values = np.asarray(volume.values[n_z // 2], np.float64)
    finite = np.where(np.isfinite(values), values, 0.0)
    low, high = float(finite.min()), float(finite.max())
    grey = np.rint((finite - low) * (255 / (high - low) if high > low else 0)).astype(np.uint8)
    width_mm, height_mm = n_x * volume.grid.voxel_mm[0], n_y * volume.grid.voxel_mm[1]
    scale = max(_EDGE, n_x, n_y) / max(width_mm, height_mm)
    size = max(round(width_mm * scale), 1), max(round(height_mm * scale), 1)
    content = BytesIO()
    Image.fromarray(grey).resize(size, Image.Resampling.NEAREST).save(content, "png")
    return content.getvalue()


def show(volume: Volume) -> None:
    """Show a volume as a picture in a notebook, elsewhere in the window.

    Parameters
    ----------
    volume
        any volume
    """
    if is_notebook():
        import_module("IPython.display").display(volume)
        return
    nibabel: Any = import_module("nibabel")
    folder = Path(mkdtemp(prefix="isocenter-"))
    file = folder / "volume.nii.gz"
    nibabel.save(to_nibabel(volume), file)
    start([sys.executable, "-c", _WINDOW, str(file), str(folder)])


def is_notebook() -> bool:
    """Return True if the program runs in the kernel of a notebook."""
    # Only IPython imports itself, and IPython in a terminal shows no images.
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and "IPKernelApp" in shell.config


def start(command: list[str]) -> None:
    """Start a process that continues if this one ends.

    Parameters
    ----------
    command
        program and arguments
    """
    subprocess.Popen(command, stdin=subprocess.DEVNULL)
