"""Variants of the CPU kernels; measurements decide which one is fastest.

Variants differ in the division of the work, never in the computation. X-ray images and stored
responses have the same bits in every variant, images of rays if they are summed in integers.
"""

from __future__ import annotations

from dataclasses import dataclass

MAX_ROWS, MAX_TILE, MAX_THREADS = 1 << 24, 1 << 16, 4096


@dataclass(frozen=True)
class Sharing:
    """Distribution of the rows of a list over threads; see `engine.kernels.blocks`.

    Attributes
    ----------
    threads : number of threads; 0: all threads of the backend
    rows : rows of a block; 0: an eighth of a thread's share, within bounds
    """

    threads: int = 0
    rows: int = 0

    def __post_init__(self) -> None:
        # An invalid variant is an internal error, so ValueError instead of an EngineError.
        _within("threads", self.threads, 0, MAX_THREADS)
        _within("rows", self.rows, 0, MAX_ROWS)

    def workers(self, threads: int) -> int:
        """Return the number of threads that work.

        Parameters
        ----------
        threads
            number of available threads
        """
        return min(self.threads or threads, threads)


@dataclass(frozen=True)
class BackForm(Sharing):
    """Division of the voxel-driven back projection; see `engine.kernels.cone.cone_back`.

    Attributes
    ----------
    lines, views : size of a tile, which "upright" processes at once so that both stay in the cache
    """

    lines: int = 256
    views: int = 16

    def __post_init__(self) -> None:
        super().__post_init__()
        _within("lines", self.lines, 1, MAX_TILE)
        _within("views", self.views, 1, MAX_TILE)

    @property
    def tile(self) -> tuple[int, int]:
        """Lines of voxels and views."""
        return self.lines, self.views


@dataclass(frozen=True)
class MatrixForm(Sharing):
    """Division of projection with a stored response; see `engine.operators.matrix.projector`.

    Attributes
    ----------
    rows : orientations of a block
    at_once : decoded rows at a time, each for all mirror images of an orientation
    """

    at_once: int = 128

    def __post_init__(self) -> None:
        super().__post_init__()
        _within("at_once", self.at_once, 1, MAX_TILE)


def _within(name: str, value: int, least: int, most: int) -> None:
    # A bool is an int in Python, and a file can contain anything.
    if type(value) is not int or not least <= value <= most:
        raise ValueError(f"{name} is {value!r}, expected a whole number from {least} to {most}.")
