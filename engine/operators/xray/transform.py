"""X-ray line integrals of a volume by view, with two kinds of back projection.

    forward : Joseph's line integrals along the ray to every pixel [image times mm]
    adjoint : "matched", the exact transpose; or "voxel", the voxel-driven back projection

The voxel-driven back projection is faster, but only an adjoint of the continuous integrals. It
multiplies each view by 1/τ², each pixel by the slant 1/cos φ of its ray, and the result by the
volume of a voxel over the area of a pixel.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import DTypeLike

from engine.core.arrays import Array, as_supported
from engine.core.backend import Backend
from engine.core.checked import checked_class
from engine.core.errors import GeometryError, ResourceError
from engine.core.profiling import Profiler
from engine.geometry.grid import ImageGrid
from engine.geometry.xray import XrayGeometry
from engine.kernels.blocks import OnProgress
from engine.operators.base import Definition, LinearOperator, Shape, created
from engine.operators.xray.host import HostXray
from engine.operators.xray.scene import Region, Scene, VolumeBox
from engine.operators.xray.slab_memory import REAL_BYTES
from engine.operators.xray.transfers import ComputedViews

if TYPE_CHECKING:
    from engine.operators.xray.device import DeviceXray
    from engine.operators.xray.tools import Tools
    from engine.operators.xray.user_kernel import UserKernel
    from engine.operators.xray.user_transform import UserTransform

__all__ = ["Adjoint", "Region", "XrayTransform", "is_large"]

Adjoint = Literal["matched", "voxel"]
Use = Literal["forward", "adjoint", "back_project"]

_MAX_VOXELS = 2**31
ADJOINT_RTOL = {"matched": 1e-5, "voxel": 2e-2}
_VIEWS_COMPARED, _DRAWN, _SEED = 8, 65521, 20110909
RESIDENT = 0.4
"""Share of a GPU's free memory up to which volume and projections stay on the GPU."""


