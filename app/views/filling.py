"""Shares of the columns and rows of four views that leave the least empty border, without Qt."""

from __future__ import annotations

from itertools import product

from engine.geometry import ImageGrid, Rect

HALVES = (50, 45, 55, 40, 60)
"""Shares of the first of two columns or rows that are tried [%], in the order of preference."""
MAINS = (60, 55, 65, 50)
"""Shares of the column of a large view that are tried [%]."""
WORTH = 1.02
"""A less usual layout must fill the views at least this many times as much."""
FLAT = 0.02
"""Height over width of a volume below which only its axial slices are shown."""
ROW_WORTH = 1.4
"""Two by two is the usual order, so a row must be much better."""
Size = tuple[float, float]


def covered(rects: tuple[Rect, ...], cells: tuple[Size, ...], margin_px: float) -> float:
    """Return the area that images cover when all of them have one scale.

    Parameters
    ----------
    rects
        area of each image [mm]
    cells
        width and height of each view [px]
    margin_px
        margin on each side of an image

    Returns
    -------
    area [px²]
    """
    scale = min(
        min((cell[0] - 2 * margin_px) / rect.width, (cell[1] - 2 * margin_px) / rect.height)
        for rect, cell in zip(rects, cells, strict=True)
    )
    return max(scale, 0.0) ** 2 * sum(rect.width * rect.height for rect in rects)


def halves(rects: tuple[Rect, ...], size: Size, margin_px: float) -> tuple[int, int]:
    """Return the shares of the first column and the first row of two by two views [%].

    Parameters
    ----------
    rects
        areas of the images in reading order [mm]
    size
        width and height of all views [px]
    margin_px
        margin on each side of an image
    """

    def filled(column: int, row: int) -> float:
        widths = size[0] * column / 100, size[0] * (100 - column) / 100
        heights = size[1] * row / 100, size[1] * (100 - row) / 100
        cells = tuple((width, height) for height in heights for width in widths)
        return covered(rects, cells, margin_px)

    best = HALVES[0], HALVES[0]
    for tried in product(HALVES, HALVES):
        if filled(*tried) > WORTH * filled(*best):
            best = tried
    return best


def are_in_a_row(rects: tuple[Rect, ...], size: Size, margin_px: float) -> bool:
    """Return True if views in one row cover clearly more than two by two views.

    A row suits a tall image on a wide screen, such as a PET of the whole body.

    Parameters
    ----------
    rects
        areas of the images in reading order [mm]
    size
        width and height of all views [px]
    margin_px
        margin on each side of an image
    """
    halved = ((size[0] / 2, size[1] / 2),) * len(rects)
    row = ((size[0] / len(rects), size[1]),) * len(rects)
    return covered(rects, row, margin_px) > ROW_WORTH * covered(rects, halved, margin_px)


def main_share(main: Rect, others: tuple[Rect, ...], size: Size, margin_px: float) -> int:
    """Return the share of the column of a large view next to a column of small ones [%].

    Parameters
    ----------
    main
        area of the large image [mm]
    others
        areas of the small ones, from top to bottom [mm]
    size
        width and height of all views [px]
    margin_px
        margin on each side of an image
    """

    def filled(share: int) -> float:
        width = size[0] * share / 100
        cell = size[0] - width, size[1] / len(others)
        small = covered(others, (cell,) * len(others), margin_px)
        return covered((main,), ((width, size[1]),), margin_px) + small

    best = MAINS[0]
    for tried in MAINS:
        if filled(tried) > WORTH * filled(best):
            best = tried
    return best


def is_flat(grid: ImageGrid) -> bool:
    """Return True if a volume is thin along z.

    Parameters
    ----------
    grid
        grid of the volume
    """
    x, y, z = grid.size_mm
    return grid.shape[0] == 1 or bool(z < FLAT * max(x, y))
