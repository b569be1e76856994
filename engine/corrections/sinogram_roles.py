"""Auxiliary sinograms: factors and expected counts in the bins of the scan."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from engine.corrections.roles import ATTENUATION_MAP, POINT_SPREAD
from engine.data.input_role import InputRole, with_auxiliary

if TYPE_CHECKING:
    from engine.data.bin_values import BinValues
    from engine.data.sinogram import Sinogram


# Bins can only be checked against the layout of the scan, so the scanner is not used here.
def _read(path: Path, _scanner: object) -> BinValues:
    from engine.io.bin_files import read_bin_values

    return read_bin_values(path)


def _attach(
    key: str, title: str, *, is_factor: bool, in_time: bool
) -> Callable[[Sinogram, BinValues], Sinogram]:
    def attach(data: Sinogram, content: BinValues) -> Sinogram:
        # The command line lists these roles for every kind of scan; only sinograms need these.
        from engine.data.bin_values import StatedBins
        from engine.data.sinogram import DELAYEDS, NORMALISED

        # An estimate in stated bins can be of several kinds; for this role it means randoms.
        if key == DELAYEDS and isinstance(content, StatedBins):
            content = content.randoms()
        values = content.of(data.layout, title, is_factor=is_factor)
        # Some normalisation files mark dead bins by negative factors.
        if is_factor and content.negative_is_dead:
            values = np.maximum(values, 0)
        # The timed counts have their own column, because their bins differ from those of `values`.
        if in_time and data.timed is not None:
            expected = content.for_timed_counts(data.timed, data.layout, title)
            if expected is not None:
                data = replace(data, timed=data.timed.with_estimate(key, expected))
        # Remember that the values refer to normalised counts, so that they can be converted back.
        if not is_factor and content.normalised:
            data = replace(data, info={**data.info, NORMALISED: (*data.normalised, key)})
        return with_auxiliary(data, key, values)

    return attach


def _role(
    key: str,
    title: str,
    text: str,
    without: str,
    *,
    is_factor: bool = False,
    in_time: bool = False,
) -> InputRole:
    return InputRole(
        key=key,
        title=title,
        text=text,
        without=without,
        suffixes=(".hs", ".hdr", ".nhdr", ".a", ".s"),
        read=_read,
        describe=lambda content: content.describe(),
        attach=_attach(key, title, is_factor=is_factor, in_time=in_time),
        summary=lambda content: content.summary(),
    )


NORMALISATION = _role(
    "normalisation_sinogram",
    "Normalisation factors",
    "Sinogram of the factors that multiply the counts",
    "Normalisation as a sinogram. Without it, all bins have the same efficiency.",
    is_factor=True,
)
ATTENUATION = _role(
    "attenuation_sinogram",
    "Attenuation factors",
    "Sinogram of the attenuation correction factors",
    "Attenuation as a sinogram. Without it, the μ-map is used, if there is one.",
    is_factor=True,
)
RANDOMS = _role(
    "randoms_sinogram",
    "Randoms",
    "Sinogram of the expected or delayed random coincidences",
    "Randoms as a sinogram. Without it, randoms stay in the image.",
)
SCATTER = _role(
    "scatter_sinogram",
    "Scatter",
    "Sinogram of the expected scattered coincidences",
    "Scatter as a sinogram. Without it, scatter is simulated, if there is a μ-map.",
    in_time=True,
)

SINOGRAM_ROLES: tuple[InputRole, ...] = (
    NORMALISATION,
    ATTENUATION,
    ATTENUATION_MAP,
    RANDOMS,
    SCATTER,
    POINT_SPREAD,
)
"""Files of the corrections of sinograms, in the order of the corrections."""
