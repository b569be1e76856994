"""Beam hardening: p' = Σ a_k pᵏ, k = 1, 2, ..., the line integral of a monoenergetic beam."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.core.arrays import largest
from engine.core.backend import Backend
from engine.core.backend.gpu import Array
from engine.core.errors import DataError
from engine.core.settings import setting
from engine.corrections.preprocess.base import PreprocessStep
from engine.corrections.preprocess.blocks import in_blocks
from engine.data.projections import Projections

Coefficients = tuple[float, ...]
"""a_1, a_2, ...: coefficients of p, p², ..."""
RIM_VOXELS = 3
MIN_VOXELS = 50


class Hardening(PreprocessStep):
    """Cupping and streaks from beam hardening in one material, such as water."""

    title: ClassVar[str] = "Beam hardening"
    kind: ClassVar[str] = "hardening"
    since: ClassVar[int | None] = 1
    of_a_view: ClassVar[bool] = True
    of_a_row: ClassVar[bool] = True
    on_demand: ClassVar[bool] = True
    fit: Literal["given", "uniform"] = setting(
        "given",
        "Use the coefficients below, or fit them to this scan of a single-material object so "
        "that it becomes uniform",
        label="Source of coefficients",
    )
    coefficients: Coefficients = setting(
        (),
        "Polynomial coefficients (p, p², p³, ...) that correct the line integral p; fit them "
        "to a uniform object or a step wedge",
        max_length=8,
    )

    @property
    def takes_single_views(self) -> bool:
        return self.fit == "given"

    def obstacle(self, projections: Projections) -> str | None:
        """Return why line integrals are not corrected.

        Returns
        -------
        obstacle
            projections that are not line integrals, or missing coefficients; None otherwise
        """
        if projections.kind != "integrals":
            return (
                f"the projections are of kind {projections.kind!r}, expected 'integrals'; switch "
                "on the logarithm"
            )
        if self.fit == "given" and not self.coefficients:
            return "there are no coefficients; fit them to a uniform object or a step wedge"
        return None

    def apply(self, projections: Projections, *, on: Backend) -> Projections:
        """Return the line integrals of a monoenergetic beam.

        Returns
        -------
        projections
            new values; coefficients and the largest line integral are in `info`

        Raises
        ------
        DataError
            if the polynomial decreases within the range of the scan, or no uniform object is found
        """
        values = projections.values
        most = largest(values) if values.size else 0.0
        coefficients = self._found(projections, on=on)
        # A polynomial fitted to thin objects can turn over, and dense parts would become
        # transparent.
        _check_rises(coefficients, most)
        out = projections.empty(values.shape)

        def work(views: slice) -> None:
            out[views] = evaluate(coefficients, values[views])

        in_blocks(work, values, on=on, storage=projections.storage)
        became = float(evaluate(coefficients, np.float64(most)))
        facts = {"most": most, "became": became, "coefficients": list(coefficients)}
        return self.changed(projections, facts, values=out)

    def summary(self, before: Projections, after: Projections) -> str:
        facts = self.facts(after)
        message = f"largest line integral {facts['most']:.3g} corrected to {facts['became']:.3g}"
        if self.fit == "given":
            return message
        numbers = ", ".join(f"{a:.4g}" for a in facts["coefficients"])
        return f"{message}; coefficients {numbers}, fitted to this scan"

    def _found(self, projections: Projections, *, on: Backend) -> Coefficients:
        if self.fit == "given":
            return self.coefficients
        # A fit reconstructs a slice; other runs do without that code.
        from engine.corrections.preprocess.central_slice import middle_rows, middle_slice

        return fit_uniform(middle_rows(projections, on=on), partial(middle_slice, on=on))


def _check_rises(coefficients: Coefficients, most: float) -> None:
    slope = np.polynomial.Polynomial((0.0, *coefficients)).deriv()
    p = np.linspace(0, most, 100)
    if (slope(p) <= 0).any():
        raise DataError(
            f"Beam hardening: the polynomial decreases from p = {p[slope(p) <= 0][0]:.3g} on, but "
            f"the scan has values up to {most:.3g}; fit it to an object at least as thick as this "
            "one."
        )


def evaluate(coefficients: Coefficients, p: Array) -> Array:
    """Return Σ a_k pᵏ by Horner's rule.

    Parameters
    ----------
    coefficients
        a_1, a_2, ...
    p
        line integrals of any shape, NumPy or CuPy
    """
    # `0 * p` keeps device, shape and float32 of p.
    total = 0 * p
    for a in reversed(coefficients):
        total = (total + np.float32(a)) * p
    return total


def fit_wedge(
    integrals: ArrayLike,
    thickness_mm: ArrayLike,
    *,
    mu_per_mm: float | None = None,
    degree: int = 3,
) -> Coefficients:
    """Return coefficients fitted to line integrals of known thicknesses of one material.

    Parameters
    ----------
    integrals
        (n,) measured line integrals
    thickness_mm
        (n,) thickness of each step [mm]
    mu_per_mm
        attenuation coefficient of the material; None scales the result to a_1 = 1, which keeps the
        thinnest steps
    degree
        degree of the polynomial
    """
    p = np.asarray(integrals, np.float64)
    wanted = np.asarray(thickness_mm, np.float64) * (mu_per_mm or 1.0)
    a = _solve([p**k for k in range(1, degree + 1)], wanted)
    return _scaled(a, keep=mu_per_mm is not None)


def fit_uniform(
    projections: Projections,
    reconstruct: Callable[[Projections], Array],
    *,
    mu_per_mm: float | None = None,
    degree: int = 3,
) -> Coefficients:
    """Return coefficients that make the image of a uniform object flat.

    The image of Σ a_k pᵏ is Σ a_k f_k with the image f_k of pᵏ, so a linear least-squares fit gives
    the coefficients. The rim is excluded because its voxels are only partly filled. The outside is
    excluded because it contains the streaks of few views. Kachelrieß, Sourbelle & Kalender, Medical
    Physics 33 (2006) 1269.

    Parameters
    ----------
    projections
        line integrals of an object of one material
    reconstruct
        linear reconstruction of an image of any shape from line integrals
    mu_per_mm
        attenuation coefficient of the object; None scales the result to a_1 = 1
    degree
        degree of the polynomial

    Raises
    ------
    DataError
        if the image has too few voxels inside an object
    """
    p = projections.values
    images = [
        np.asarray(reconstruct(replace(projections, values=p**k)), np.float64)
        for k in range(1, degree + 1)
    ]
    inside = _core(images[0] > otsu(images[0]))
    if inside.sum() < MIN_VOXELS:
        raise DataError(
            "Beam hardening: no uniform object was found in the image; scan a larger uniform "
            "object."
        )
    wanted = np.full(int(inside.sum()), mu_per_mm or 1.0)
    return _scaled(_solve([f[inside] for f in images], wanted), keep=mu_per_mm is not None)


def otsu(image: NDArray[np.floating]) -> float:
    """Return the threshold that separates two classes of an image best (Otsu, 1979).

    Parameters
    ----------
    image
        values of any shape

    Returns
    -------
    otsu
        mean of all best thresholds; several are equally good if there is a gap between the classes
    """
    counts, edges = np.histogram(image, 256)
    centres = (edges[1:] + edges[:-1]) / 2
    below = counts.cumsum()
    above = below[-1] - below
    sums = (counts * centres).cumsum()
    with np.errstate(divide="ignore", invalid="ignore"):
        gap = (sums[-1] - sums) / above - sums / below
        between = np.nan_to_num(below * above * gap**2)
    best = np.flatnonzero(between == between.max())  # several if the gap is empty
    return float(edges[1 + best].mean())


def _core(inside: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return a region without its rim, slice by slice."""
    slices = inside.reshape(-1, *inside.shape[-2:])
    square = np.ones((1, 2 * RIM_VOXELS + 1, 2 * RIM_VOXELS + 1), bool)
    from scipy import ndimage

    return ndimage.binary_erosion(slices, square, border_value=1).reshape(inside.shape)


def _solve(basis: list[NDArray[np.float64]], wanted: NDArray[np.floating]) -> NDArray[np.float64]:
    return np.linalg.lstsq(np.stack(basis, axis=1), wanted, rcond=None)[0]


def _scaled(a: NDArray[np.float64], *, keep: bool) -> Coefficients:
    # Without a known μ the scale is free, and a_1 = 1 keeps weakly attenuated rays unchanged.
    return tuple(float(v) for v in (a if keep else a / a[0]))
