"""Rates, latency, losses and memory of a running scan, as a small table."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QGridLayout, QWidget

from app.look.formatting import count
from app.look.widgets import label
from app.views.plain_text import plain_tip

if TYPE_CHECKING:
    from engine.live import LiveStatistics

NONE = "–"
ROWS = (
    ("Frames in", "Projections that came in a second"),
    ("Slices out", "Times in a second that the slices were made anew"),
    ("Latency", "From the arrival of a frame to the slices that have it: median, and 99 of 100"),
    ("Frames", "Projections that came, and those lost or left out because others were newer"),
    ("Views", "What the slices are made of, and the angle it covers"),
    ("Memory", "Of views and slices"),
)


class LiveFigures(QWidget):
    """One figure in a row."""

    def __init__(self) -> None:
        super().__init__()
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(3)
        grid.setColumnStretch(1, 1)
        self._values = [label(NONE, "number") for _ in ROWS]
        for k, (title, tip) in enumerate(ROWS):
            caption = label(title, "caption")
            for widget in (caption, self._values[k]):
                widget.setToolTip(plain_tip(tip))
            grid.addWidget(caption, k, 0)
            grid.addWidget(self._values[k], k, 1)

    def show_figures(self, figures: LiveStatistics | None) -> None:
        """Show figures of a moment; dashes where there is none."""
        texts = texts_of(figures) if figures is not None else [NONE] * len(ROWS)
        for shown, text in zip(self._values, texts, strict=True):
            shown.setText(text)


def texts_of(figures: LiveStatistics) -> list[str]:
    """Return the figures as words, one for each row."""
    late = NONE
    if not math.isnan(figures.latency_ms_median):
        late = f"{figures.latency_ms_median:.0f} ms, 99 %: {figures.latency_ms_p99:.0f} ms"
    return [
        f"{figures.frames_per_s:.1f}/s",
        f"{figures.refresh_hz:.1f}/s",
        late,
        f"{count(figures.frames)}, {count(figures.dropped)} dropped",
        f"{count(figures.views)} over {figures.covered_deg:.0f}°",
        f"{figures.memory_mib:,.0f} MiB",
    ]
