"""The forms in which the kernels of the CPU can run; which is fastest, a measurement tells.

What varies is how work is cut up, never what is computed: images of X-rays and of stored responses
have the same bits in every form, those of rays where they are summed in integers.
"""

from __future__ import annotations

from dataclasses import dataclass

MOST_ROWS, MOST_TILE, MOST_THREADS = 1 << 24, 1 << 16, 4096


@dataclass(frozen=True)
class Sharing:
    """How the rows of a list are shared out over threads; see `engine.kernels.blocks`.

    Attributes
    ----------
    threads : that work; 0: all that the backend has
    rows : that a thread takes at a time; 0: an eighth of its part, within bounds
    """

    threads: int = 0
    rows: int = 0

    def __post_init__(self) -> None:
        # a faulty form is a fault of ours, not of the user: ValueError, not an EngineError
        _within("threads", self.threads, 0, MOST_THREADS)
        _within("rows", self.rows, 0, MOST_ROWS)

    def workers(self, threads: int) -> int:
        """Return how many of so many threads work."""
        return min(self.threads or threads, threads)


@dataclass(frozen=True)
class BackForm(Sharing):
    """How the voxel-driven back projection is cut up; see `engine.kernels.cone.cone_back`.

    Attributes
    ----------
    lines, views : of a tile, which "upright" works on together so that both stay in the cache
    """

    lines: int = 256
    views: int = 16

    def __post_init__(self) -> None:
        super().__post_init__()
        _within("lines", self.lines, 1, MOST_TILE)
        _within("views", self.views, 1, MOST_TILE)

    @property
    def tile(self) -> tuple[int, int]:
        """Lines of voxels and views."""
        return self.lines, self.views


@dataclass(frozen=True)
class MatrixForm(Sharing):
    """How projection with a stored response is cut up; see `engine.operators.matrix.projector`.

    Attributes
    ----------
    rows : orientations that a thread takes at a time
    at_once : orientations whose stored rows are sorted together
    """

    at_once: int = 256

    def __post_init__(self) -> None:
        super().__post_init__()
        _within("at_once", self.at_once, 1, MOST_TILE)


def _within(name: str, value: int, least: int, most: int) -> None:
    # a bool is an int of Python, and a file may hold anything
    if type(value) is not int or not least <= value <= most:
        raise ValueError(f"{name} {value!r}: a whole number from {least} to {most}.")
