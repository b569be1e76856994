"""Noise of the figures of a phantom, from the bootstrap replicates of the image.

A figure is any function f of an image. The noise is its standard deviation over n replicates x_c,
and the interval of confidence P has Student's t with n − 1 degrees of freedom:

    σ² = Σ_c ( f(x_c) − f̄ )² / (n − 1),    f(x) ± t_P σ.

No figure needs a formula for the propagation of its error. The position of the phantom is that of
the image, because a search in each replicate would add the noise of the search.

Efron & Tibshirani, An Introduction to the Bootstrap, Chapman & Hall 1993, chapter 6.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from engine.analysis.quality.quality_report import QualityReport
from engine.analysis.regions.errors import CONFIDENCE, FigureError
from engine.core.errors import EngineError
from engine.data.volume import Volume


def errors_of_figures(
    volume: Volume, found: Sequence[float], figures: Callable[[Volume], Sequence[float]]
) -> tuple[FigureError | None, ...]:
    """Return the errors of any figures of an image with an error map.

    Parameters
    ----------
    volume
        measured image
    found
        (n,) figures of the image
    figures
        returns the same n figures for any image of this grid

    Returns
    -------
    tuple of FigureError or None
        (n,); None for a figure that is not finite in each replicate, and for all figures of an
        image without an error map
    """
    rows = [_measured(figures, each, len(found)) for each in _replicates(volume)]
    if not rows:
        return (None,) * len(found)
    columns = np.array(rows, np.float64).T
    return tuple(
        FigureError.of(values, figure) if np.isfinite(values).all() else None
        for values, figure in zip(columns, found, strict=True)
    )


def with_noise(
    report: QualityReport, volume: Volume, measure: Callable[[Volume], QualityReport]
) -> QualityReport:
    """Return a report with the noise of each figure.

    Parameters
    ----------
    report
        report on the image
    volume
        measured image with an error map
    measure
        returns the report on any image of this grid, with the phantom at the same position

    Returns
    -------
    QualityReport
        `report` itself if the image has no error map
    """
    if volume.error is None:
        return report
    values = [each.value for each in report.figures]
    errors = errors_of_figures(
        volume, values, lambda image: [each.value for each in measure(image).figures]
    )
    figures = tuple(
        figure
        if error is None
        else replace(figure, noise=error.sd, noise_half_width=error.half_width)
        for figure, error in zip(report.figures, errors, strict=True)
    )
    error = volume.error
    note = f"Noise is the standard deviation over {error.source}."
    source = {
        "method": error.method,
        "replicates": error.n,
        "seed": error.seed,
        "confidence": CONFIDENCE,
    }
    return replace(report, figures=figures, notes=(*report.notes, note), replicates=source)


def _replicates(volume: Volume) -> Iterator[Volume]:
    if volume.error is not None:
        for values in volume.error.replicates():
            yield Volume(values, volume.grid, volume.unit, volume.info)


def _measured(
    figures: Callable[[Volume], Sequence[float]], image: Volume, n: int
) -> Sequence[float]:
    """Return the figures of an image; NaN if they cannot be measured."""
    try:
        return figures(image)
    except EngineError:
        return [np.nan] * n
