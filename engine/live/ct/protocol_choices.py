"""Choices of a live reconstruction from a protocol and from a stored scan."""

from __future__ import annotations

from pathlib import Path

from engine.corrections.preprocess import PreprocessStep
from engine.geometry.xray import XrayGeometry
from engine.io import read_projections
from engine.jobs.loader.loader import Calls
from engine.live.ct.following import LiveChoices
from engine.live.ct.settings import LiveSettings
from engine.modalities.xray_ct.protocol import CtProtocol


def choices_of(
    protocol: CtProtocol, settings: LiveSettings, geometry: XrayGeometry | None = None
) -> LiveChoices:
    """Return the choices of a live reconstruction that follows an X-ray CT protocol.

    Parameters
    ----------
    protocol
        protocol of a normal run; its steps and filter are used
    settings
        views of the slices, and their weights
    geometry
        geometry of the whole scan; None: the source provides it
    """
    return LiveChoices(
        geometry=geometry,
        # Other kinds of steps estimate something from the whole scan
        steps=[step for step in protocol.steps.steps() if isinstance(step, PreprocessStep)],
        filter=protocol.algorithm.filter or LiveChoices().filter,
        settings=settings,
    )


def geometry_of(path: Path, loader: Calls) -> XrayGeometry:
    """Return the geometry of a stored scan.

    Parameters
    ----------
    path
        stored scan
    loader
        process that reads it
    """
    return loader.call(read_projections, path, about=path).geometry
