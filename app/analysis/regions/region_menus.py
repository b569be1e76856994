"""Menus of the Regions tab: combine regions, and save them in a format."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QMenu, QWidget

from app.analysis.regions.region_files import RegionFiles
from app.language.translation import tr
from app.state.models.region_model import RegionModel
from app.views.literal_text import literal_tip
from engine.analysis.regions import Operation

OPERATIONS: tuple[tuple[Operation, str, str], ...] = (
    ("union", tr("Union"), tr("Voxels that belong to at least one selected region")),
    ("intersection", tr("Intersection"), tr("Voxels that belong to every selected region")),
    ("minus", tr("First minus the others"), tr("Voxels in the first selected region only")),
)
"""Each operation with its title and its tooltip."""


def combining_menu(parent: QWidget, model: RegionModel) -> QMenu:
    """Return the menu that combines the selected regions.

    Parameters
    ----------
    parent
        owner of the menu
    model
        regions of the displayed scan
    """
    menu = QMenu(parent)
    menu.setToolTipsVisible(True)
    for operation, title, tip in OPERATIONS:
        _add(menu, title, partial(model.combine, operation), tip)
    return menu


def saving_menu(parent: QWidget, files: RegionFiles) -> QMenu:
    """Return the menu with all formats in which regions and their values can be saved.

    Parameters
    ----------
    parent
        owner of the menu
    files
        saves them, after the necessary questions
    """
    menu = QMenu(parent)
    menu.setToolTipsVisible(True)
    _add(menu, tr("Table for the displayed image …"), files.save_table)
    _add(menu, tr("Table for all iterations or frames …"), files.save_series)
    menu.addSeparator()
    _add(menu, tr("Regions …"), files.save_regions)
    _add(menu, tr("Labels (NIfTI) …"), files.save_labels)
    menu.addSeparator()
    _add(
        menu,
        tr("Segmentation (DICOM) …"),
        files.save_segmentation,
        tr("For archives and viewers, linked to the DICOM series of the image"),
    )
    _add(
        menu,
        tr("Structure set (DICOM RT) …"),
        files.save_structures,
        tr("Contours in the slices, for treatment planning and other programs"),
    )
    _add(
        menu,
        tr("Structured report (DICOM SR) …"),
        files.save_report,
        tr("All figures with their units, and a segmentation that the report refers to"),
    )
    return menu


def _add(menu: QMenu, title: str, act: Callable[[], object], tip: str = "") -> None:
    action = menu.addAction(title)
    if tip:
        action.setToolTip(literal_tip(tip))
    # The lambda drops the `checked` argument of the signal.
    action.triggered.connect(lambda _=False: act())
