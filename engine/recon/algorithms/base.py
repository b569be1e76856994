"""Base class of algorithms: settings and a generator of images."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from engine.core.arrays import Array, module_of, to_host
from engine.core.plugins import PlugInError, added
from engine.core.settings import Settings

if TYPE_CHECKING:
    from engine.recon.algorithms.optimality import Optimality
    from engine.recon.algorithms.subsets import CountDemand
    from engine.recon.filtering.settings import FilterSettings
    from engine.recon.model import Model

Change = Callable[[Array], Array]
Figures = tuple[float, int]
"""Log-likelihood, and number of rows skipped because they expect no counts.

For line integrals the first is the squared residual of a pass over subsets.
"""
NO_FIGURES: Figures = (0.0, 0)


@dataclass(frozen=True, eq=False)
class Iterate:
    """The image after one update, as an algorithm yields it.

    Attributes
    ----------
    x : (n_z, n_y, n_x) image, NumPy or GPU array
    measure : returns ‖A x − y‖ / ‖y‖ for less than a projection; with subsets it can refer
        to the image before each update of the pass; None: the model computes it
    ends : reason if no further iteration would help; empty otherwise
    """

    x: Any
    measure: Callable[[], float] | None = None
    ends: str = ""

    is_reused: ClassVar[bool] = False
    """True if the algorithm continues from the image that `changed` returns."""

    @property
    def image(self) -> Array:
        """Image (n_z, n_y, n_x) on the host; it is valid until the next iterate is requested."""
        image: Array = to_host(self.x)
        return image

    @property
    def is_finite(self) -> bool:
        """True if all values of the image are finite."""
        return bool(module_of(self.x).isfinite(self.x).all())

    @property
    def optimality(self) -> Optimality | None:
        """Distance of the image from a penalised optimum; None for other algorithms."""
        return None

    def figures(self, before: Figures) -> Figures | None:
        """Return the sums of the updates since the last call, added to earlier ones.

        Parameters
        ----------
        before
            sums of earlier updates of the iteration

        Returns
        -------
        log-likelihood and skipped rows; None if the algorithm does not compute them
        """
        return None

    def residual_of(self, figures: Figures) -> float | None:
        """Return ‖A x − y‖ / ‖y‖ from the figures of a pass.

        Parameters
        ----------
        figures
            sums of a complete iteration

        Returns
        -------
        None if the figures contain no residual
        """
        return None

    def changed(self, change: Change) -> Iterate:
        """Return the iterate with a changed image.

        Parameters
        ----------
        change
            called with the image, on the host or the GPU; returns the new one
        """
        return Iterate(change(self.x))


class WorkingMemory(NamedTuple):
    """Number of float32 arrays that an algorithm holds at the same time, including temporaries.

    Attributes
    ----------
    volumes : number of images
    projections : number of complete projection sets
    in_chunks : number of projection sets that a GPU holds in part: textures, and filtered rows
        of twice the length with their spectra
    """

    volumes: float
    projections: float
    in_chunks: float = 0


class Algorithm(Settings):
    """Settings of an algorithm; `run` is the mathematics.

    An algorithm defines `kind`, `title` and `run`. It has a setting `iterations` if it iterates,
    and `subsets` if it divides the data. `engine.recon.algorithms.driver` does the rest: it
    resumes runs, filters between iterations, sums figures, shows previews and ends runs early.
    """

    title: ClassVar[str]
    direct: ClassVar[bool] = False
    """True if the image is computed in one step, independent of the initial image."""
    passes: ClassVar[int] = 2
    """Projections and back projections of the rows of one update."""
    memory: ClassVar[WorkingMemory] = WorkingMemory(8, 6, 2)
    """Arrays held at the same time; the default is enough for most algorithms."""
    state_version: ClassVar[int] = 0
    """Version of the path to the image. Raise it if an older checkpoint must not be resumed."""
    data_kinds: ClassVar[tuple[str, ...]] = ()
    """Data that an algorithm of a plug-in takes: "counts", "line integrals" or both."""
    early_text: ClassVar[str] = ""
    """How `early_image` is made, as a caption."""
    kind: Any = None
    """Name in files: a Literal in each algorithm."""

    @property
    def n_iterations(self) -> int:
        """Passes over all data: the setting `iterations`; 1 without it."""
        return int(getattr(self, "iterations", 1))

    @property
    def n_subsets(self) -> int:
        """Updates in each iteration: the setting `subsets`; 1 without it."""
        return int(getattr(self, "subsets", 1))

    @property
    def n_parts(self) -> int:
        """Subsets of the data that the model is built for."""
        return self.n_subsets

    @property
    def n_image_updates(self) -> int:
        """Maximum number of times that a run computes a new image."""
        return self.n_iterations * self.n_subsets

    @property
    def is_penalised(self) -> bool:
        """True if the image maximises a penalised likelihood."""
        return False

    @property
    def updates_between_filters(self) -> int:
        """Number of updates after which filters between iterations act."""
        return self.n_subsets

    @property
    def n_passes(self) -> int:
        """Maximum number of projections and back projections of all rows, including preparation.

        After each iteration the model computes how well the image explains the data: one
        projection.
        """
        # One more pass for each iteration: the residual or the likelihood of the new image.
        return (self.passes + 1) * self.n_iterations

    @property
    def passes_before(self) -> int:
        """Maximum number of projections and back projections before the first update."""
        return 0

    @property
    def typical_passes(self) -> int:
        """Number of projections and back projections of a typical run, to estimate its time."""
        return self.n_passes

    @property
    def typical_image_updates(self) -> int:
        """Number of new images in a typical run, to estimate its time."""
        return self.n_image_updates

    @property
    def extra_images(self) -> int:
        """Number of images of the grid in the memory of the CPU, beyond those of OSEM.

        The sensitivities of `n_parts` subsets, which models of bins have, are not part of it.
        """
        return 0

    @property
    def may_end_early(self) -> bool:
        """True if a run can end before its last iteration."""
        return False

    def min_slices(self, n_slices: int) -> int:
        """Return the number of slices that an update needs in memory together.

        Parameters
        ----------
        n_slices
            slices of the image
        """
        return min(1, n_slices)

    @property
    def filter(self) -> FilterSettings | None:
        """Row filter of a direct back projection; None for iterative algorithms."""
        return None

    def scaled(self, factor: float) -> Self:
        """Return the algorithm with a multiple of its iterations, at least one.

        Parameters
        ----------
        factor
            factor of the number of iterations
        """
        # Quality levels scale the protocol; even the fastest one needs an iteration.
        n = max(1, round(self.n_iterations * factor))
        return self.model_copy(update={"iterations": n})

    def for_counts(self, demand: CountDemand, *, n_updates: int | None = None) -> Algorithm:
        """Return the algorithm with the subsets and passes that its settings leave to the scan.

        Parameters
        ----------
        demand
            counts of the data, and counts that a subset needs
        n_updates
            updates that suit the scan; None: the algorithm's own number
        """
        return self

    def for_frame(self, share: float) -> Algorithm:
        """Return the algorithm of a time frame.

        Parameters
        ----------
        share
            counts of the frame over those of the median frame
        """
        return self

    def in_one_subset(self) -> Algorithm:
        """Return the algorithm with one subset and as many updates of the image."""
        return self.model_copy(update={"iterations": self.n_image_updates, "subsets": 1})

    def completed(self, model: Model, x: Array) -> tuple[Array, float]:
        """Return the final image of a run, and its scale relative to `x`.

        Parameters
        ----------
        model
            model of the run
        x
            (n_z, n_y, n_x) image after the last update, on the host
        """
        return x, 1.0

    def early_image(self, model: Any, x: Array) -> Array | None:
        """Return an image to show before a slow first update; it does not count as an update.

        Parameters
        ----------
        model
            a `SystemModel` or a `LinearModel`
        x
            (n_z, n_y, n_x) initial image, on the host or the device of the data

        Returns
        -------
        (n_z, n_y, n_x); None if the first update comes soon
        """
        return None

    @abstractmethod
    def run(self, model: Any, x: Array) -> Iterator[Iterate]:
        """Yield the image after each update.

        Parameters
        ----------
        model
            a `SystemModel` or a `LinearModel`
        x
            (n_z, n_y, n_x) initial image, on the device of the data; it is not written to

        Yields
        ------
        images without end; the driver stops after the planned updates
        """

    def resumed(self, model: Any, x: Array, done: int) -> Iterator[Iterate]:
        """Continue from an image after an interruption.

        By default the algorithm starts again from that image. Algorithms with subsets override this
        to continue with the next subset.

        Parameters
        ----------
        model
            a `SystemModel` or a `LinearModel`
        x
            (n_z, n_y, n_x) image after `done` updates
        done
            number of updates behind `x`
        """
        return self.run(model, x)

    def describe(self) -> str:
        """Return title, iterations and subsets as text."""
        # The number is a limit if the residual or the user can end the run.
        n, most = self.n_iterations, "at most " if self.may_end_early else ""
        iterations = "1 iteration" if n == 1 else f"{n} iterations"
        subsets = f" × {self.n_subsets} subsets" if self.n_subsets > 1 else ""
        return f"{self.title}, {most}{iterations}{subsets}"


COUNTS, LINE_INTEGRALS = "counts", "line integrals"


def with_added(own: tuple[type[Algorithm], ...], data: str) -> tuple[type[Algorithm], ...]:
    """Return our algorithms and those of plug-ins.

    Parameters
    ----------
    own
        our algorithms
    data
        `COUNTS` or `LINE_INTEGRALS`
    """

    def fits(one: type[Algorithm]) -> bool:
        if not set(one.data_kinds) or set(one.data_kinds) - {COUNTS, LINE_INTEGRALS}:
            raise PlugInError(
                f"{one.__name__}.data_kinds is {one.data_kinds!r}, but must contain {COUNTS!r}, "
                f"{LINE_INTEGRALS!r} or both"
            )
        return data in one.data_kinds

    return (*own, *added("algorithms", Algorithm, own=own, fits=fits))
