"""PET images as the views show them: in SUV where all facts are known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from weakref import ref

from engine.analysis.quality import in_suv, why_no_suv
from engine.data import Plain, Volume


class SuvImages:
    """Converts images in Bq/mL to SUV by body weight, and finds the original of each.

    Attributes
    ----------
    is_on : False shows all images in their own unit
    """

    def __init__(self) -> None:
        self.is_on = True
        # Weak: a volume of a gigabyte must not stay because it was shown once.
        self._pairs: list[tuple[ref[Volume], ref[Volume]]] = []

    def shown(self, volume: Volume, whole: Plain | None = None) -> Volume:
        """Return an image as the views show it.

        Parameters
        ----------
        volume
            any volume
        whole
            provenance of the whole image, for a time frame that states no facts itself

        Returns
        -------
        its SUV; the volume itself without all facts, or in another unit
        """
        if not self.is_on:
            return volume
        source = _with_facts(volume, whole)
        if why_no_suv(source):
            return volume
        self._pairs = [pair for pair in self._pairs if pair[0]() and pair[1]()]
        for original, converted in self._pairs:
            known = converted()
            if original() is volume and known is not None:
                return known
        made = in_suv(source)
        self._pairs.append((ref(volume), ref(made)))
        return made

    def converter(self, whole: Plain | None = None) -> Callable[[Volume], Volume]:
        """Return a function that converts images as `shown` does, for another thread.

        Parameters
        ----------
        whole
            provenance of the whole image, for time frames that state no facts themselves

        Returns
        -------
        function that returns the SUV of an image, or the image itself
        """
        is_on = self.is_on

        def convert(volume: Volume) -> Volume:
            source = _with_facts(volume, whole)
            return in_suv(source) if is_on and not why_no_suv(source) else volume

        return convert

    def original(self, shown: Volume | None) -> Volume | None:
        """Return the image behind a shown one; the argument itself if it was not converted.

        Parameters
        ----------
        shown
            volume of a view; None for none
        """
        for original, converted in self._pairs:
            if shown is not None and converted() is shown:
                return original() or shown
        return shown


def _with_facts(volume: Volume, whole: Plain | None) -> Volume:
    """Return an image with the facts of its run if it states none itself."""
    return replace(volume, info=whole) if whole and "scan" not in volume.info else volume
