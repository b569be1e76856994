"""Exchange with libraries that keep arrays in containers with `as_array` and `fill`."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from engine.core.arrays import Array, to_host
from engine.core.errors import GeometryError


def values_of(container: Any, shape: tuple[int, ...], name: str) -> Array:
    """Return the values of a container as a NumPy array.

    Parameters
    ----------
    container
        object with `as_array`
    shape
        shape that the operator needs; axes of length 1 can be missing in the container
    name
        name of the operator, for the error

    Raises
    ------
    GeometryError
        if the container has another number of values
    """
    values = np.asarray(container.as_array())
    if values.size != prod(shape):
        raise GeometryError(
            f"{name}: got a container of shape {values.shape}, expected {shape}; create it for the "
            "grid and the scan of the operator."
        )
    return values.reshape(shape)


def filled(values: Array, out: Any, create: Callable[[], Any]) -> Any:
    """Return a container with the values.

    Parameters
    ----------
    values
        result of an operator
    out
        container to fill; None: a new one
    create
        creates a container
    """
    container = create() if out is None else out
    # libraries drop axes of length 1
    shape = np.asarray(container.as_array()).shape
    container.fill(to_host(values).reshape(shape))
    return container
