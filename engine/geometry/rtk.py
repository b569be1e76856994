"""RTK's parameters of a cone beam, and the vectors that they describe.

    R = Rz(−InPlaneAngle) · Rx(−OutOfPlaneAngle) · Ry(−GantryAngle), in the frame of IEC 61217:
    source = Rᵀ (SourceOffsetX, SourceOffsetY, SID)        u = Rᵀ e_x
    origin = Rᵀ (ProjectionOffsetX, ProjectionOffsetY, SID − SDD)    v = Rᵀ e_y

RTK rotates about y, and its z points up from the table. For a supine patient with the head towards
the gantry, our (x, y, z) are its (x, −z, y). Gantry angle 0 is our β = −90°.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import GeometryError
from engine.geometry.vectors import length, unit
from engine.geometry.xray import XrayGeometry

Array = NDArray[np.float64]

IEC_TO_LPS = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
_SQUARE = 1e-6
"""Maximum cosine between rows and columns that counts as perpendicular."""


@dataclass(frozen=True, eq=False)
class RtkParameters:
    """Parameters of each view, (n_views,) or (n_views, 2) along u and v.

    Attributes
    ----------
    gantry_rad, out_of_plane_rad, in_plane_rad : (n_views,) angles [rad]
    source_isocentre_mm, source_detector_mm : (n_views,) SID and SDD [mm]
    source_offset_mm, projection_offset_mm : (n_views, 2) [mm]
    """

    gantry_rad: Array
    out_of_plane_rad: Array
    in_plane_rad: Array
    source_isocentre_mm: Array
    source_detector_mm: Array
    source_offset_mm: Array
    projection_offset_mm: Array

    @classmethod
    def upright(
        cls, gantry_rad: Array, axis_mm: float, detector_mm: float, offset_mm: Array
    ) -> RtkParameters:
        """Return the parameters of a panel that turns without tilts and source offsets.

        Parameters
        ----------
        gantry_rad
            (n_views,) angles [rad]
        axis_mm, detector_mm
            distances from the source [mm]
        offset_mm
            (n_views, 2) offset of the projections [mm]
        """
        zero, none = np.zeros(len(gantry_rad)), np.zeros((len(gantry_rad), 2))
        return cls(gantry_rad, zero, zero, zero + axis_mm, zero + detector_mm, none, offset_mm)


def from_rtk(
    parameters: RtkParameters,
    *,
    shape: tuple[int, int],
    pixel_mm: tuple[float, float],
    origin_mm: tuple[float, float] | None = None,
) -> XrayGeometry:
    """Convert RTK's parameters to vectors.

    Parameters
    ----------
    parameters
        of each view
    shape
        (n_rows, n_columns) of the projections
    pixel_mm
        width and height of a pixel [mm]
    origin_mm
        centre of pixel (0, 0) along u and v, from the projection image; None: the centre of the
        image is at 0 [mm]

    Raises
    ------
    GeometryError
        if a source distance is 0, which marks a parallel beam in RTK
    """
    p = parameters
    if (np.asarray(p.source_detector_mm) == 0).any():
        raise GeometryError(
            "a source-to-detector distance of 0 mm means a parallel beam in RTK, which is not "
            "supported; describe the views by vectors."
        )
    n_rows, n_columns = shape
    # RTK places pixel (0, 0) by its centre, relative to the projection offset.
    first = -(n_columns - 1) / 2 * pixel_mm[0], -(n_rows - 1) / 2 * pixel_mm[1]
    middle = np.subtract(first if origin_mm is None else origin_mm, first)
    depth = p.source_isocentre_mm - p.source_detector_mm
    source = np.column_stack([p.source_offset_mm, p.source_isocentre_mm])
    detector = np.column_stack([p.projection_offset_mm + middle, depth])
    to_world = IEC_TO_LPS @ _rotation(p).swapaxes(1, 2)
    return XrayGeometry(
        beam="cone",
        source_mm=np.einsum("vij,vj->vi", to_world, source),
        detector_mm=np.einsum("vij,vj->vi", to_world, detector),
        u_mm=pixel_mm[0] * to_world[:, :, 0],
        v_mm=pixel_mm[1] * to_world[:, :, 1],
        shape=shape,
    )


def to_rtk(geometry: XrayGeometry) -> RtkParameters:
    """Convert vectors to RTK's parameters, for projection images centred at 0.

    Parameters
    ----------
    geometry
        cone beam

    Raises
    ------
    GeometryError
        if RTK cannot describe the scan, such as a parallel beam or skewed pixels
    """
    u, v = unit(geometry.u_mm), unit(geometry.v_mm)
    # Rows of R are the detector axes in the IEC frame.
    rotation = np.stack([u, v, geometry.normal], axis=1) @ IEC_TO_LPS
    source = np.einsum("vij,vj->vi", rotation @ IEC_TO_LPS.T, geometry.source_mm)
    detector = np.einsum("vij,vj->vi", rotation @ IEC_TO_LPS.T, geometry.detector_mm)
    fault = None
    if geometry.beam != "cone":
        fault = "The beam is parallel."
    elif np.abs(np.sum(u * v, axis=1)).max() > _SQUARE:
        fault = "Rows and columns are not perpendicular."
    # RTK's detector has fixed axes relative to the source; it cannot describe the mirror image.
    elif not (source[:, 2] > detector[:, 2]).all():
        fault = "U × v points away from the source; reverse the order of the columns."
    elif max(float(np.ptp(length(step))) for step in (geometry.u_mm, geometry.v_mm)) > _SQUARE:
        fault = "The pixel size differs between views."
    if fault:
        raise GeometryError(f"RTK cannot describe this scan. {fault}")
    return RtkParameters(
        gantry_rad=np.arctan2(rotation[:, 2, 0], rotation[:, 2, 2]),
        # Rounding can exceed 1, which arcsin refuses with NaN.
        out_of_plane_rad=-np.arcsin(np.clip(rotation[:, 2, 1], -1, 1)),
        in_plane_rad=np.arctan2(rotation[:, 0, 1], rotation[:, 1, 1]),
        source_isocentre_mm=source[:, 2],
        source_detector_mm=source[:, 2] - detector[:, 2],
        source_offset_mm=source[:, :2],
        projection_offset_mm=detector[:, :2],
    )


def _rotation(p: RtkParameters) -> Array:
    """Return the rotations R, (n_views, 3, 3)."""
    return (
        _rotations(2, -p.in_plane_rad)
        @ _rotations(0, -p.out_of_plane_rad)
        @ _rotations(1, -p.gantry_rad)
    )


def _rotations(axis: int, angles_rad: Array) -> Array:
    """Return rotations about x, y or z, (n_views, 3, 3)."""
    cos, sin = np.cos(angles_rad), np.sin(angles_rad)
    # Cyclic order of the axes gives the right-handed rotation for all three.
    one, other = (axis + 1) % 3, (axis + 2) % 3
    turn = np.zeros((len(cos), 3, 3))
    turn[:, axis, axis] = 1
    turn[:, one, one] = turn[:, other, other] = cos
    turn[:, other, one], turn[:, one, other] = sin, -sin
    return turn
