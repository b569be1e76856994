"""Slices of a running scan at one moment."""

from __future__ import annotations

from dataclasses import dataclass

from engine.core.arrays import Array
from engine.geometry.plane import Plane
from engine.recon.filtering.settings import FilterSettings


@dataclass(frozen=True, eq=False)
class LiveImages:
    """Slices at one moment.

    Attributes
    ----------
    values : (n_rows, n_columns) of each plane [1/mm]
    planes : where they lie
    n_views, newest : how many views are in them, and the number of the last
    covered_rad : angle that the views stand for
    weights : "even", "shared": how rays count that are measured twice; "exact": where none or all
    axis_column : column, from 0, on which the axis was taken to be seen
    angles_rad : (n_views,) where the source was
    filter : of the rows
    roll_deg : turn of the detector in its plane, beyond what the geometry says
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
