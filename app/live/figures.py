"""Rates, latency, losses and memory of a running scan, as a small table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QGridLayout, QWidget

from app.look.formatting import clock, count
from app.look.widgets import label
from app.views.plain_text import plain_tip

if TYPE_CHECKING:
    from engine.live import LivePetStatistics, LiveStatistics

NONE = "–"


class LiveFigures(QWidget):
    """One figure in a row; rows are its title and its tip."""

    def __init__(self, rows: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(3)
        grid.setColumnStretch(1, 1)
        self._values = [label(NONE, "number") for _ in rows]
        for k, (title, tip) in enumerate(rows):
            caption = label(title, "caption")
            for widget in (caption, self._values[k]):
                widget.setToolTip(plain_tip(tip))
            grid.addWidget(caption, k, 0)
            grid.addWidget(self._values[k], k, 1)

    def show_texts(self, texts: Sequence[str]) -> None:
        """Show the figures of a moment; dashes where there is none."""
        for shown, text in zip(self._values, texts or [NONE] * len(self._values), strict=True):
            shown.setText(text)


def texts_of_slices(figures: LiveStatistics) -> list[str]:
    """Return the figures of an X-ray scan as words, one for each row."""
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


def texts_of_events(figures: LivePetStatistics) -> list[str]:
    """Return the figures of a list-mode scan as words, one for each row."""
    randoms = figures.randoms_percent
    span = f"{clock(figures.image_from_s)} to {clock(figures.image_until_s)}"
    return [
        f"{count(figures.prompts_per_s)}/s",
        NONE if math.isnan(randoms) else f"{randoms:.0f} % of the prompts",
        f"{figures.refresh_hz:.1f}/s",
        NONE if math.isnan(figures.behind_s) else f"{figures.behind_s:.1f} s at most",
        f"{count(figures.image_events)} prompts",
        span if figures.image_events else NONE,
        f"{count(figures.events)}, {count(figures.dropped)} lost",
        f"{figures.memory_mib:,.0f} MiB",
    ]
