"""Windows of the ramp filter: factors over frequency, 1 at zero."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

import numpy as np

from engine.core.arrays import Array

WindowName = Literal[
    "ram-lak",
    "shepp-logan",
    "cosine",
    "hamming",
    "hann",
    "blackman",
    "tukey",
    "lanczos",
    "triangular",
    "gaussian",
    "bartlett-hann",
    "nuttall",
    "blackman-harris",
    "blackman-nuttall",
    "flat-top",
    "kaiser",
    "parzen",
]
WINDOWS: tuple[WindowName, ...] = get_args(WindowName)

TUKEY_TAPER = 0.5
"""Share of the band in which the window decreases."""
GAUSSIAN_SIGMA = 0.4
"""Standard deviation of the Gaussian window, relative to the band."""
KAISER_BETA = 6.0


def window(name: WindowName, frequency: Array, cutoff: float = 1.0) -> Array:
    """Return the factors of a window.

    Parameters
    ----------
    name
        name of the window
    frequency
        (n,) relative to the Nyquist frequency, 0 ... 1
    cutoff
        width of the window, in the same unit; factors above are 0
    """
    # shapes refer to the passband: a cutoff narrows the window instead of truncating it
    f = np.asarray(frequency, np.float64) / cutoff
    inside = f <= 1 + 1e-9  # the last frequency is inside
    return np.where(inside, _SHAPES[name](np.minimum(f, 1.0)), 0.0)


def _cosines(*terms: float) -> Callable[[Array], Array]:
    """Return the shape Σ terms[k] · cos(k π f)."""

    def shape(f: Array) -> Array:
        k = np.arange(len(terms))
        return np.asarray(np.cos(np.pi * np.multiply.outer(f, k)) @ np.array(terms))

    return shape


def _tukey(f: Array) -> Array:
    falling = np.maximum(f - (1 - TUKEY_TAPER), 0) / TUKEY_TAPER
    return np.asarray(0.5 + 0.5 * np.cos(np.pi * falling))


def _parzen(f: Array) -> Array:
    return np.where(f <= 0.5, 1 - 6 * f**2 * (1 - f), 2 * (1 - f) ** 3)


_SHAPES: dict[WindowName, Callable[[Array], Array]] = {
    "ram-lak": np.ones_like,
    "shepp-logan": lambda f: np.sinc(f / 2),
    "cosine": lambda f: np.cos(np.pi * f / 2),
    "hamming": _cosines(0.54, 0.46),
    "hann": _cosines(0.5, 0.5),
    "blackman": _cosines(0.42, 0.5, 0.08),
    "tukey": _tukey,
    "lanczos": np.sinc,
    "triangular": lambda f: 1 - f,
    "gaussian": lambda f: np.exp(-0.5 * (f / GAUSSIAN_SIGMA) ** 2),
    "bartlett-hann": lambda f: 0.62 - 0.24 * f + 0.38 * np.cos(np.pi * f),
    "nuttall": _cosines(0.355768, 0.487396, 0.144232, 0.012604),
    "blackman-harris": _cosines(0.35875, 0.48829, 0.14128, 0.01168),
    "blackman-nuttall": _cosines(0.3635819, 0.4891775, 0.1365995, 0.0106411),
    "flat-top": _cosines(0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368),
    "kaiser": lambda f: np.i0(KAISER_BETA * np.sqrt(1 - f**2)) / np.i0(KAISER_BETA),
    "parzen": _parzen,
}
