"""Draw several images of one slice on a sheet, each below its label, with the same grey levels."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO

import numpy as np

from engine.core.arrays import Array
from engine.io.raster.png import FRAME, INK, MARK, TEXT_PX, TITLE_PX, font

MARGIN_PX, LABEL_PX, FOOTER_PX = 12, 28, 36
MAX_EDGE_PX = 420
"""Longer edge of an image on the sheet; larger images are averaged, smaller ones enlarged."""
DARK_PERCENTILE, LIGHT_PERCENTILE = 1.0, 99.8


def contact_sheet(
    images: Sequence[Array], labels: Sequence[str], *, marked: int, footer: str
) -> bytes:
    """Return the bytes of a PNG with images in reading order; equal images give equal bytes.

    Parameters
    ----------
    images
        arrays (rows, columns) of one shape
    labels
        text above each image
    marked
        index of the image with a frame; the grey levels are chosen for it
    footer
        text at the bottom of the sheet
    """
    from PIL import Image, ImageDraw

    # As square as possible: 7 images give 3 columns and 3 rows.
    n_across = int(np.ceil(np.sqrt(len(images))))
    n_down = -(-len(images) // n_across)
    height, width = images[0].shape
    scale = MAX_EDGE_PX / max(height, width)
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    cell = size[0] + MARGIN_PX, size[1] + LABEL_PX
    page_size = (n_across * cell[0] + MARGIN_PX, n_down * cell[1] + MARGIN_PX + FOOTER_PX)
    page = Image.new("L", page_size, 255)
    draw = ImageDraw.Draw(page)
    # Percentiles, because a few hot voxels would make everything else dark.
    low, high = np.percentile(images[marked], (DARK_PERCENTILE, LIGHT_PERCENTILE))
    for k, (image, label) in enumerate(zip(images, labels, strict=True)):
        left = MARGIN_PX + k % n_across * cell[0]
        top = LABEL_PX + k // n_across * cell[1]
        grey = 255 * np.clip((image - low) / max(high - low, 1e-30), 0, 1)
        # BOX averages whole pixels, so sharpness and noise are not changed by an interpolation.
        small = Image.fromarray(grey.astype(np.float32)).resize(size, Image.Resampling.BOX)
        page.paste(Image.fromarray(np.rint(np.asarray(small)).astype(np.uint8)), (left, top))
        edges = (left - 1, top - 1, left + size[0], top + size[1])
        draw.rectangle(edges, outline=INK if k == marked else FRAME, width=1 + 2 * (k == marked))
        draw.text((left, top - 5), label, fill=INK, font=font(TEXT_PX), anchor="ls")
    bottom = page_size[1] - FOOTER_PX // 2
    draw.text((MARGIN_PX, bottom), footer, fill=INK, font=font(TITLE_PX), anchor="lm")
    right = page_size[0] - MARGIN_PX
    draw.text((right, bottom), MARK, fill=INK, font=font(TITLE_PX), anchor="rm")
    buffer = BytesIO()
    page.save(buffer, "PNG", optimize=False)
    return buffer.getvalue()
