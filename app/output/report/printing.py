"""Print the pages of a report, with the dialog of the desktop."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPageSize, QPainter
from PySide6.QtPrintSupport import QPrintDialog, QPrinter
from PySide6.QtWidgets import QWidget

# Enough for text and slices; a higher resolution makes the spool files large.
DPI = 200


def ask_and_print(parent: QWidget, pages: Sequence[bytes]) -> bool:
    """Ask for a printer and print; return False if the user cancels.

    Parameters
    ----------
    parent
        parent of the dialog
    pages
        PNG of each page
    """
    printer = QPrinter(QPrinter.PrinterMode.HighResolution)
    printer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    if not QPrintDialog(printer, parent).exec():
        return False
    print_pages(printer, pages)
    return True


def print_pages(printer: QPrinter, pages: Sequence[bytes]) -> None:
    """Print pages as large as the paper allows.

    Parameters
    ----------
    printer
        printer with its settings
    pages
        PNG of each page
    """
    # The pages have their own margins; those of the printer would be added.
    printer.setFullPage(True)
    painter = QPainter(printer)
    for n, page in enumerate(pages):
        if n:
            printer.newPage()
        image = QImage.fromData(page)
        area = QRectF(painter.viewport())
        size = image.size().toSizeF().scaled(area.size(), Qt.AspectRatioMode.KeepAspectRatio)
        painter.drawImage(QRectF(area.topLeft(), size), image)
    painter.end()
