"""Pages of a report on paper, by the desktop's own dialog."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPageSize, QPainter
from PySide6.QtPrintSupport import QPrintDialog, QPrinter
from PySide6.QtWidgets import QWidget

DPI = 200


def ask_and_print(parent: QWidget, pages: Sequence[bytes]) -> bool:
    """Let the user choose a printer; return whether the pages were sent to it."""
    printer = QPrinter(QPrinter.PrinterMode.HighResolution)
    printer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    if not QPrintDialog(printer, parent).exec():
        return False
    print_pages(printer, pages)
    return True


def print_pages(printer: QPrinter, pages: Sequence[bytes]) -> None:
    """Print pages, given as PNG, each as large as the paper takes it."""
    printer.setFullPage(True)
    painter = QPainter(printer)
    for n, page in enumerate(pages):
        if n:
            printer.newPage()
        image = QImage.fromData(page)
        room = QRectF(painter.viewport())
        size = image.size().toSizeF().scaled(room.size(), Qt.AspectRatioMode.KeepAspectRatio)
        painter.drawImage(QRectF(room.topLeft(), size), image)
    painter.end()
