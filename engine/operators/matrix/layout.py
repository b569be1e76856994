"""Place of image and data in memory, for projection with a stored response."""

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
    """Place of the image and of the data of some orientations, as kernels take them.

    Attributes
    ----------
    lanes : numbers at each place
    offsets : (n, 2) a and b of the orientations that kernels take
    size : rows and pitch of a phase of a plane, margins included
    shape : (n_planes, numbers of a plane) of an image
    forward, back : which non-zeros are taken together
    keeps_rows : whether rows are worth keeping once they are decoded
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
        """Return the image (n_z, n_y, n_x) as kernels read it."""

    @abstractmethod
    def joined(self, sums: Array, threads: int) -> Array:
        """Return what kernels added up as an image (n_z, n_y, n_x)."""

    @abstractmethod
    def put(self, values: Array, starts: Array, images: PlaneImages, first: int, n: int) -> None:
        """Lay out the values of n of `offsets`, from the first on.

        values : (n_lines,); starts : where those of each orientation begin
        """

    @abstractmethod
    def take(self, images: PlaneImages, values: Array, starts: Array, first: int, n: int) -> None:
        """Write the values of n of `offsets`, from the first on."""


class LineByLine(MatrixLayout):
    """Each orientation has its own data, and there is one image for all."""

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
            image = images[o]
            image[...] = values[starts[first + o] : starts[first + o + 1]].reshape(image.shape)

    def take(self, images: PlaneImages, values: Array, starts: Array, first: int, n: int) -> None:
        for o in range(n):
            values[starts[first + o] : starts[first + o + 1]] = images[o].ravel()
