"""Slices of a running scan at one time."""

from __future__ import annotations

from dataclasses import dataclass

from engine.core.arrays import Array
from engine.geometry.plane import Plane
from engine.recon.filtering.settings import FilterSettings


@dataclass(frozen=True, eq=False)
class LiveImages:
    """Slices at one time.

    Attributes
    ----------
    values : (n_rows, n_columns) of each plane [1/mm]
    planes : planes of the slices
    n_views, newest : number of views in the slices, and number of the last one
    covered_rad : angle covered by the views
    weights : weights of rays that are measured twice, "even" or "shared"; "exact" if none or all
        are
    axis_column : column of the rotation axis, from 0
    angles_rad : (n_views,) angles of the source
    filter : filter of the rows
    roll_deg : rotation of the detector in its plane, in addition to the geometry
    """

    values: list[Array]
    planes: list[Plane]
    n_views: int
    newest: int
    covered_rad: float
    weights: str
    axis_column: float
    angles_rad: Array
    filter: FilterSettings
    roll_deg: float = 0.0
