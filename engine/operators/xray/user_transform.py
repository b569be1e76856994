"""X-ray transform with kernels of a user for projection, back projection, or both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from engine.core.arrays import Array, as_supported
from engine.core.backend import Backend, cpu
from engine.core.errors import ArgumentError, GeometryError
from engine.geometry.xray import XrayGeometry
from engine.operators.base import Definition, LinearOperator, Shape, created
from engine.operators.xray.user_kernel import UserKernel

if TYPE_CHECKING:
    from engine.operators.xray.transform import Region, XrayTransform

MATCHED_RTOL = 1e-5
"""Tolerance of a pair that is declared to be matched: rounding of float32 sums."""
Adjointness = Literal["matched"] | float
Direction = Literal["forward", "back"]


class UserTransform(LinearOperator):
    """An X-ray transform with a user's kernels, from `XrayTransform.with_kernels`.

    Parameters
    ----------
    transform : geometry, volume and device, and the direction without a kernel
    forward, back : kernels; None: that of `transform`
    adjoint : "matched", or the relative tolerance of the pair
    shape : shape of the input of `forward`; None: that of the volume
    """

    on: Backend

    def __init__(
        self,
        transform: XrayTransform,
        *,
        forward: UserKernel | None,
        back: UserKernel | None,
        adjoint: Adjointness,
        shape: Shape | None,
    ) -> None:
        self.kernels: dict[Direction, UserKernel | None] = {"forward": forward, "back": back}
        _check(transform, self.kernels, adjoint, shape)
        self.transform, self.on, self.profiler = transform, transform.on, transform.profiler
        self.declared, self._given_shape = adjoint, shape
        self.in_shape = transform.in_shape if shape is None else tuple(shape)
        self.out_shape = transform.out_shape
        self.adjoint_rtol = MATCHED_RTOL if adjoint == "matched" else float(adjoint)
        # geometry does not change between calls, so it is uploaded once
        self._tables: dict[Direction, tuple[Array, ...]] = {}

    def __reduce__(self) -> Definition:
        return created(
            type(self),
            self.transform,
            forward=self.kernels["forward"],
            back=self.kernels["back"],
            adjoint=self.declared,
            shape=self._given_shape,
        )

    @property
    def name(self) -> str:
        """Name in `repr` and in error messages."""
        own = (kernel.name for kernel in self.kernels.values() if kernel is not None)
        return f"{self.transform.name} with {' and '.join(own)}"

    @property
    def geometry(self) -> XrayGeometry:
        """Source and detector of each view."""
        return self.transform.geometry

    def forward(self, x: Array) -> Array:
        """Return the projections of a volume, or of another input that the kernels define.

        Parameters
        ----------
        x
            array of shape `in_shape`

        Returns
        -------
        (n_views, n_rows, n_columns)
        """
        return self._applied("forward", x, self.out_shape)

    def adjoint(self, y: Array) -> Array:
        """Return the back projection of all views.

        Parameters
        ----------
        y
            (n_views, n_rows, n_columns)

        Returns
        -------
        array of shape `in_shape`
        """
        return self._applied("back", y, self.in_shape)

    def subset(self, k: int, of: int) -> UserTransform:
        """Return views k, k + of, ...

        Parameters
        ----------
        k
            number of the subset
        of
            number of subsets
        """
        return self._with(self.transform.subset(k, of))

    def with_geometry(self, geometry: XrayGeometry) -> UserTransform:
        """Return the operator of another scan; the kernels are not compiled again.

        Parameters
        ----------
        geometry
            source and detector of each view
        """
        return self._with(self.transform.with_geometry(geometry))

    def patch(
        self,
        region: Region | None = None,
        *,
        rows: slice = slice(None),
        columns: slice = slice(None),
    ) -> UserTransform:
        """Return the operator of a box of the volume, seen by a part of the detector.

        Parameters
        ----------
        region
            slices (z, y, x) of the volume without steps; None: the whole volume
        rows, columns
            ranges of neighbouring detector pixels

        Raises
        ------
        GeometryError
            if a range is empty or has gaps, or the kernels define their own shape
        """
        if self._given_shape is not None:
            raise GeometryError(
                f"{self.name}: its input has the shape {self.in_shape} of its own; create the "
                "patch first, by XrayTransform.patch(...).with_kernels(...)."
            )
        return self._with(self.transform.patch(region, rows=rows, columns=columns))

    def with_constants(self, direction: Direction, **constants: float) -> UserTransform:
        """Return the operator with other constants in one kernel, such as BLOCK_X=64.

        Parameters
        ----------
        direction
            "forward" or "back"
        constants
            values by name

        Raises
        ------
        ArgumentError
            if there is no kernel of the user for this direction
        """
        kernels = {**self.kernels, direction: self.kernel(direction).with_constants(**constants)}
        return self._with(self.transform, kernels)

    def kernel(self, direction: Direction) -> UserKernel:
        """Return the user's kernel of a direction.

        Parameters
        ----------
        direction
            "forward" or "back"

        Raises
        ------
        ArgumentError
            if there is none
        """
        found = self.kernels.get(direction)
        if found is None:
            own = [name for name, kernel in self.kernels.items() if kernel is not None]
            raise ArgumentError(
                f"{self.name}: it has no kernel of yours for {direction!r}; choose from "
                f"{', '.join(own)}."
            )
        return found

    def twin(self) -> UserTransform:
        """Return the same operator on the CPU, which calls the Python twins."""
        return self.placed(cpu())

    def placed(self, on: Backend) -> UserTransform:
        """Return the same operator on another device.

        Parameters
        ----------
        on
            device and threads
        """
        return self._with(self.transform.placed(on))

    def _with(
        self, transform: XrayTransform, kernels: dict[Direction, UserKernel | None] | None = None
    ) -> UserTransform:
        given = self.kernels if kernels is None else kernels
        return UserTransform(
            transform,
            forward=given["forward"],
            back=given["back"],
            adjoint=self.declared,
            shape=self._given_shape,
        )

    def _applied(self, direction: Direction, values: Array, shape: Shape) -> Array:
        values = as_supported(values)
        self.expect(values, self.in_shape if direction == "forward" else self.out_shape)
        kernel = self.kernels[direction]
        if kernel is None:
            back = self.transform.adjoint
            return self.transform.forward(values) if direction == "forward" else back(values)
        gpu = self.on.gpu
        n_rays = int(np.prod(self.out_shape))
        if gpu is None:
            given = np.ascontiguousarray(values, self.transform.dtype)
            with self.span(direction, events=n_rays, unit="rays"):
                return kernel.run_twin(given, self._tables_of(direction, kernel), shape)
        with self.on.faults(f"running the kernel {kernel.name}"):
            given = gpu.xp.ascontiguousarray(self.on.to_device(values), np.float32)
            tables = self._tables_of(direction, kernel)
            with self.span(direction, events=n_rays, unit="rays"):
                return kernel.run(gpu, given, tables, shape)

    def _tables_of(self, direction: Direction, kernel: UserKernel) -> tuple[Array, ...]:
        found = self._tables.get(direction)
        if found is None:
            made = kernel.tables(self.transform.geometry, self.transform.grid)
            found = tuple(map(self.on.to_device, made))
            # another thread can have been faster: both have the same values
            found = self._tables.setdefault(direction, found)
        return found


def _check(
    transform: XrayTransform,
    kernels: dict[Direction, UserKernel | None],
    adjoint: Adjointness,
    shape: Shape | None,
) -> None:
    given = [kernel for kernel in kernels.values() if kernel is not None]
    if not given:
        raise ArgumentError("with_kernels: give a kernel for forward, back or both.")
    if shape is not None and len(given) < 2:
        raise GeometryError(
            f"with_kernels: the shape {tuple(shape)} needs kernels for both directions, because "
            f"ours project volumes of {transform.in_shape} voxels; give forward and back."
        )
    if transform.streams:
        raise GeometryError(
            f"with_kernels: {transform.name} uploads its arrays in parts, but kernels of users "
            "need whole arrays; choose larger voxels, a patch or fewer views."
        )
    if adjoint != "matched" and not (isinstance(adjoint, float) and 0 < adjoint < 1):
        raise ArgumentError(
            f'with_kernels: adjoint is {adjoint!r}; use "matched", or the relative tolerance '
            "that check_operator measures, from 0 to 1."
        )


def changed(operator: UserTransform) -> UserTransform:
    """Return the operator of another scan: half of the views, turned, and smaller arrays.

    Parameters
    ----------
    operator
        operator with kernels of a user
    """
    geometry = operator.geometry.select(slice(None, None, 2)).rotated(0.1)
    other = operator.with_geometry(geometry)
    if other.in_shape != other.transform.in_shape:
        return other
    n_rows, n_columns = geometry.shape
    region = tuple(slice(min(1, n - 1), n) for n in other.transform.grid.shape)
    ends = slice(0, max(1, n_rows - 1)), slice(0, max(1, n_columns - 2))
    return other.patch(region, rows=ends[0], columns=ends[1])  # type: ignore[arg-type]
