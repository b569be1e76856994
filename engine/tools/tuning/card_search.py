"""Fastest variants of a GPU for each code path, as stored in `resources/tuning`.

The search is that of `isocenter tune cone`: results are compared with the CPU before times count,
and times with a variant that is good on most GPUs. The problem is the standard cube, or a smaller
one for a rehearsal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime

from engine.core.backend import Backend
from engine.core.errors import ResourceError
from engine.core.json_types import Plain
from engine.kernels.cone.cone_variants import WARP, BackVariant
from engine.tools.benchmark.cone.blocks import TimedForm
from engine.tools.benchmark.cone.variants import FormsWork
from engine.tools.tuning.device_cone import STANDARD, DeviceBack
from engine.tools.tuning.outcome import TriedVariant
from engine.tools.tuning.problem import Value, Values
from engine.tools.tuning.session import TuningSession

STARTS: dict[str, BackVariant] = {
    "upright": BackVariant(path="upright"),
    "columns": BackVariant("memory", "columns", (WARP, 4), 16, projections="vcr"),
    "general": BackVariant(path="general"),
}
"""Start and reference variant of each code path."""


class PathForms(DeviceBack):
    """Variants of one code path.

    Parameters
    ----------
    on
        GPU
    work
        scan and volume
    start
        code path, and the variant for comparison
    some
        values of some parameters, instead of all
    """

    def __init__(
        self,
        on: Backend,
        work: FormsWork,
        start: BackVariant,
        some: Mapping[str, Sequence[Value]],
    ) -> None:
        super().__init__(on, work)
        values = asdict(start)
        # Kernel Tuner knows block sizes by these names
        values["block_size_x"], values["block_size_y"] = start.block
        self.shipped = {name: values[name] for name in self.parameters}
        # The start's own values stay possible, even if `some` lacks them
        own = {"path": (start.path,)} | {n: (*v, self.shipped[n]) for n, v in some.items()}
        self.parameters |= {name: tuple(dict.fromkeys(values)) for name, values in own.items()}

    def timed(self, values: Values, seconds: float | None, fault: str = "") -> TimedForm:
        """Return a variant with its time, in the form for figures.

        Parameters
        ----------
        values
            parameters of the variant
        seconds
            time of one run; None if it failed
        fault
            reason of a failure
        """
        return TimedForm(self._variant(values), seconds, fault)


def fastest_of_paths(
    on: Backend,
    work: FormsWork = STANDARD,
    *,
    budget_s: float = 60.0,
    starts: Mapping[str, BackVariant] = STARTS,
    some: Mapping[str, Sequence[Value]] | None = None,
) -> Plain:
    """Search for the fastest variant of each code path; each gets a share of the time.

    Parameters
    ----------
    on
        GPU
    work
        scan and volume
    budget_s
        total time [s]
    starts
        variant of each code path
    some
        values of some parameters, instead of all

    Returns
    -------
    figures
        all tried variants, and the best of each code path
    """
    # Paths compete separately: which one applies depends on the detector
    rows, best = [], []
    for start in starts.values():
        forms = PathForms(on, work, start, some or {})
        tried, fastest = _searched(forms, budget_s / len(starts))
        rows += tried
        best.append(fastest)
    return {
        "workload": "cone beam, a full circle; one launch after another, without the host",
        "size": work.size,
        "n_views": work.n_views,
        "detector": list(work.detector),
        "rows": [each.as_row(work.n_updates) for each in rows],
        "best": [each.as_row(work.n_updates) for each in best],
        "bars": [],
    }


def _searched(forms: PathForms, budget_s: float) -> tuple[list[TimedForm], TimedForm]:
    """Search one code path; return all tried variants, the start first, and the best."""
    outcome = TuningSession(forms, budget_s=budget_s).run()
    start = forms.timed(forms.shipped, outcome.shipped_seconds)
    others: list[TriedVariant] = [one for one in outcome.tried if one.values != forms.shipped]
    tried = [start, *(forms.timed(one.values, one.seconds, one.fault) for one in others)]
    if outcome.best is None or outcome.comparison is None:
        return tried, start
    # From the paired comparison, which is more precise than a single time
    seconds = outcome.comparison.ratio * outcome.shipped_seconds
    return tried, forms.timed(outcome.best, seconds)


def record_of_card(figures: Plain, on: Backend) -> Plain:
    """Return the tuning record of a GPU, in the form for `engine.kernels.tuning`.

    Parameters
    ----------
    figures
        result of `fastest_of_paths`
    on
        measured GPU
    """
    if on.gpu is None:
        raise ResourceError(
            f"{on.label} is not a GPU, so GPU kernels cannot be measured on it; choose a GPU."
        )
    facts = on.gpu.facts
    choices = []
    for upright in (True, False):
        # Upright detectors can use all paths, tilted ones only the general path
        rows = [r for r in figures["best"] if (r["variant"]["path"] != "general") == upright]
        if rows:
            one = max(rows, key=lambda row: row["gups"])
            choices.append({"upright": upright, "gups": one["gups"], "variant": one["variant"]})
    return {
        "device": facts.name,
        "compute_capability": facts.compute_capability,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "workload": figures["workload"],
        "size": figures["size"],
        "n_views": figures["n_views"],
        "detector": figures["detector"],
        "cone_back": choices,
        "cone_back_tried": figures["rows"],
    }
