"""What becomes of the layers of crystals of two panels: a choice of the protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from engine.core.settings import Settings, setting
from engine.data.histogram import one_layer
from engine.geometry.dual_head import DualHead


class DepthLayers(Settings):
    """Choose whether the depth of interaction is used, where panels tell it.

    Examples
    --------
    >>> import engine
    >>> from engine.data.histogram import with_settings
    >>> two = with_settings(engine.read_scanner("test-panels"), n_layers=2)
    >>> DepthLayers().scanner_for(two).n_lors, DepthLayers(use="together").scanner_for(two).n_lors
    (2304, 576)
    """

    use: Literal["apart", "together"] = setting(
        "apart",
        "Layers of crystals: lines and a response of their own for each pair of layers, or all "
        "events together, as of one thick layer",
        label="Layers of crystals",
    )

    def scanner_for(self, scanner: DualHead, given: DualHead | None = None) -> DualHead:
        """Return the panels as their lines are counted.

        given : whose response the study brings; one of a single layer takes all of them together
        """
        together = self.use == "together" or (given is not None and given.settings.n_layers == 1)
        return one_layer(scanner) if together else scanner

    def describe(self, scanner: DualHead, counted: DualHead) -> str:
        """Plain words; empty where the panels have one layer."""
        n = scanner.settings.n_layers
        if n == 1:
            return ""
        if counted.settings.n_layers == n:
            return f"each of the {n * n} pairs of layers has lines and a response of its own"
        why = "as chosen" if self.use == "together" else "as the response given is of one layer"
        return f"all {n} layers are counted together, {why}: depth does not sharpen the image"


def given_panels(path: Path | None) -> DualHead | None:
    """Return whose response a file holds; None where there is no file."""
    from engine.io.hdf5.response import read_response_scanner

    return None if path is None else read_response_scanner(path)
