"""Summary of a dual-head histogram: facts, and its sums on one line."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from engine.core.json_types import Plain
from engine.data.histogram import Histogram, with_settings
from engine.geometry.dual_head import DualHead
from engine.io.text.fact_labels import fact_of
from engine.modalities.scan_summary import Facts, ScanSummary


@dataclass(frozen=True, eq=False, kw_only=True)
class HistogramSummary(ScanSummary):
    """Summary of a histogram.

    Attributes
    ----------
    sums : the same counts on a scanner with a single line, for questions to corrections
    n_columns : number of values of each line
    rods : simulated Derenzo phantom; None if unknown
    """

    modality: ClassVar[str] = "dual-head"
    sums: Histogram
    n_columns: int = 1
    rods: Plain | None = None

    @classmethod
    def of(cls, data: Histogram) -> Self:
        """Return the facts and sums of a histogram.

        Parameters
        ----------
        data
            histogram as read
        """
        columns = (data.prompts, data.delayeds, data.additive, data.normalisation)
        lines = f"{data.scanner.n_lors:,} lines, {data.scanner.name}"
        return cls(
            text=f"{data.n_prompts:,.0f} prompts on {lines}",
            facts=_facts(data),
            notes=data.notes,
            scanner=data.scanner,
            sums=_summed(data),
            n_columns=sum(values is not None for values in columns),
            rods=data.info.get("rods"),
        )

    @property
    def brings(self) -> tuple[str, ...]:
        from engine.corrections.roles import EFFICIENCIES

        return () if self.sums.normalisation is None else (EFFICIENCIES.key,)

    @property
    def phantom(self) -> Plain | None:
        return self.rods


def sums_on_one_line(scanner: DualHead, n_prompts: float, n_delayeds: float) -> Histogram:
    """Return a histogram with all counts on a single line.

    Parameters
    ----------
    scanner
        scanner of the counts
    n_prompts
        total number of prompts
    n_delayeds
        total number of delayeds; 0 for none
    """
    # The smallest scanner of this type: corrections ask about totals, not about lines.
    one = with_settings(scanner, n_rows=1, n_columns=1, n_layers=1, block_crystals=1)
    delayeds = np.full(1, n_delayeds, np.float32) if n_delayeds else None
    return Histogram(one, np.full(1, n_prompts, np.float32), delayeds)


def _summed(data: Histogram) -> Histogram:
    # Corrections only test if a column exists, so 1 stands for its values.
    there = np.ones(1, np.float32)
    return replace(
        sums_on_one_line(data.scanner, data.n_prompts, data.n_delayeds),
        additive=None if data.additive is None else there,
        normalisation=None if data.normalisation is None else there,
    )


def _facts(data: Histogram) -> Facts:
    facts = (
        ("Prompts", f"{data.n_prompts:,.0f}"),
        ("Delayeds", f"{data.n_delayeds:,.0f}" if data.delayeds is not None else "none"),
        ("Lines of response", f"{data.scanner.n_lors:,}"),
        ("Lines with counts", f"{int(np.count_nonzero(data.prompts)):,}"),
        ("Duration", f"{data.duration_s:.1f} s" if data.duration_s else "not recorded"),
        ("Scanner", data.scanner.name),
        ("Crystals", data.scanner.describe()),
    )
    return facts + tuple(fact_of(key, v) for key, v in data.info.items() if v)
