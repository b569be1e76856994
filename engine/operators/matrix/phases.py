"""Image split by the position of a voxel within the pitch, for projection by correlation."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import DTypeLike

from engine.core.arrays import Array, module_of
from engine.geometry.dual_head import DualHeadSettings
from engine.kernels.blocks import run_blocks
from engine.kernels.matrix.patches import beyond


@dataclass(frozen=True)
class Phases:
    """[z, y, x] <-> [y, (z mod D) D + x mod D, margin + z // D, margin + x // D].

    Each plane is flat, with some zeros at its end.

    Attributes
    ----------
    n_rows, n_columns, n_planes : pitches along z and x, planes along y
    edge : D, voxels per pitch
    margin : pitches of zeros around each phase
    slack : zeros at the end of a plane
    """

    n_rows: int
    n_columns: int
    n_planes: int
    edge: int
    margin: int
    slack: int

    @classmethod
    def of(cls, scanner: DualHeadSettings, margin: int) -> Phases:
        """Return the layout of the image of a scanner.

        Parameters
        ----------
        scanner
            dimensions of the panels
        margin
            pitches of zeros, by which rows extend beyond the panels
        """
        s = scanner
        slack = beyond(s.n_columns + 2 * margin)
        return cls(s.n_rows, s.n_columns, s.n_planes, s.voxels_per_pitch, margin, slack)

    @property
    def turned(self) -> Phases:
        """Layout of the image with z and x exchanged."""
        return replace(self, n_rows=self.n_columns, n_columns=self.n_rows)

    @property
    def size(self) -> tuple[int, int]:
        """Rows and columns of a phase, including margins."""
        return self.n_rows + 2 * self.margin, self.n_columns + 2 * self.margin

    @property
    def shape(self) -> tuple[int, int]:
        """(n_planes, numbers of a plane)."""
        rows, columns = self.size
        return self.n_planes, self.edge**2 * rows * columns + self.slack

    @property
    def grid_shape(self) -> tuple[int, int, int]:
        """(n_z, n_y, n_x) of the image."""
        return self.n_rows * self.edge, self.n_planes, self.n_columns * self.edge

    def split(self, image: Array, dtype: DTypeLike, threads: int = 1) -> Array:
        """Return an image in this layout.

        Parameters
        ----------
        image
            (n_z, n_y, n_x)
        dtype
            type of the result
        threads
            number of threads
        """
        d = self.edge
        out = module_of(image).zeros(self.shape, dtype)
        # Splits z and x into pitches and positions within a pitch.
        parts = image.reshape(self.n_rows, d, self.n_planes, self.n_columns, d)
        inside, parts = self._inside(out), parts.transpose(2, 1, 4, 0, 3)

        def move(_: int, start: int, stop: int) -> None:
            inside[start:stop] = parts[start:stop]

        run_blocks(move, self.n_planes, threads, smallest=1, in_turn=False)
        return out

    def joined(self, phases: Array, threads: int = 1) -> Array:
        """Return the image (n_z, n_y, n_x) without the margin.

        Parameters
        ----------
        phases
            in this layout
        threads
            number of threads
        """
        parts = self._inside(phases).transpose(3, 1, 0, 4, 2)
        # x fastest again, as all code outside the kernels expects
        out = np.empty(parts.shape, phases.dtype)

        def move(_: int, start: int, stop: int) -> None:
            # phase by phase: this copies long rows, not the few voxels of a pitch
            for phase in range(self.edge):
                out[start:stop, ..., phase] = parts[start:stop, ..., phase]

        run_blocks(move, self.n_rows, threads, smallest=1, in_turn=False)
        return out.reshape(self.grid_shape)

    def _inside(self, phases: Array) -> Array:
        """Return a view (n_planes, D, D, n_rows, n_columns) without the margin."""
        d, m = self.edge, self.margin
        parts = phases[:, : -self.slack].reshape(self.n_planes, d, d, *self.size)
        return parts[..., m : m + self.n_rows, m : m + self.n_columns]
