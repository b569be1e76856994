"""Base class of corrections: settings for one effect of object, source or detector.

The effects of list mode are of three kinds, and each correction is one of them:

- `Multiplicative`: a factor w of the lines of response. Expected counts of line i are
  w_i Σ_n A_in f_n. Events, sensitivity and the cache key of the sensitivity all use it.
- `Additive`: counts c_i that are expected on the line in addition.
- `Correction` itself: new data, such as projections without rings.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, Protocol, Self, TypeVar

from engine.core.arrays import Array
from engine.core.errors import DataError
from engine.core.json_types import Plain
from engine.core.plugins import PlugInError, added
from engine.core.settings import Settings, setting
from engine.data.input_role import InputRole

if TYPE_CHECKING:
    from engine.core.backend import Backend

Use = Literal["auto", "on", "off"]
NOT_WITHOUT = (
    "This correction is set to 'on' but cannot be applied. To continue without it, switch it off."
)


class Counts(Protocol):
    """Measured counts that can take line factors and expected background."""

    @property
    def auxiliary(self) -> Any:
        """Contents of auxiliary files by the key of their role."""

    def with_factor(self, factor: Any, *, on: Backend) -> Self:
        """Return the counts with one more factor on their lines.

        Parameters
        ----------
        factor
            a `LineFactor` for list mode, one value for each line or bin otherwise
        on
            device that evaluates the factor
        """

    def with_background(self, expected: Array) -> Self:
        """Return the counts with more expected counts on their lines.

        Parameters
        ----------
        expected
            counts expected in each row of the data; they are added to those already there
        """


D = TypeVar("D")
C = TypeVar("C", bound=Counts)


class Correction(Settings, Generic[D]):
    """One effect on data of type D: counts, or projections.

    `use` is "auto" (applied where the scan allows it), "on" (refuse to run without) or "off".

    Attributes
    ----------
    title : displayed name
    kind : its key in protocols
    inputs : auxiliary files that it reads
    on_demand : True if it does nothing until the user enters something
    runs_before : `kind` of the correction before which one of a plug-in runs; "": it runs last
    doubt_is_assumption : True if a doubt means that a value of the scan was assumed
    since : first version of protocols with this correction. Older protocols that do not name it
        leave it off; None if every protocol must name it
    """

    title: ClassVar[str]
    kind: ClassVar[str]
    inputs: ClassVar[tuple[InputRole, ...]] = ()
    on_demand: ClassVar[bool] = False
    runs_before: ClassVar[str] = ""
    doubt_is_assumption: ClassVar[bool] = False
    since: ClassVar[int | None] = None
    use: Use = setting(
        "auto",
        "Apply this correction if possible (auto), always (on) or never (off)",
        label="Apply",
    )

    @classmethod
    def as_of(cls, version: int) -> Plain:
        """Return the settings that reproduce this correction in protocols of an old version.

        Parameters
        ----------
        version
            version number of a protocol that does not name this correction

        Returns
        -------
        settings
            settings that differ from today's defaults; empty if the defaults have not changed
        """
        return {}

    @abstractmethod
    def obstacle(self, data: D, /) -> str | None:
        """Return why this scan cannot be corrected.

        Parameters
        ----------
        data
            scan before this correction

        Returns
        -------
        obstacle
            the problem with its remedy as a clause without a full stop; None if the correction can
            run
        """

    @abstractmethod
    def apply(self, data: D, /, *, on: Backend) -> D:
        """Return the data without this effect, or with it described.

        Parameters
        ----------
        data
            scan before this correction
        on
            device that computes

        Returns
        -------
        data
            a copy. Counts themselves never change; factors and background do.
        """

    @abstractmethod
    def summary(self, before: D, after: D, /) -> str:
        """Describe what `apply` did, with numbers and units.

        Parameters
        ----------
        before
            the data given to `apply`
        after
            the data it returned

        Returns
        -------
        summary
            one line for the log and the report, without a full stop
        """

    def refusal(self, obstacle: str, /) -> DataError:
        """Return the error of a correction that is set to "on" but cannot be applied.

        Parameters
        ----------
        obstacle
            text of `obstacle`, or of a further check
        """
        return DataError(f"{self.title}: {obstacle}. {NOT_WITHOUT}")

    def is_needless(self, data: D, /) -> bool:
        """Return True if the data are complete without this correction, despite an obstacle.

        Parameters
        ----------
        data
            scan before this correction

        Returns
        -------
        is_needless
            False by default, so that the user sees the obstacle as something missing
        """
        # A step that waits for input of the user is not missing anything.
        return self.on_demand

    def doubt(self, before: D, after: D, /) -> str:
        """Return why the user should check what `apply` did; empty if there is no reason.

        The sentence becomes a warning about this correction, which then has no green mark.

        Parameters
        ----------
        before
            the data given to `apply`
        after
            the data it returned
        """
        return ""


class Multiplicative(Correction[C]):
    """An effect that changes the detection probability of photon pairs on a line."""

    @abstractmethod
    def factor(self, data: C, /, *, on: Backend) -> Any:
        """Return the factor of the lines.

        For list mode a `LineFactor`, which knows its value on every line of the scanner; for
        histograms an array with one value for each line.
        """

    def apply(self, data: C, /, *, on: Backend) -> C:
        """Return the counts with `factor` on their lines, in addition to earlier factors.

        Returns
        -------
        data
            the same events or histogram; sensitivity and events will both use the factor
        """
        return data.with_factor(self.factor(data, on=on), on=on)


class Additive(Correction[C]):
    """An effect that adds counts to the lines."""

    @abstractmethod
    def expected(self, data: C, /, *, on: Backend) -> Array:
        """Return the counts expected in each row of the data: events, or lines of a histogram.

        Parameters
        ----------
        data
            counts with all factors applied so far
        on
            device that computes

        Returns
        -------
        expected
            (n,) counts in the whole frame, not a rate
        """

    def apply(self, data: C, /, *, on: Backend) -> C:
        """Return the counts with `expected` added to their background.

        Returns
        -------
        data
            the same counts; nothing is subtracted, so the data stay Poisson distributed
        """
        return data.with_background(self.expected(data, on=on))


AnyCorrection = Correction[Any]
"""A correction or step for any type of data."""


def defaults_of(kind: type[AnyCorrection], version: int) -> Plain:
    """Return the settings of a correction that a protocol of some version does not name.

    Parameters
    ----------
    kind
        class of the correction
    version
        version number of the protocol

    Returns
    -------
    defaults
        its settings at that time; "off" if the correction did not exist yet
    """
    # A correction added later must stay off in old protocols: they have to give the same image.
    is_known = kind.since is not None and kind.since <= version
    return kind.as_of(version) if is_known else {"use": "off"}


def inputs_of(kinds: Sequence[type[AnyCorrection]]) -> tuple[InputRole, ...]:
    """Return the auxiliary inputs that corrections declare, each once, in their order.

    Parameters
    ----------
    kinds
        classes of corrections

    Returns
    -------
    inputs
        roles without duplicates; corrections of list mode and histograms share some
    """
    # A dict preserves insertion order, so the window lists files in the order of the corrections.
    roles = (role for kind in kinds for role in kind.inputs)
    return tuple({role.key: role for role in roles}.values())


K = TypeVar("K", bound=Correction[Any])
UNITS = "units"
"""Kind of the correction that runs last: its factor is valid for all others before it."""
DATA = ("ListMode", "Histogram", "Sinogram")
"""Classes of counts that corrections of plug-ins can have."""


def with_added(own: tuple[type[Correction[Any]], ...], data: type) -> tuple[Any, ...]:
    """Return our corrections of counts together with those of plug-ins.

    Parameters
    ----------
    own
        corrections in the order in which they run
    data
        class of the counts: `ListMode`, `Histogram` or `Sinogram`
    """

    def fits(one: type[Correction[Any]]) -> bool:
        found = _data_of(one)
        if found is None or found.__name__ not in DATA:
            raise PlugInError(
                f"{one.__name__} must extend a correction of {', '.join(DATA)}, such as "
                "Multiplicative[ListMode]"
            )
        return found is data

    new = added("corrections", Correction, own=own, fits=fits)
    return in_order(own, new, last=UNITS)


def in_order(
    own: tuple[type[K], ...], new: tuple[type[K], ...], last: str = ""
) -> tuple[type[K], ...]:
    """Return corrections in the order in which they run.

    Parameters
    ----------
    own
        our corrections in their order
    new
        further ones. Each runs before the one that its `runs_before` names, and otherwise last
    last
        kind of ours that stays last; "" if there is none
    """
    order = list(own)
    for one in new:
        kinds, place = [each.kind for each in order], one.runs_before or last
        order.insert(kinds.index(place) if place in kinds else len(order), one)
    return tuple(order)


def _data_of(one: type[Any]) -> type | None:
    """Return the class D of a `Correction[D]`."""
    for base in one.__mro__:
        arguments = getattr(base, "__pydantic_generic_metadata__", {}).get("args", ())
        if arguments and isinstance(arguments[0], type):
            return arguments[0]
    return None
