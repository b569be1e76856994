"""Read RTK `ThreeDCircularGeometry` XML, next to an `.mha` of projections.

RTK rotates about y (IEC 61217). Our z is its y, and our y its −z. Angles are in degrees.
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import FileFormatError, GeometryError
from engine.data.projections import Projections
from engine.geometry.rtk import RtkParameters, from_rtk
from engine.geometry.xray import XrayGeometry
from engine.io.base import ProjectionsReader
from engine.io.folder import entries
from engine.io.safety.open_input import InputFile, open_input
from engine.io.volumes.metaimage import read_meta_image
from engine.io.xray.angles import Angles, read_angles
from engine.io.xray.frames import Kind, assemble, guess_kind, refuse_count
from engine.io.xray.text.xml_text import XmlText

ROOT = "RTKThreeDCircularGeometry"
MAX_DEPTH = 8
VIEW = "Projection"
GANTRY, SID, SDD = "GantryAngle", "SourceToIsocenterDistance", "SourceToDetectorDistance"
OFFSETS = ("SourceOffsetX", "SourceOffsetY", "ProjectionOffsetX", "ProjectionOffsetY")
LEANS = ("InPlaneAngle", "OutOfPlaneAngle")
USED = (GANTRY, SID, SDD, *OFFSETS, *LEANS)


class RtkXml(ProjectionsReader):
    """RTK geometry next to its projections."""

    format_name: ClassVar[str] = "RTK geometry (XML)"

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        return ROOT.encode() in file.head

    @classmethod
    def read(cls, file: InputFile) -> Projections:
        path, parameters = file.path, read_parameters(file)
        with open_input(_adjacent_image(path)) as image_file:
            image = read_meta_image(image_file)
        whole = image.values.dtype.kind in "iu"
        if not image.is_volume:
            raise FileFormatError(
                f"{image_file.name}: the projections have four axes, expected three (columns, "
                "rows, views); export them again."
            )
        views, rows, columns = image.values.shape
        geometry, angles = rtk_geometry(
            parameters,
            views,
            shape=(rows, columns),
            spacing_mm=(image.spacing_mm[0], image.spacing_mm[1]),
            origin_mm=(image.origin_mm[0], image.origin_mm[1]),
            path=path,
        )
        values = image.values[: len(angles.rad)].astype(np.float32)
        notes = list(angles.notes)
        # RTK files do not state the kind; line integrals are stored as floating-point numbers.
        kind: Kind = "counts" if whole else guess_kind(path, values, notes)
        return assemble(
            path,
            values,
            geometry,
            kind,
            # RTK files state the position of the detector exactly, including the rotation axis.
            calibrated=True,
            whole_numbers=whole,
            info={"format": cls.name},
            notes=notes,
        )


def _adjacent_image(path: Path) -> Path:
    found = [p for p in entries(path.parent) if p.suffix.lower() == ".mha"]
    # RTK does not name the image; the same name is preferred, otherwise the only image is used.
    same = [p for p in found if p.stem == path.stem] or found
    if len(same) != 1:
        raise FileFormatError(
            f"{path.name}: {len(found)} .mha images in its folder, expected one with the "
            "projections; name the file in a .toml sidecar."
        )
    return same[0]


class _Text(XmlText):
    """Values common to all views, and values of each view."""

    remedy = "Write the geometry again with RTK."
    max_bytes = 50_000_000
    may_name_type = True

    def __init__(self, file: InputFile) -> None:
        super().__init__(file)
        self.common: dict[str, float] = {}
        self.views: list[dict[str, float]] = []

    def opened(self, name: str) -> None:
        # Other XML files can contain elements with the same names.
        if len(self.places) > MAX_DEPTH or self.places[0] != ROOT:
            self.refuse(f"the root element is {self.places[0]!r}, expected {ROOT!r}")
        if name == VIEW:
            self.views.append({})

    def closed(self, name: str, text: str) -> None:
        if name not in USED:
            return
        try:
            value = float(text)
        except ValueError:
            self.refuse(f"{name} is {text[:40]!r}, expected a number")
        inside = self.places and self.places[-1] == VIEW
        # RTK writes a value that is equal in all views only once, outside them.
        (self.views[-1] if inside else self.common)[name] = value


def read_parameters(file: InputFile) -> dict[str, NDArray[np.float64]]:
    """Return the parameters of each view.

    Parameters
    ----------
    file
        RTK geometry (XML)

    Returns
    -------
    parameters
        name -> (n_views,) [mm, °]; offsets and tilts are 0 if not stated

    Raises
    ------
    FileFormatError
        if the file is damaged, or a view has no gantry angle or distances
    """
    seen = _Text(file)
    seen.read()
    if not seen.views:
        seen.refuse("the file contains no projection")
    found = {}
    for name in USED:
        values = [view.get(name, seen.common.get(name)) for view in seen.views]
        if name in (GANTRY, SID, SDD) and None in values:
            seen.refuse(f"view {values.index(None)}: {name!r} is missing")
        # RTK leaves out parameters that are 0.
        found[name] = np.array([0.0 if v is None else v for v in values])
        if not np.isfinite(found[name]).all():
            seen.refuse(f"{name!r} is not finite in a view")
    return found


def rtk_geometry(
    parameters: dict[str, NDArray[np.float64]],
    n_views: int,
    *,
    shape: tuple[int, int],
    spacing_mm: tuple[float, float],
    origin_mm: tuple[float, float],
    path: Path,
) -> tuple[XrayGeometry, Angles]:
    """Return the geometry of RTK's parameters, and the angles of the views that are used.

    Parameters
    ----------
    parameters
        name -> (n_views,) [mm, °], from `read_parameters`
    n_views
        number of projections
    shape
        (rows, columns)
    spacing_mm, origin_mm
        spacing and centre of the first pixel of the projections, along columns and rows [mm]
    path
        file, for error messages

    Raises
    ------
    GeometryError
        if the number of views differs, or the isocentre is not between source and detector
    """
    refuse_count(path, n_views, len(parameters[GANTRY]))
    angles = read_angles(parameters[GANTRY], "deg", f"{path.name}: {GANTRY}")
    p = {name: values[: len(angles.rad)] for name, values in parameters.items()}
    sid, sdd = p[SID], p[SDD]
    # RTK marks a parallel beam by a source to detector distance of 0.
    if (sdd == 0).any() or (sid <= 0).any() or (sdd <= sid).any():
        raise GeometryError(
            f"{path.name}: the source is {sid[0]:g} mm from the isocentre and {sdd[0]:g} mm from "
            "the detector, but the isocentre must be between the source and the detector; correct "
            "the distances (parallel beams are not supported)."
        )
    circular = RtkParameters(
        gantry_rad=np.deg2rad(p[GANTRY]),
        out_of_plane_rad=np.deg2rad(p["OutOfPlaneAngle"]),
        in_plane_rad=np.deg2rad(p["InPlaneAngle"]),
        source_isocentre_mm=sid,
        source_detector_mm=sdd,
        source_offset_mm=np.column_stack([p["SourceOffsetX"], p["SourceOffsetY"]]),
        projection_offset_mm=np.column_stack([p["ProjectionOffsetX"], p["ProjectionOffsetY"]]),
    )
    orbit = from_rtk(circular, shape=shape, pixel_mm=spacing_mm, origin_mm=origin_mm)
    return orbit, angles
