"""Protocol setting for the crystal layers of two panels."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from engine.core.settings import Settings, setting
from engine.data.histogram import one_layer
from engine.geometry.dual_head import DualHead


class DepthLayers(Settings):
    """Use of the depth of interaction, for panels that measure it.

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
        "Treat each pair of crystal layers separately, with its own lines and "
        "response, or combine all events as if there were one thick layer",
        label="Crystal layers",
    )

    def scanner_for(self, scanner: DualHead, given: DualHead | None = None) -> DualHead:
        """Return the panels as their lines are counted.

        Parameters
        ----------
        scanner
            panels with all layers
        given
            scanner of the response of the study; with one layer, all layers are combined
        """
        # A matrix with one layer has no lines for pairs of layers, whatever the protocol asks for.
        combined = self.use == "together" or (given is not None and given.settings.n_layers == 1)
        return one_layer(scanner) if combined else scanner

    def describe(self, scanner: DualHead, counted: DualHead) -> str:
        """Return the use of the layers as a clause; empty for panels with one layer.

        Parameters
        ----------
        scanner
            panels with all layers
        counted
            panels as their lines are counted
        """
        n = scanner.settings.n_layers
        if n == 1:
            return ""
        # Compare with the result, because a stored response can override the protocol.
        if counted.settings.n_layers == n:
            return f"each of the {n * n} pairs of layers has its own lines and response"
        if self.use == "together":
            return f"the protocol combines all {n} layers, so depth does not improve the resolution"
        return (
            f"all {n} layers are combined, because the response matrix has one layer; depth does "
            "not improve the resolution"
        )


def given_panels(path: Path | None) -> DualHead | None:
    """Return the scanner of the response in a file; None if there is no file."""
    from engine.io.hdf5.response import read_response_scanner

    return None if path is None else read_response_scanner(path)
