"""Summary of sinograms: facts, and a sample of bins for the corrections."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from engine.data.histogram import total
from engine.data.sinogram import DELAYEDS, Sinogram
from engine.geometry.sinogram_layout import Segment, SinogramLayout
from engine.io.text.fact_labels import fact_of
from engine.modalities.scan_summary import Facts, ScanSummary


@dataclass(frozen=True, eq=False, kw_only=True)
class SinogramSummary(ScanSummary):
    """Summary of sinograms of a ring scanner.

    Attributes
    ----------
    layout : layout of all bins
    sums : the same counts in a single bin, for questions to corrections
    n_timed : number of TOF bins with counts; 0 without time of flight
    """

    modality: ClassVar[str] = "pet-sinogram"
    layout: SinogramLayout
    sums: Sinogram
    n_timed: int = 0

    @classmethod
    def of(cls, data: Sinogram) -> Self:
        """Return the facts of a sinogram, and its sum.

        Parameters
        ----------
        data
            sinogram as read
        """
        return cls(
            text=f"{data.n_prompts:,.0f} counts, {data.scanner.name}",
            facts=_facts(data),
            notes=data.notes,
            scanner=data.scanner,
            layout=data.layout,
            sums=_summed(data),
            n_timed=0 if data.timed is None else len(data.timed.counts),
        )

    @property
    def brings(self) -> tuple[str, ...]:
        return tuple(self.sums.auxiliary)


def _summed(data: Sinogram) -> Sinogram:
    # One bin with the same headers: corrections ask about headers and totals, not about bins.
    one = SinogramLayout(data.scanner, (Segment(0, 0, 1),), 1, 1, data.layout.bin_mm)
    sums = {key: np.full(1, total(values), np.float32) for key, values in data.auxiliary.items()}
    counts = np.full(1, data.n_prompts, np.float32)
    return replace(data, layout=one, prompts=counts, auxiliary=sums, timed=None)


def _facts(data: Sinogram) -> Facts:
    facts = (
        ("Counts", f"{data.n_prompts:,.0f}"),
        *_delayeds(data),
        ("Bins", data.layout.describe()),
        *((("Times of flight", data.times_of_flight),) if data.times_of_flight else ()),
        ("Duration", f"{data.duration_s:.1f} s" if data.duration_s else "not recorded"),
        ("Scanner", data.scanner.name),
        ("Crystals", data.scanner.describe()),
    )
    return facts + tuple(fact_of(key, v) for key, v in data.info.items() if v)


def _delayeds(data: Sinogram) -> Facts:
    found = data.auxiliary.get(DELAYEDS)
    return () if found is None else (("Delayeds", f"{total(found):,.0f}"),)
