"""Base class of algorithms: settings and a generator of images."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from engine.core.arrays import Array, module_of, to_host
from engine.core.settings import Settings
from engine.recon.algorithms.subsets import CountDemand
from engine.recon.filtering.settings import FilterSettings

if TYPE_CHECKING:
    from engine.recon.model import Model

Change = Callable[[Array], Array]
Figures = tuple[float, int]
"""Log-likelihood, and rows that are skipped because nothing is expected on them.

Of line integrals, the squared residual of a pass over subsets instead of the first.
"""
NO_FIGURES: Figures = (0.0, 0)


@dataclass(frozen=True, eq=False)
class Iterate:
    """The image after one update, as an algorithm yields it.

    Attributes
    ----------
    x : (n_z, n_y, n_x) the image, of numpy or of a GPU
    measure : gives ‖A x − y‖ / ‖y‖ for less than a projection; of a pass over subsets it may be
        that of the images they came upon; None: the model is asked
    ends : why no further iteration would help; empty if one would
    """

    x: Any
    measure: Callable[[], float] | None = None
    ends: str = ""

    is_reused: ClassVar[bool] = False
    """True if the algorithm goes on from what `changed` makes of the image."""

    @property
    def image(self) -> Array:
        """(n_z, n_y, n_x) on the host; it may be gone once the next iterate is drawn."""
        image: Array = to_host(self.x)
        return image

    @property
    def is_finite(self) -> bool:
        """True if the image holds numbers only."""
        return bool(module_of(self.x).isfinite(self.x).all())

    def figures(self, before: Figures) -> Figures | None:
        """Add what the updates told since the last call to `before`; None where they tell none."""
        return None

    def residual_of(self, figures: Figures) -> float | None:
        """Return ‖A x − y‖ / ‖y‖ by the figures of a pass; None where they tell something else."""
        return None

    def changed(self, change: Change) -> Iterate:
        """Return the iterate that `change` makes of the image, where it lives."""
        return Iterate(change(self.x))


class WorkingMemory(NamedTuple):
    """Arrays of float32 that an algorithm has at once, temporaries too.

    Attributes
    ----------
    volumes : images
    projections : sets of all projections
    in_chunks : sets of projections of which a GPU has some views at a time: textures; and rows that
        are filtered, twice as long, and their spectra
    """

    volumes: float
    projections: float
    in_chunks: float = 0


class Algorithm(Settings):
    """Settings of an algorithm; `run` is the mathematics.

    `kind`, `title` and `run` make one, with the setting `iterations` where it iterates and
    `subsets` where it takes the data in parts. Whatever else a run wants of it, to go on after an
    interruption, filters between iterations, figures, previews and an early end, is the work of
    `engine.recon.algorithms.driver`.
    """

    title: ClassVar[str]
    direct: ClassVar[bool] = False
    """True if the image comes in one step, whatever it starts from."""
    passes: ClassVar[int] = 2
    """Projections and back projections of the rows of an update."""
    memory: ClassVar[WorkingMemory] = WorkingMemory(8, 6, 2)
    """Arrays that are alive at once; unless an algorithm knows better, room for most."""
    kind: Any = None
    """Its name in files: a Literal in each algorithm."""

    @property
    def n_iterations(self) -> int:
        """Passes over all the data: the setting `iterations`, one where there is none."""
        return int(getattr(self, "iterations", 1))

    @property
    def n_subsets(self) -> int:
        """Updates in each iteration: the setting `subsets`, one where there is none."""
        return int(getattr(self, "subsets", 1))

    @property
    def updates_between_filters(self) -> int:
        """Updates after which filters between iterations act: those of an iteration."""
        return self.n_subsets

    @property
    def n_passes(self) -> int:
        """Projections and back projections of all rows in a run, at most, preparations included.

        After each iteration the model is asked how well the image explains the data, which is one.
        """
        return (self.passes + 1) * self.n_iterations

    @property
    def passes_before(self) -> int:
        """Projections and back projections before the first update, at most, in subsets too."""
        return 0

    @property
    def may_end_early(self) -> bool:
        """True if a run may end before its last iteration."""
        return False

    def least_slices(self, n_slices: int) -> int:
        """Return how many of the slices of an image an update needs together, in memory."""
        return min(1, n_slices)

    @property
    def filter(self) -> FilterSettings | None:
        """Row filter of a direct back projection; None for iterative algorithms."""
        return None

    def scaled(self, factor: float) -> Self:
        """Return the algorithm with so many times the iterations, and one at least."""
        n = max(1, round(self.n_iterations * factor))
        return self.model_copy(update={"iterations": n})

    def for_counts(self, demand: CountDemand, *, n_updates: int | None = None) -> Algorithm:
        """Return the algorithm with the subsets and passes that it leaves to the scan.

        Parameters
        ----------
        demand
            counts of the data that are reconstructed, and those that a subset needs
        n_updates
            updates that fit the scan; None: the algorithm's own number
        """
        return self

    def completed(self, model: Model, x: Array) -> tuple[Array, float]:
        """Return the final image of a run that ends with `x`, and its scale against `x`.

        Parameters
        ----------
        model
            model of the run
        x
            (n_z, n_y, n_x) image after the last update, on the host
        """
        return x, 1.0

    @abstractmethod
    def run(self, model: Any, x: Array) -> Iterator[Iterate]:
        """Yield the image after each update, from the image `x`.

        Parameters
        ----------
        model
            a `SystemModel` or a `LinearModel`
        x
            (n_z, n_y, n_x) image to start from, where the data lie; it is not written to
        """

    def resumed(self, model: Any, x: Array, done: int) -> Iterator[Iterate]:
        """Go on from `x` with `done` updates behind it; to begin anew from there is enough.

        Algorithms override it that treat updates differently, as by subsets.
        """
        return self.run(model, x)

    def describe(self) -> str:
        """Plain words."""
        most = "at most " if self.may_end_early else ""
        iterations = f"{self.n_iterations} iteration{'s' if self.n_iterations > 1 else ''}"
        subsets = f" × {self.n_subsets} subsets" if self.n_subsets > 1 else ""
        return f"{self.title}, {most}{iterations}{subsets}"
