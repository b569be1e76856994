"""The fastest forms of a card, path by path, as `resources/tuning` keeps them.

The search is that of `isocenter tune cone`: forms are held against the twin before their times
count, and compared with a form that is good on most cards. The work is the standard cube, or a
smaller one to rehearse.
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
from engine.tools.tuning.outcome import TriedForm
from engine.tools.tuning.problem import Value, Values
from engine.tools.tuning.session import TuningSession

STARTS: dict[str, BackVariant] = {
    "upright": BackVariant(path="upright"),
    "columns": BackVariant("memory", "columns", (WARP, 4), 16, projections="vcr"),
    "general": BackVariant(path="general"),
}
"""A form of each path to start from, and to compare with."""


class PathForms(DeviceBack):
    """The forms of one path.

    Parameters
    ----------
    on : a GPU
    work : what is projected back
    start : its path, and the form that others are compared with
    some : values of parameters, where fewer than all are wanted
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
        values["block_size_x"], values["block_size_y"] = start.block
        self.shipped = {name: values[name] for name in self.parameters}
        own = {"path": (start.path,)} | {n: (*v, self.shipped[n]) for n, v in some.items()}
        self.parameters |= {name: tuple(dict.fromkeys(values)) for name, values in own.items()}

    def timed(self, values: Values, seconds: float | None, fault: str = "") -> TimedForm:
        """Return a form with its time, as figures keep it."""
        return TimedForm(self._variant(values), seconds, fault)


def fastest_of_paths(
    on: Backend,
    work: FormsWork = STANDARD,
    *,
    budget_s: float = 60.0,
    starts: Mapping[str, BackVariant] = STARTS,
    some: Mapping[str, Sequence[Value]] | None = None,
) -> Plain:
    """Search for the fastest form of each path in turn; each has its part of the budget.

    Parameters
    ----------
    on
        a GPU
    work
        what is projected back
    budget_s
        time in all [s]
    starts
        a form of each path
    some
        values of parameters, where fewer than all are wanted

    Returns
    -------
    figures
        all forms that were tried, and the best of each path
    """
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
    """Search one path; returns all that was tried, the start first, and the best."""
    outcome = TuningSession(forms, budget_s=budget_s).run()
    start = forms.timed(forms.shipped, outcome.shipped_seconds)
    others: list[TriedForm] = [one for one in outcome.tried if one.values != forms.shipped]
    tried = [start, *(forms.timed(one.values, one.seconds, one.fault) for one in others)]
    if outcome.best is None or outcome.comparison is None:
        return tried, start
    seconds = outcome.comparison.ratio * outcome.shipped_seconds
    return tried, forms.timed(outcome.best, seconds)


def record_of_card(figures: Plain, on: Backend) -> Plain:
    """Return what `resources/tuning` keeps of a card, as `engine.kernels.tuning` reads it."""
    if on.gpu is None:
        raise ResourceError(f"{on.label}: kernels of a GPU cannot be measured on it.")
    facts = on.gpu.facts
    choices = []
    for upright in (True, False):
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
