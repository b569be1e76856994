"""Find columns, rows and views of a raw file from its size and the similarity of its values.

A row resembles the next row: the autocorrelation of the values has its first maximum at the number
of columns. A view resembles the next view: the autocorrelation of a few numbers per row has its
first maximum, beyond neighbouring rows, at the number of rows. Answers of the user have priority.
Sizes that fill the file, except for a header, are ranked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from engine.core.arrays import Array

MIN_COLUMNS, MAX_COLUMNS = 8, 16384
NEARLY = 0.85
"""The first maximum with this fraction of the highest one is used."""
MIN_CORRELATION = 0.2
"""Smallest autocorrelation of values that repeat."""
COARSE = 16
"""Number of values per row for comparing views."""
MAX_HEADER_BYTES = 2**20
HEADERS = (0, 512, 1024, 2048, 4096, 256, 128, 64, 32, 16, 8)
"""Lengths of headers [bytes] that are tried if the sizes are unknown."""
SOME = 100_000
"""Number of values from which outliers are determined."""
MIN_VIEWS = 3
MAX_RANKED = 6


@dataclass(frozen=True)
class RawShape:
    """A shape that fills a file.

    Attributes
    ----------
    views, rows, columns : lengths of the axes
    header : bytes before the values
    stated : axes with a length from the user
    rows_alike, views_alike : similarity of neighbouring rows and of neighbouring views, from 0 to
        1; None if it was not needed
    score : similarity of rows and views, from 0 to 1
    """

    views: int
    rows: int
    columns: int
    header: int
    stated: tuple[str, ...]
    rows_alike: float | None
    views_alike: float | None
    score: float

    @property
    def why(self) -> str:
        """Evidence for the shape, as a list of labels with values."""
        words = [f"your input: {', '.join(self.stated)}"] if self.stated else []
        if self.rows_alike is not None:
            words.append(f"similarity of neighbouring rows: {100 * self.rows_alike:.0f} %")
        if self.views_alike is not None:
            words.append(f"similarity of neighbouring views: {100 * self.views_alike:.0f} %")
        return "; ".join([*words, "file size: fits"])


def shapes_of(
    sample: Array,
    size: int,
    item_bytes: int,
    *,
    columns: int | None = None,
    rows: int | None = None,
    views: int | None = None,
    header: int | None = None,
) -> list[RawShape]:
    """Return the shapes that fill a file, the best first.

    Parameters
    ----------
    sample
        (n,) consecutive values, of a few views if possible
    size
        size of the file [bytes]
    item_bytes
        size of a value [bytes]
    columns, rows, views
        numbers stated by the user; None if unknown
    header
        bytes before the values, stated by the user; None if unknown
    """
    # A header or a dead column would otherwise dominate the autocorrelation.
    sample = _without_outliers(sample)
    found: list[RawShape] = []
    sizes = {"columns": columns, "rows": rows, "views": views}
    stated = tuple(name for name, n in sizes.items() if n)
    widths = [(columns, 1.0)] if columns else _widths(sample, size, item_bytes, rows, views)
    for width, likely in widths:
        for height, repeats in _heights(sample, width, size, item_bytes, rows, views):
            filling = _filling(size, item_bytes, width, height, views, header)
            if filling is not None:
                n_views, skipped = filling
                # Unusual header lengths are possible, but more often a sign of a wrong shape.
                odd = skipped not in HEADERS and header is None
                score = likely * repeats * (0.6 if odd else 1.0)
                rows_alike = None if columns else min(likely, 1.0)
                views_alike = None if rows or views else min(repeats, 1.0)
                lengths = (n_views, height, width, skipped)
                found.append(RawShape(*lengths, stated, rows_alike, views_alike, score))
    found.sort(key=lambda shape: -shape.score)
    # Sorted by score, so the first entry of each shape is its best one.
    unlike: dict[tuple[int, int, int], RawShape] = {}
    for shape in found:
        unlike.setdefault((shape.views, shape.rows, shape.columns), shape)
    return list(unlike.values())[:MAX_RANKED]


def period(signal: Array, min_period: int, max_period: int) -> list[tuple[int, float]]:
    """Return the positions of maxima of an autocorrelation with their heights, the likeliest first.

    Parameters
    ----------
    signal
        (n,) or (n, k), correlated along the first axis
    min_period, max_period
        smallest and largest position
    """
    data = signal.reshape(len(signal), -1).astype(np.float64)
    data = data - data.mean(axis=0)
    n = len(data)
    # Padding to 2 n gives the linear autocorrelation.
    spectrum = np.fft.rfft(data, 2 * n, axis=0)
    power = np.fft.irfft((np.abs(spectrum) ** 2).sum(axis=1), 2 * n)[:n]
    if power[0] <= 0:
        return []
    # Fewer pairs overlap at large shifts; dividing by their number removes the trend.
    heights = power / power[0] * n / np.maximum(n - np.arange(n), 1)
    max_period = min(max_period, int(0.6 * n), n - 2)
    # The central maximum is not a period: search only after the first rise.
    falls = np.flatnonzero(np.diff(heights[: max_period + 1]) > 0)
    begin = max(min_period, int(falls[0]) if len(falls) else max_period)
    places = np.arange(begin, max_period + 1)
    if not len(places):
        return []
    inner = (heights[places] >= heights[places - 1]) & (heights[places] > heights[places + 1])
    peaks = places[inner & (heights[places] > MIN_CORRELATION)]
    if not len(peaks):
        return []
    top = float(heights[peaks].max())
    # A multiple of the period has a similar maximum, so the first high one counts.
    first = int(peaks[np.flatnonzero(heights[peaks] >= NEARLY * top)[0]])
    others = peaks[np.argsort(-heights[peaks], kind="stable")][:MAX_RANKED]
    # Multiples of the period are not alternatives; 2 % allows for rounding.
    once = [int(each) for each in others if abs(each / first - round(each / first)) > 0.02]
    order = dict.fromkeys((first, *once))
    return [(place, float(min(heights[place], 1.0))) for place in order]


def _without_outliers(sample: Array) -> Array:
    """Return finite values, with the extreme 0.5 % on each side clipped."""
    values = np.nan_to_num(sample.astype(np.float32))
    some = values[:: max(len(values) // SOME, 1)]
    return np.asarray(np.clip(values, *np.quantile(some, (0.005, 0.995))))


def _widths(
    sample: Array, size: int, item_bytes: int, rows: int | None, views: int | None
) -> list[tuple[int, float]]:
    peaks = period(sample[: 2**20], MIN_COLUMNS, MAX_COLUMNS)
    known = (rows or 1) * (views or 1)
    fitting = [
        # A width that does not fill the file is kept with half the score: it may have a long
        # header.
        (width, height * (1.0 if _fills(size, width * known * item_bytes) else 0.5))
        for place, height in peaks
        # The maximum can be one column off for a strongly tilted structure.
        for width in (place, place - 1, place + 1)
        if width == place or _fills(size, width * known * item_bytes)
    ]
    if fitting or known == 1:
        return sorted(fitting, key=lambda each: -each[1])
    rest = size // item_bytes // known
    # Only exact divisors remain if nothing repeats, for example in an empty scan.
    widths = [w for w in range(MIN_COLUMNS, MAX_COLUMNS) if rest % w == 0]
    return [(w, 0.1) for w in widths[:MAX_RANKED]]


def _fills(size: int, part: int) -> bool:
    """Return True if parts of this size fill a file, except for a usual header."""
    return any((size - header) % part == 0 for header in HEADERS)


def _heights(
    sample: Array, width: int, size: int, item_bytes: int, rows: int | None, views: int | None
) -> Iterator[tuple[int, float]]:
    n_rows = size // item_bytes // width
    if rows:
        yield rows, 1.0
        return
    if views:
        yield max(n_rows // views, 1), 1.0
        return
    table = sample[: len(sample) // width * width].reshape(-1, width)
    n = max(width // COARSE, 1)
    coarse = table[:, : width // n * n].reshape(len(table), -1, n).mean(axis=2)
    for height, repeats in period(coarse, 2, n_rows // MIN_VIEWS):
        fits = 1.0 if _fills(size, height * width * item_bytes) else 0.6
        yield height, repeats * fits
    yield 1, 0.1  # a sinogram of one row


def _filling(
    size: int, item_bytes: int, width: int, height: int, views: int | None, header: int | None
) -> tuple[int, int] | None:
    """Return views and header of a file of such images; None if they do not fill it."""
    image = width * height * item_bytes
    fitting = (h for h in HEADERS if (size - h) % image == 0)
    # The preferred header lengths are tried in order; otherwise the rest is the header.
    begin = next(fitting, None) if header is None and views is None else header
    n = views or (size - (begin or 0)) // image
    rest = size - n * image
    if n < 1 or rest < 0 or (header is not None and rest != header):
        return None
    # A rest as long as an image would be another view.
    is_header = rest < min(image, MAX_HEADER_BYTES) or rest == begin
    return (n, rest) if is_header else None