@checked_class()
class XrayTransform(LinearOperator):
    """Line integrals through a volume for each pixel of each view.

    Arrays can be NumPy arrays, device arrays, or any arrays with DLPack. Results have the type
    and device of the argument, unless `streams` is True.

    Parameters
    ----------
    geometry : source and detector of each view
    grid : the volume
    on : device and threads
    adjoint : kind of back projection, see the module docstring. On a GPU, "voxel" also
        reads the volume through textures, which interpolate in fractions of 1/256
    streams : on a GPU, True: results are on the host, and volume and projections are uploaded
        in parts; None: only if volume and projections are large for its memory
    dtype : of results and arithmetic; float64 on the CPU and with the matched adjoint only,
        several times slower. `back_project` always computes in float32
    on_progress : called with (done, all) several times a second and at the end; can raise
    profiler : times the projections

    Examples
    --------
    >>> import numpy as np, engine
    >>> orbit = engine.circular_cone(
    ...     [0.0, 1.0], source_axis_mm=500, source_detector_mm=800, shape=(3, 3), pixel_mm=0.1
    ... )
    >>> grid = engine.ImageGrid(shape=(8, 8, 8), voxel_mm=(1.0, 1.0, 1.0))
    >>> A = engine.XrayTransform(orbit, grid, on=engine.cpu())
    >>> float(A(np.ones(grid.shape, np.float32))[0, 1, 1].round(3))
    8.0
    """

    on: Backend

    def __init__(
        self,
        geometry: XrayGeometry,
        grid: ImageGrid,
        *,
        on: Backend,
        adjoint: Adjoint = "matched",
        streams: bool | None = None,
        dtype: DTypeLike = np.float32,
        on_progress: OnProgress | None = None,
        profiler: Profiler | None = None,
    ) -> None:
        _check_size(grid)
        self.dtype = _checked_dtype(dtype, adjoint, on)
        self.profiler = self._profiler = profiler or Profiler(on)
        self._tools = _tools_of(on, self._profiler)
        # decided once, so that subsets of a scan return the same kind of array as the whole: on
        # host or device
        if streams is None:
            streams = is_large(geometry, grid, on)
        self.on, self.grid, self.adjoint_kind = on, grid, adjoint
        self.streams = streams and on.is_cuda
        self._tick = on_progress
        self.adjoint_rtol = ADJOINT_RTOL[adjoint]
        self._subsets: dict[tuple[int, int], XrayTransform] = {}
        self._set_views(geometry)

    def _set_views(self, geometry: XrayGeometry) -> None:
        """Set the views."""
        self.geometry = geometry
        self.in_shape = self.grid.shape
        self.out_shape = (geometry.n_views, *geometry.shape)
        scene = Scene(geometry, self.grid)
        self._projector: DeviceXray | HostXray
        if self._tools is None:
            self._projector = HostXray(
                scene,
                on=self.on,
                on_progress=self._tick,
                profiler=self._profiler,
                dtype=self.dtype,
            )
        else:
            from engine.operators.xray.device import DeviceXray  # the CPU needs no kernels of it

            self._projector = DeviceXray(
                scene,
                self._tools,
                on=self.on,
                exact=self.adjoint_kind == "matched",
                streams=self.streams,
                on_progress=self._tick,
            )

    def __reduce__(self) -> Definition:
        # A GPU with less memory can need to stream what another one holds.
        options = {"on": self.on, "adjoint": self.adjoint_kind, "streams": self.streams or None}
        return created(type(self), self.geometry, self.grid, **options, dtype=str(self.dtype))

    @property
    def on_progress(self) -> OnProgress | None:
        """Function that reports progress; None if there is none."""
        return self._tick

    def forward(self, x: Array) -> Array:
        """Return the line integrals of a volume.

        Parameters
        ----------
        x
            (n_z, n_y, n_x)

        Returns
        -------
        (n_views, n_rows, n_columns) [mm times the unit of x]
        """
        x = as_supported(x)
        self.expect(x, self.in_shape)
        return self._projector.forward(x)

    def adjoint(self, y: Array) -> Array:
        """Return the back projection of all views.

        Parameters
        ----------
        y
            (n_views, n_rows, n_columns)

        Returns
        -------
        (n_z, n_y, n_x)
        """
        if self.adjoint_kind == "voxel":
            return self.back_project(y, weighting="adjoint")
        y = as_supported(y)
        self.expect(y, self.out_shape)
        return self._projector.transposed(y)

    def back_project(
        self,
        y: Array | ComputedViews,
        *,
        weighting: Literal["fdk", "adjoint"],
        region: Region | None = None,
    ) -> Array:
        """Return the voxel-driven back projection; a box has the same bits as the whole volume.

        Parameters
        ----------
        y
            (n_views, n_rows, n_columns); on a GPU also an object that computes them chunk by chunk
        weighting
            "fdk": each view times 1/τ² only; "adjoint": like the "voxel" adjoint
        region
            slices (z, y, x) of the volume; other voxels cost nothing

        Returns
        -------
        (n_z, n_y, n_x) of the region
        """
        given: Array | ComputedViews = y if isinstance(y, ComputedViews) else as_supported(y)
        if isinstance(given, ComputedViews):
            given.expect(self.out_shape)
        else:
            self.expect(given, self.out_shape)
        box, as_adjoint = VolumeBox.of(region, self.grid.shape), weighting == "adjoint"
        if not isinstance(self._projector, HostXray):
            return self._projector.back(given, box, as_adjoint=as_adjoint)
        views = range(self.geometry.n_views)
        values = given.made(given.raw(views), views) if isinstance(given, ComputedViews) else given
        return self._projector.back(values, box, as_adjoint=as_adjoint)

    def compile(self, use: Use) -> None:
        """Compile the kernel of a method, or load it from the cache."""
        if use == "adjoint" and self.adjoint_kind == "matched":
            self._projector.compile("transposed")
        else:
            self._projector.compile("forward" if use == "forward" else "back")

    def adjoint_mismatch(self) -> float:
        """Return the relative difference of ⟨A x, y⟩ and ⟨x, Aᵀ y⟩, for a few views."""
        # a few views are enough: the cause of a mismatch, interpolation in the volume or on the
        # detector, is the same in all
        some = self.subset(0, max(1, self.geometry.n_views // _VIEWS_COMPARED))
        # positive numbers: with both signs the products nearly cancel, and their difference means
        # nothing
        drawn = np.random.default_rng(_SEED).random(_DRAWN, np.float32)
        x, y = np.resize(drawn, some.in_shape), np.resize(drawn[::-1], some.out_shape)
        if self.on.is_cuda and not self.streams:
            x, y = self.on.to_device(x), self.on.to_device(y)
        one, other = (some(x) * y).sum(dtype=np.float64), (x * some.T(y)).sum(dtype=np.float64)
        return float(abs(one - other) / max(abs(one), 1e-30))

    def subset(self, k: int, of: int) -> XrayTransform:
        """Return views k, k + of, ...; created once and cached.

        Parameters
        ----------
        k
            number of the subset
        of
            number of subsets
        """
        # Cached, because each iteration uses the same subsets; they share kernels and textures.
        found = self._subsets.get((k, of))
        if found is None:
            part = self.with_geometry(self.geometry.select(slice(k, None, of)))
            # another thread may have been faster
            found = self._subsets.setdefault((k, of), part)
        return found

    def patch(
        self,
        region: Region | None = None,
        *,
        rows: slice = slice(None),
        columns: slice = slice(None),
    ) -> XrayTransform:
        """Return the transform of a box of the volume, seen by a part of the detector.

        The exact block of the matrix, sharing kernels and textures: the projection of a box is that
        of a volume that is zero outside, and the transpose is that of the whole in the box.

        Parameters
        ----------
        region
            slices (z, y, x) of the volume without steps; None: the whole volume
        rows, columns
            ranges of neighbouring detector pixels, the same in all views

        Raises
        ------
        GeometryError
            if a range is empty or has gaps

        Examples
        --------
        >>> import numpy as np, engine
        >>> scan = engine.geometry.parallel(np.linspace(0, 3, 9), shape=(4, 16), pixel_mm=1.0)
        >>> grid = engine.ImageGrid(shape=(4, 12, 12), voxel_mm=(1.0, 1.0, 1.0))
        >>> A = engine.XrayTransform(scan, grid, on=engine.cpu())
        >>> part = A.patch((slice(1, 3), slice(0, 6), slice(6, 12)), columns=slice(8, 16))
        >>> part.in_shape, part.out_shape
        ((2, 6, 6), (9, 4, 8))
        """
        box = VolumeBox.of(region, self.grid.shape)
        ends = [(at, at + n) for at, n in zip(box.corner, box.shape, strict=True)]
        other = copy(self)
        other.grid, other._subsets = self.grid.part(ends), {}
        other._set_views(self.geometry.cropped(rows, columns))
        return other

    def with_kernels(
        self,
        *,
        forward: UserKernel | None = None,
        back: UserKernel | None = None,
        adjoint: Literal["matched"] | float,
        shape: Shape | None = None,
    ) -> UserTransform:
        """Return the operator with your own kernels for projection, back projection, or both.

        Parameters
        ----------
        forward, back
            kernels; None keeps that of this transform
        adjoint
            "matched", if `back` is the exact transpose; or the relative tolerance of the pair, as
            `check_operator` measures it
        shape
            shape of the input of `forward` and of the result of `back`, if it is not the volume;
            needs both kernels

        Raises
        ------
        ArgumentError
            if no kernel is given, or `adjoint` is neither
        GeometryError
            if a shape is given with one kernel only, or the transform streams
        """
        from engine.operators.xray.user_transform import UserTransform

        return UserTransform(self, forward=forward, back=back, adjoint=adjoint, shape=shape)

    def placed(self, on: Backend) -> XrayTransform:
        """Return the same transform on another device.

        Parameters
        ----------
        on
            device and threads
        """
        kind, dtype = self.adjoint_kind, self.dtype
        return XrayTransform(self.geometry, self.grid, on=on, adjoint=kind, dtype=dtype)

    def with_geometry(self, geometry: XrayGeometry) -> XrayTransform:
        """Return the transform of the same volume with another scan, sharing kernels and textures.

        Parameters
        ----------
        geometry
            source and detector of each view
        """
        # a shallow copy: grid, kernels and textures are the same objects, only the views are
        # different
        other = copy(self)
        other._subsets = {}
        other._set_views(geometry)
        return other


def is_large(geometry: XrayGeometry, grid: ImageGrid, on: Backend) -> bool:
    """Return True if a volume and its projections leave a GPU too little memory to work.

    Parameters
    ----------
    geometry
        source and detector of each view
    grid
        grid of the volume
    on
        device; False for the CPU
    """
    if on.gpu is None:
        return False
    # Integer arithmetic: the product of sizes exceeds 32 bits for large scans.
    values = grid.n_voxels + geometry.n_views * geometry.shape[0] * geometry.shape[1]
    return REAL_BYTES * values > RESIDENT * on.gpu.free_bytes()


def _check_size(grid: ImageGrid) -> None:
    if np.prod([n + 2 for n in grid.shape], dtype=np.float64) >= _MAX_VOXELS:
        raise ResourceError(
            f"{grid.describe()}: the image has more than {_MAX_VOXELS:,} voxels, including the "
            "border; choose larger voxels."
        )


def _checked_dtype(dtype: DTypeLike, adjoint: Adjoint, on: Backend) -> np.dtype[np.generic]:
    """Return the dtype of a transform, float32 or float64.

    Raises
    ------
    GeometryError
        if no kernel computes in this dtype
    """
    found = np.dtype(dtype)
    if found == np.float32:
        return found
    if found != np.float64:
        raise GeometryError(f"dtype is {found}; choose float32 or float64.")
    if on.is_cuda or adjoint != "matched":
        raise GeometryError(
            f'float64 needs the CPU and the adjoint "matched", but the device is {on.label} and '
            f'the adjoint is "{adjoint}"; use float32 for these.'
        )
    return found


def _tools_of(on: Backend, profiler: Profiler) -> Tools | None:
    """Return the kernels of a GPU; None on the CPU, which does not import their modules."""
    if on.gpu is None:
        return None
    from engine.operators.xray.tools import Tools

    return Tools(on.gpu, profiler)
