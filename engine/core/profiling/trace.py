"""The timeline of a profile in the trace format that Chrome, Edge and Perfetto display.

Format: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
("Trace Event Format", JSON object form, complete events).
"""

from __future__ import annotations

from engine.core.json_types import Plain
from engine.core.profiling.profile import ON_THE_BUS, ON_THE_HOST, TITLES, Profile, Span

MICROSECONDS = 1e6
COMPUTING, COPYING, HOST = "Kernels", "Copies", "Host"
"""Lanes of a run on a GPU."""


def lane_of(span: Span, profile: Profile) -> str:
    """Return the lane of a call: kernels, copies and host of a GPU, or a thread of the CPU.

    Parameters
    ----------
    span
        call of the timeline
    profile
        profile that it belongs to
    """
    if profile.device.kind != "cuda":
        return f"Thread {span.thread + 1}"
    if span.key in ON_THE_HOST:
        return HOST
    return COPYING if span.key in ON_THE_BUS else COMPUTING


def trace_of(profile: Profile, title: str = "") -> Plain:
    """Return the timeline as a Chrome trace.

    Parameters
    ----------
    profile
        profile with its timeline
    title
        name of the run

    Returns
    -------
    trace
        JSON values; times are in microseconds, rates in bytes per second
    """
    lanes: dict[str, int] = {}
    calls = []
    for span in profile.timeline:
        lane = lane_of(span, profile)
        facts = {"events": span.events, "bytes": span.bytes, "bytes_per_s": span.bytes_per_s}
        calls.append(
            {
                "name": TITLES[span.key],
                "cat": span.key,
                "ph": "X",
                "ts": MICROSECONDS * span.start_s,
                "dur": MICROSECONDS * span.seconds,
                "pid": 1,
                "tid": lanes.setdefault(lane, len(lanes) + 1),
                "args": {key: value for key, value in facts.items() if value},
            }
        )
    names = [_named("process_name", 1, 0, f"{profile.device.name}: {title}".removesuffix(": "))]
    names += [_named("thread_name", 1, number, lane) for lane, number in lanes.items()]
    left_out = profile.n_calls - len(profile.timeline)
    other = {"device": profile.device.name, "calls_left_out": left_out}
    return {"traceEvents": [*names, *calls], "displayTimeUnit": "ms", "otherData": other}


def _named(what: str, process: int, thread: int, name: str) -> Plain:
    return {"name": what, "ph": "M", "pid": process, "tid": thread, "args": {"name": name}}
