"""Variants of projection with a stored response on a GPU; see matrix.cu."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import product
from typing import Literal, get_args

from engine.kernels.source import render

Stores = Literal["half", "float"]


@dataclass(frozen=True)
class PanelShape:
    """Dimensions that the kernels are compiled for.

    Attributes
    ----------
    rows, columns : crystals of a panel
    planes : planes of the image
    edge : D, voxels per pitch
    margin : pitches of zeros around the image
    """

    rows: int
    columns: int
    planes: int
    edge: int
    margin: int

    @property
    def n_stored(self) -> int:
        """Number of stored planes."""
        # The other half follows by symmetry. An odd number includes the middle plane.
        return (self.planes + 1) // 2

    @property
    def n_groups(self) -> int:
        """Groups of a stored row: one for each plane and phase."""
        return self.n_stored * self.edge**2


@dataclass(frozen=True)
class MatrixVariant:
    """One variant of matrix.cu.

    Attributes
    ----------
    threads : threads of a block
    run : values of a thread, one after another along the first axis
    staged : strips of non-zeros in shared memory
    values : precision of non-zeros on the device, half or single
    blocks : blocks per multiprocessor, for which the compiler limits registers
    """

    threads: int = 128
    run: int = 8
    staged: int = 128
    values: Stores = "half"
    blocks: int = 8

    def source(self, panel: PanelShape) -> str:
        """Return the CUDA source of all kernels for one scanner.

        Parameters
        ----------
        panel
            dimensions of the panels
        """
        return render(
            "matrix",
            half=self.values == "half",
            threads=self.threads,
            run=self.run,
            staged=self.staged,
            blocks=self.blocks,
            **asdict(panel),
        )

    @property
    def options(self) -> tuple[str, ...]:
        """Compiler options."""
        return ("-std=c++17",)


def matrix_variants(
    threads: tuple[int, ...] = (128, 256), runs: tuple[int, ...] = (4, 8)
) -> Iterator[MatrixVariant]:
    """Yield the variants to measure.

    Parameters
    ----------
    threads
        threads of a block
    runs
        values of a thread
    """
    for n_threads, run, values in product(threads, runs, get_args(Stores)):
        for n_resident in (1024, 1536):
            yield MatrixVariant(n_threads, run, n_threads, values, n_resident // n_threads)


def paper_source(panel: PanelShape, algorithm: int, threads: int) -> str:
    """Return the CUDA source of algorithm 1, 2 or 3 of Chou et al.; see matrix_paper.cu.

    Parameters
    ----------
    panel
        dimensions of the panels
    algorithm
        1, 2 or 3
    threads
        threads of a block
    """
    return render("matrix_paper", algorithm=algorithm, threads=threads, **asdict(panel))
