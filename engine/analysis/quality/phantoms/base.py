"""Base class of phantoms: how to find one in an image, and which figures it gives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

from engine.analysis.quality.quality_report import Placement, QualityReport
from engine.data.volume import Volume

Measure = Callable[[Volume], QualityReport]
"""Measurement of a phantom at a fixed position, in any image of one grid."""
Followed = tuple[tuple[str, str], ...]
"""Group and name of figures."""


@dataclass(frozen=True)
class PhantomFacts:
    """Facts of a phantom in addition to its kind.

    Attributes
    ----------
    contrast : activity of hot spheres over that of the background
    cold : diameters of spheres without activity [mm]
    expected : true value of a uniform object, in the unit of the image; None: not known
    truth : image of the simulated phantom on any grid; None: not simulated
    at : position; None: search for it
    """

    contrast: float = 4.0
    cold: tuple[float, ...] = ()
    expected: float | None = None
    truth: Volume | None = None
    at: Placement | None = field(default=None)


class QualityPhantom(ABC):
    """A phantom whose layout is known.

    Attributes
    ----------
    kind : its key on the command line
    title : displayed name
    text : description of the measurement
    followed : group and name of the figures that are followed over iterations
    uses : names of the facts that change its figures
    """

    kind: ClassVar[str]
    title: ClassVar[str]
    text: ClassVar[str]
    followed: ClassVar[Followed] = ()
    uses: ClassVar[frozenset[str]] = frozenset()

    @abstractmethod
    def located(self, volume: Volume, facts: PhantomFacts) -> Measure:
        """Find the phantom, and return its measurement at this position.

        Parameters
        ----------
        volume
            image of the phantom
        facts
            facts in addition to the kind

        Raises
        ------
        DataError
            if the phantom is not found in the image
        SettingsError
            if the facts contradict the phantom
        """

    def measure(self, volume: Volume, facts: PhantomFacts) -> QualityReport:
        """Find the phantom and measure it; figures of an image with an error map have noise.

        Parameters
        ----------
        volume
            image of the phantom
        facts
            facts in addition to the kind

        Raises
        ------
        DataError
            if the phantom is not found in the image, or is too small for its regions
        SettingsError
            if the facts contradict the phantom
        """
        measure = self.located(volume, facts)
        report = measure(volume)
        if volume.error is None:
            return report
        from engine.analysis.quality.figure_noise import with_noise  # few images have errors

        return with_noise(report, volume, measure)
