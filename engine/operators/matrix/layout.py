"""Memory layout of image and data, for projection with a stored response."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import DTypeLike, NDArray

from engine.core.arrays import Array
from engine.kernels.matrix import correlation
from engine.kernels.matrix.decode import GroupLimits
from engine.operators.matrix.phases import Phases
from engine.operators.matrix.rows import PlaneImages


class MatrixLayout(ABC):
    """Memory layout of the image and of the data of some orientations for the kernels.

    Attributes
    ----------
    lanes : numbers at each position
    offsets : (n, 2) a and b of the orientations that kernels process
    size : rows and pitch of a phase of a plane, including margins
    shape : (n_planes, numbers of a plane) of an image
    forward, back : groups of non-zeros that are processed together
    keeps_rows : whether decoded rows are worth caching
    """

    lanes: int
    forward: GroupLimits
    back: GroupLimits
    keeps_rows: bool
    offsets: NDArray[np.int32]
    size: tuple[int, int]
    shape: tuple[int, int]

    @abstractmethod
    def split(self, image: Array, dtype: DTypeLike, threads: int) -> Array:
        """Return an image in the layout of the kernels.

        Parameters
        ----------
        image
            (n_z, n_y, n_x)
        dtype
            type of the result
        threads
            number of threads
        """

    @abstractmethod
    def joined(self, sums: Array, threads: int) -> Array:
        """Return the sums of the kernels as an image (n_z, n_y, n_x).

        Parameters
        ----------
        sums
            in the layout of the kernels
        threads
            number of threads
        """

    @abstractmethod
    def put(self, values: Array, starts: Array, images: PlaneImages, first: int, n: int) -> None:
        """Arrange the values of some orientations for the kernels.

        Parameters
        ----------
        values
            (n_lines,)
        starts
            first line of each orientation
        images
            images of the data, which are filled
        first
            first orientation, of `offsets`
        n
            number of orientations
        """

    @abstractmethod
    def take(self, images: PlaneImages, values: Array, starts: Array, first: int, n: int) -> None:
        """Write the results of some orientations to the lines.

        Parameters
        ----------
        images
            images of the data, as the kernels fill them
        values
            (n_lines,), which is filled
        starts
            first line of each orientation
        first
            first orientation, of `offsets`
        n
            number of orientations
        """


class LineByLine(MatrixLayout):
    """Layout with separate data for each orientation, and one image for all."""

    lanes, forward, back, keeps_rows = 1, correlation.FORWARD, correlation.BACK, False

    def __init__(self, phases: Phases, offsets: Array) -> None:
        self._phases, self.offsets = phases, offsets
        self.size, self.shape = phases.size, phases.shape

    def split(self, image: Array, dtype: DTypeLike, threads: int) -> Array:
        return self._phases.split(image, dtype, threads)

    def joined(self, sums: Array, threads: int) -> Array:
        return self._phases.joined(sums, threads)

    def put(self, values: Array, starts: Array, images: PlaneImages, first: int, n: int) -> None:
        for o in range(n):
            # A view inside the border of the flat array.
            image = images[o]
            image[...] = values[starts[first + o] : starts[first + o + 1]].reshape(image.shape)

    def take(self, images: PlaneImages, values: Array, starts: Array, first: int, n: int) -> None:
        for o in range(n):
            values[starts[first + o] : starts[first + o + 1]] = images[o].ravel()
