"""Rays between points through the voxels of an image, with or without time of flight.

A_jn is the exact length of ray j in voxel n [mm]. With time of flight it is the integral of the
probability of the ray's TOF bin over this length.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array, module_of, to_host
from engine.core.backend import Backend
from engine.core.checked import checked_class
from engine.core.errors import ArgumentError, NumericalError, ResourceError
from engine.core.interactive import shown
from engine.core.profiling import Profiler
from engine.data.storage.columns import MEMORY, ColumnStorage
from engine.geometry.grid import ImageGrid
from engine.geometry.tof import TofBins
from engine.kernels.blocks import OnProgress
from engine.kernels.host_variants import Sharing
from engine.kernels.rays.host_rays import HostRays
from engine.kernels.rays.slice_tracing import EventRows
from engine.kernels.units import share_unit, value_unit
from engine.kernels.variants import RayVariant
from engine.operators.base import LinearOperator
from engine.operators.lower_bound import min_update_factor
from engine.operators.ray_checks import check_background, check_size, selected_rows
from engine.operators.ray_rows import Rays, checked_rows, rows_of

if TYPE_CHECKING:
    from engine.kernels.rays.device_em import DeviceEm
    from engine.kernels.rays.device_rays import DeviceRays
    from engine.kernels.rays.event_weights import Draws

__all__ = ["RayProjector", "RayVariant", "Rays"]

_DEFINITION = (
    *("grid", "on", "in_shape", "dtype", "reproducible"),
    *("_tof", "_variant", "_form"),
)
"""Attributes that define a projector, in addition to its rows."""


@checked_class()
class RayProjector(LinearOperator):
    """Line integrals along rays, their adjoint, and the EM update fused into one pass.

    On a GPU, arrays can be on the host or the device; results are where the argument is.

    Parameters
    ----------
    rays : the rows
    grid : grid of the image
    on : device and threads
    tof : TOF bins of the scanner; without them or without rays.tof_bins, rows are line integrals
    dtype : float32 or float64, for images, values and arithmetic
    reproducible : same bits for any number of threads, any order of the rays, and CPU and GPU
    on_progress : called with (rays done, all) several times a second and at the end; can raise
    storage : storage of copies of the rows if they exceed the memory
    variant : variant of the GPU kernels; None: the fastest one as measured
    form : distribution of rays over CPU threads; None: as tuned on this machine, or the default
    profiler : times uploads and kernels

    Examples
    --------
    >>> import numpy as np, engine
    >>> ends_mm = np.array([[-10.0, 0.5, 0.5], [10.0, 0.5, 0.5]])
    >>> rays = engine.Rays(ends_mm, np.array([[0, 1]], np.int32))
    >>> grid = engine.ImageGrid(shape=(3, 3, 3), voxel_mm=(1.0, 1.0, 1.0))
    >>> A = engine.RayProjector(rays, grid, on=engine.cpu())
    >>> A(np.ones(grid.shape, np.float32)).tolist()
    [3.0]
    """

    adjoint_rtol = 1e-5
    on: Backend

    def __init__(
        self,
        rays: Rays,
        grid: ImageGrid,
        *,
        on: Backend,
        tof: TofBins | None = None,
        dtype: str = "float32",
        reproducible: bool = False,
        on_progress: OnProgress | None = None,
        storage: ColumnStorage = MEMORY,
        variant: RayVariant | None = None,
        form: Sharing | None = None,
        profiler: Profiler | None = None,
    ) -> None:
        check_size(grid)
        if getattr(dtype, "__name__", str(dtype)) not in ("float32", "float64"):
            raise ArgumentError(
                f"RayProjector: dtype is {shown(dtype)}, expected 'float32' or 'float64'; choose "
                "one of them."
            )
        self.grid, self.on, self.reproducible, self.storage = grid, on, reproducible, storage
        self.in_shape = grid.shape
        self.dtype = np.dtype(dtype)
        self._tof, self._variant, self._form = tof, variant, form
        # checked here, once: kernels trust every index and test none
        self._trace(checked_rows(rays, grid, tof, self.dtype), on_progress, profiler)

    def _trace(
        self, rows: EventRows, on_progress: OnProgress | None, profiler: Profiler | None
    ) -> None:
        """Prepare the kernels of checked rows."""
        grid, on, storage = self.grid, self.on, self.storage
        profiler = profiler or Profiler(on)
        self._tracer: HostRays | DeviceRays
        if on.is_cuda:
            # The CPU needs none of it.
            from engine.kernels.rays.device_rays import DeviceRays
            from engine.kernels.tuning import tuned

            is_timed = len(rows.bins) > 0
            self._tracer = DeviceRays(
                rows,
                grid.shape,
                self._variant
                or tuned(on, grid.n_voxels, is_timed, self.reproducible, str(self.dtype)),
                on=on,
                to_store=None if storage is MEMORY else storage.in_memory,
                on_progress=on_progress,
                profiler=profiler,
            )
        else:
            self._tracer = HostRays(
                rows,
                grid.shape,
                dtype=str(self.dtype),
                on=on,
                exact=self.reproducible,
                form=self._form,
                to_store=storage.in_memory,
                rest=storage.release_pages,
                on_progress=on_progress,
                profiler=profiler,
            )
        self.out_shape = (self._tracer.n_rows,)
        self._subsets: dict[tuple[int, int], RayProjector] = {}

    def __getstate__(self) -> dict[str, Any]:
        rows = self._tracer.rows
        # Columns in files are copied into the pickle.
        columns = (rows.points, to_host(rows.ends), to_host(rows.bins))
        return {"columns": columns} | {name: getattr(self, name) for name in _DEFINITION}

    def __setstate__(self, state: dict[str, Any]) -> None:
        columns: tuple[Array, Array, Array] = state.pop("columns")
        self.__dict__.update(state)
        self.storage = MEMORY
        self._trace(rows_of(*columns, self.grid, self._tof, self.dtype), None, None)

    def forward(self, x: Array) -> Array:
        """Return line integrals along the rays, (n,) [mm times the unit of x].

        Parameters
        ----------
        x
            image

        Raises
        ------
        NumericalError
            if reproducible rays get an image that is not finite
        """
        self.expect(x, self.in_shape)
        if self.reproducible and not module_of(x).isfinite(x).all():
            raise NumericalError(
                "the image cannot be projected because it has infinite or NaN values; replace "
                "these values first."
            )
        return self._tracer.forward(x)

    def adjoint(self, y: Array) -> Array:
        """Return the sum of the rays, each times its value, as an image.

        Parameters
        ----------
        y
            (n,) value of each ray

        Raises
        ------
        NumericalError
            if reproducible rays get values that are not finite
        """
        self.expect(y, self.out_shape)
        # Reproducible sums are integers; the unit is chosen so that they cannot overflow.
        return self._tracer.back(y, self._value_unit(y) if self.reproducible else 1.0)

    def em_numerator(self, x: Array, background: Array | None = None) -> tuple[Array, Array]:
        """Return x · Aᵀ(1 / q) with q = A x + background: expected emissions of each voxel.

        Computed in one fused pass. The EM update is the result / sensitivity. Rays that expect no
        counts add nothing and have q = 0.

        Parameters
        ----------
        x
            image, not negative
        background
            (n,) expected counts that do not come from the image, not negative; None: none

        Returns
        -------
        numerator
            image
        expected
            (n,) q
        """
        self._check_em(x, background)
        # the same unit for any image of these rows, so that bits do not depend on its values
        unit = share_unit(self.out_shape[0]) if self.reproducible else 1.0
        numerator, expected = self._tracer.update(x, background, unit)
        self._refuse_infinite(expected)
        return numerator, expected

    def em_sums(
        self, x: Array, background: Array | None, n_rows: int
    ) -> tuple[NDArray[np.int64], Array]:
        """Return `em_numerator` of a part of `n_rows` reproducible rays as integers to be added.

        Divided by `share_unit(n_rows)`, the integers of all parts add up to the numerator of all
        rows, to the last bit and in any order.

        Returns
        -------
        sums
            image, on the host
        expected
            (n,) q
        """
        if not self.reproducible:
            raise ValueError(
                "em_sums needs reproducible rays; create the projector with reproducible=True."
            )
        self._check_em(x, background)
        sums, expected = self._tracer.update_sums(x, background, share_unit(n_rows))
        self._refuse_infinite(expected)
        return sums, expected

    def _check_em(self, x: Array, background: Array | None) -> None:
        self.expect(x, self.in_shape)
        if background is not None:
            self.expect(background, self.out_shape)
            check_background(background)
        self._check_images(x)

    def _check_images(self, x: Array) -> None:
        # written so that NaN, which compares as false, is refused too
        if not (x.min() >= 0 and x.max() < np.inf):
            raise NumericalError(
                "the image has negative, infinite or NaN values, so its expected counts cannot be "
                "computed; start from a positive image."
            )

    def _refuse_infinite(self, expected: Array) -> None:
        # the sum is infinite or NaN as soon as one term is: one number to fetch instead of an array
        if not np.isfinite(float(expected.sum(dtype=np.float64))):
            raise NumericalError(
                f"the expected counts are too large for {self.dtype}; scale the image down."
            )

    @property
    def shares_rays(self) -> bool:
        """True if `em_numerators` traces a ray once for all replicates."""
        return self.dtype == np.float32

    def em_numerators(
        self, images: Array, background: Array | None, counts: Array | None, draws: Draws
    ) -> Array:
        """Return the numerators of EM updates of several bootstrap replicates.

        Parameters
        ----------
        images
            (n, n_z, n_y, n_x) float32, image of each replicate, not negative; on the host or the
            device
        background
            (n_rows,) expected counts that do not come from the image; None: none
        counts
            (n_rows,) measured counts; None: one each
        draws
            counts of the rows in each replicate (`engine.kernels.rays.event_weights`)

        Returns
        -------
        (n, n_z, n_y, n_x)

        Raises
        ------
        ResourceError
            if the projector does not share rays, or is reproducible and its rows have counts
        """
        # Integer sums of weighted rows are defined for events only.
        is_counted = self.reproducible and counts is not None
        if is_counted or not self.shares_rays:
            raise ResourceError(
                "em_numerators needs float32 rays, and reproducible rays without counts; use "
                "em_numerator for each replicate."
            )
        self.expect(images, (draws.n, *self.in_shape))
        if background is not None:
            self.expect(background, self.out_shape)
            check_background(background)
        self._check_images(images)
        return self._tracer.replicates(images, background, counts, draws)

    @property
    def projects_batches(self) -> bool:
        """True if `noise_of_replicates` and `curvature_times` trace a ray once for all images."""
        # Integer sums would need a unit for each image.
        is_host = isinstance(self._tracer, HostRays)
        return is_host and self.dtype == np.float32 and not self.reproducible

    def noise_of_replicates(self, counts: Array | None, inverse: Array, draws: Draws) -> Array:
        """Return Aᵀ((y_c − y) / q) of several bootstrap replicates.

        Parameters
        ----------
        counts
            (n_rows,) measured counts y; None: one each
        inverse
            (n_rows,) 1 / q; 0 for rows that are left out
        draws
            counts y_c of the rows in each replicate (`engine.kernels.rays.event_weights`)

        Returns
        -------
        (n, n_z, n_y, n_x)

        Raises
        ------
        ResourceError
            if the projector does not project images together
        """
        self.expect(inverse, self.out_shape)
        return self._batch_tracer().noise(counts, inverse, draws)

    def curvature_times(self, images: Array, weights: Array) -> Array:
        """Return Aᵀ(w · A v_c) of several images.

        Parameters
        ----------
        images
            (n, n_z, n_y, n_x) float32 v_c
        weights
            (n_rows,) w; 0 for rows that are left out

        Returns
        -------
        (n, n_z, n_y, n_x)

        Raises
        ------
        ResourceError
            if the projector does not project images together
        """
        self.expect(images[0], self.in_shape)
        self.expect(weights, self.out_shape)
        return self._batch_tracer().curvature(images, weights)

    def _batch_tracer(self) -> HostRays:
        if not self.projects_batches or not isinstance(self._tracer, HostRays):
            raise ResourceError(
                "several images can be projected together only by float32 rays on the CPU that "
                "are not reproducible; project them one by one."
            )
        return self._tracer

    def __getitem__(self, rows: Any) -> RayProjector:
        """Return the projector of some rays, such as a user's own subset of events.

        Parameters
        ----------
        rows
            slice, mask (n,) or indices (m,), which can be repeated; negative indices count from the
            end

        Raises
        ------
        GeometryError
            if an index is outside the rays, or a mask has another length

        Examples
        --------
        >>> import numpy as np, engine
        >>> ends_mm = np.array([[-10.0, 0.5, 0.5], [10.0, 0.5, 0.5]])
        >>> rays = engine.Rays(ends_mm, np.array([[0, 1], [1, 0]], np.int32))
        >>> grid = engine.ImageGrid(shape=(3, 3, 3), voxel_mm=(1.0, 1.0, 1.0))
        >>> A = engine.RayProjector(rays, grid, on=engine.cpu())
        >>> A[:1].out_shape, A[[0, 0, 1]].out_shape
        ((1,), (3,))
        """
        return self.selected(selected_rows(rows, self.out_shape[0], self.name))

    # without it, Python would read A[0], A[1], ... to iterate
    __iter__ = None

    def selected(self, rows: NDArray[np.int64]) -> RayProjector:
        """Return the projector of some rays, which can be repeated.

        Parameters
        ----------
        rows
            (n,) numbers of the rays
        """
        part = copy(self)
        part._tracer = self._tracer.selected(rows)
        part.out_shape = (len(rows),)
        part._subsets = {}
        return part

    def em_loop(
        self,
        x: Array,
        background: Array | None,
        sensitivity: Array,
        n_subsets: int,
        *,
        chunk: int | None = None,
    ) -> DeviceEm:
        """Return a loop of expectation maximisation that stays on the GPU.

        Parameters
        ----------
        x
            initial image
        background
            (n,) expected counts that do not come from the image; None: none
        sensitivity
            sensitivity image of all lines
        n_subsets
            number of subsets
        chunk
            events that are on the device together; None: as many as its memory allows

        Raises
        ------
        ResourceError
            if the projector works on the CPU
        """
        if isinstance(self._tracer, HostRays):
            raise ResourceError("em_loop needs a GPU; on the CPU, use em_shares.")
        if background is not None:
            self.expect(background, self.out_shape)
            check_background(background)
            # A background of zeros costs a read per event, so it is dropped.
            background = background if background.any() else None
        min_factor = float(min_update_factor(n_subsets))
        from engine.kernels.rays.device_em import DeviceEm

        return DeviceEm(
            self._tracer, background, sensitivity, x, n_subsets, chunk, least=min_factor
        )

    def subset(self, k: int, of: int) -> RayProjector:
        """Return rays k, k + of, ...; made once and cached.

        Parameters
        ----------
        k
            number of the subset
        of
            number of subsets
        """
        found = self._subsets.get((k, of))
        if found is None:
            part = copy(self)
            # cached, because each iteration uses the same subsets again
            part._tracer = self._tracer.part(k, of)
            part.out_shape = (part._tracer.n_rows,)
            part._subsets = {}
            # another thread may have been faster
            found = self._subsets.setdefault((k, of), part)
        return found

    def _value_unit(self, values: Array) -> float:
        """Return a power of two for which the largest possible sum of values times lengths fits."""
        longest_mm = float(np.linalg.norm(self.grid.size_mm))
        largest = float(abs(values).max()) * longest_mm * len(values) if len(values) else 0.0
        if not np.isfinite(largest):
            raise NumericalError(
                "the values cannot be back-projected because some are infinite or NaN; replace "
                "these values first."
            )
        return value_unit(largest)
