"""Calls of a profile as the timeline of the window shows them."""

from __future__ import annotations

from app.language.translation import named, tr
from app.run.profile_text import bytes_per_s
from app.ui.theme.formatting import count
from app.views.plots.timeline import Call
from engine.core.profiling import COMPUTING, COPYING, HOST, Profile, Span, lane_of

LANES = {COMPUTING: tr("Kernels"), COPYING: tr("Copies"), HOST: tr("Host")}


def calls_of(profile: Profile) -> list[Call]:
    """Return the newest calls of a run.

    Parameters
    ----------
    profile
        profile of a run

    Returns
    -------
    calls
        in the order of their starts; lanes are kernels and copies of a GPU, or threads of the CPU
    """
    titles = {stage.key: named(stage.title) for stage in profile.stages}
    return [
        Call(
            titles[span.key],
            _lane_name(span, profile),
            span.start_s,
            span.seconds,
            _tooltip_text(span, profile),
        )
        for span in profile.timeline
    ]


def _lane_name(span: Span, profile: Profile) -> str:
    lane = lane_of(span, profile)
    return LANES.get(lane) or tr("Thread {n}", n=span.thread + 1)


def _tooltip_text(span: Span, profile: Profile) -> str:
    parts = []
    if span.events:
        stage = profile.stage(span.key)
        parts.append(f"{count(span.events)} {named(stage.unit) if stage is not None else ''}")
    if span.bytes_per_s is not None:
        parts.append(bytes_per_s(span.bytes_per_s))
    return ", ".join(parts)
