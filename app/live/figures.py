"""A small table with rates, latency, losses and memory of a running scan."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QGridLayout, QWidget

from app.language.translation import tr
from app.ui.theme.formatting import clock, count
from app.ui.theme.widgets import label
from app.views.literal_text import literal_tip

if TYPE_CHECKING:
    from engine.live import LivePetStatistics, LiveStatistics

NONE = "–"


class LiveFigures(QWidget):
    """Table of figures; each row has a title and a tooltip."""

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
                widget.setToolTip(literal_tip(tip))
            grid.addWidget(caption, k, 0)
            grid.addWidget(self._values[k], k, 1)

    def show_texts(self, texts: Sequence[str]) -> None:
        """Show the current figures.

        Parameters
        ----------
        texts
            one for each row; empty: dashes in all rows
        """
        # Before the first update there are no texts.
        for shown, text in zip(self._values, texts or [NONE] * len(self._values), strict=True):
            shown.setText(text)


def texts_of_slices(figures: LiveStatistics) -> list[str]:
    """Return the figures of an X-ray scan as texts, one for each row.

    Parameters
    ----------
    figures
        statistics of the session
    """
    late = NONE
    # NaN until the first slices exist.
    if not math.isnan(figures.latency_ms_median):
        late = tr(
            "{latency_ms_median:.0f} ms (99th percentile: {latency_ms_p99:.0f} ms)",
            latency_ms_median=figures.latency_ms_median,
            latency_ms_p99=figures.latency_ms_p99,
        )
    return [
        f"{figures.frames_per_s:.1f}/s",
        f"{figures.refresh_hz:.1f}/s",
        late,
        tr(
            "{count}, {count_2} dropped",
            count=count(figures.frames),
            count_2=count(figures.dropped),
        ),
        tr(
            "{count} over {covered_deg:.0f}°",
            count=count(figures.views),
            covered_deg=figures.covered_deg,
        ),
        tr("{memory_mib:,.0f} MiB", memory_mib=figures.memory_mib),
    ]


def texts_of_events(figures: LivePetStatistics) -> list[str]:
    """Return the figures of a list-mode scan as texts, one for each row.

    Parameters
    ----------
    figures
        statistics of the session
    """
    randoms = figures.randoms_percent
    start, end = clock(figures.image_from_s), clock(figures.image_until_s)
    return [
        f"{count(figures.prompts_per_s)}/s",
        NONE if math.isnan(randoms) else tr("{randoms:.0f} % of the prompts", randoms=randoms),
        f"{figures.refresh_hz:.1f}/s",
        NONE
        if math.isnan(figures.behind_s)
        else tr("at most {behind_s:.1f} s", behind_s=figures.behind_s),
        tr("{n} prompts", n=count(figures.image_events)),
        tr("{low} to {high}", low=start, high=end) if figures.image_events else NONE,
        tr("{count}, {count_2} lost", count=count(figures.events), count_2=count(figures.dropped)),
        tr("{memory_mib:,.0f} MiB", memory_mib=figures.memory_mib),
    ]
