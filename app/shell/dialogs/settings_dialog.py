"""Settings in groups: site, folders, DICOM nodes, encryption, this computer, technician mode."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import ValidationError
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from app.language.translation import LANGUAGES, SYSTEM, named, tr
from app.state.models.passphrase import hashed
from app.state.services.context import AppContext
from app.ui.forms.fields import QuietCombo
from app.ui.theme.file_dialogs import ask_folder, ask_open
from app.ui.theme.questions import ask_text, show_reason
from app.ui.theme.widgets import button, label, set_tone
from app.views.literal_text import literal_tip
from engine.core.errors import EngineError
from engine.core.settings import explain
from engine.results.reports import Site

WIDTH_PX, COLUMN_GAP_PX, GROUP_GAP_PX = 860, 32, 12
FOLDERS, LOGOS = ("protocols", "reports"), ("logo",)
CERTIFICATES = ("tls_authorities", "tls_certificate", "tls_key")
Group = Literal["site", "folders", "computer", "technician", "node", "worklist", "encryption"]
TITLES: dict[Group, str] = {
    "site": tr("Site"),
    "folders": tr("Folders"),
    "node": tr("DICOM node for images and reports"),
    "worklist": tr("DICOM worklist"),
    "encryption": tr("Encrypted DICOM connections (TLS)"),
    "computer": tr("This computer"),
    "technician": tr("Technician"),
}
"""Groups in the order of their fields, which is that of the Tab key."""
LEFT: tuple[Group, ...] = ("site", "folders", "node")
RIGHT: tuple[Group, ...] = ("worklist", "encryption", "computer", "technician")
GROUPS: dict[str, Group] = {
    **dict.fromkeys(FOLDERS, "folders"),
    **dict.fromkeys(("node", "called", "archive_signed"), "node"),
    **dict.fromkeys(("worklist", "worklist_called"), "worklist"),
    **dict.fromkeys(CERTIFICATES, "encryption"),
}
"""Group of each setting of the site; others are in the group "site"."""
SHORT = {
    "name": tr("Name"),
    "protocols": tr("Protocols"),
    **dict.fromkeys(("node", "worklist"), tr("Node")),
    **dict.fromkeys(("called", "worklist_called"), tr("AE title")),
    "tls_authorities": tr("Authorities"),
    "tls_certificate": tr("Certificate"),
    "tls_key": tr("Key"),
}
"""Labels of rows below the title of their group."""
THEMES = ("dark", "light")
PEOPLE_TIP = tr(
    "Names of the people who sign off reports, separated by commas. Leave blank to "
    "use the login name."
)
MIN_CHARACTERS = 4


class SettingsDialog(QDialog):
    """Settings of the user; nothing changes before Save."""

    def __init__(self, parent: QWidget | None, context: AppContext) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Settings"))
        self.setMinimumWidth(WIDTH_PX)
        self._context, self._preferences = context, context.preferences
        # A copy, so that Cancel discards a new passphrase too.
        self._passphrase = context.preferences.passphrase
        self.fields: dict[str, QLineEdit] = {}
        self.switches: dict[str, QCheckBox] = {}
        self._rows: dict[Group, list[tuple[str, QWidget]]] = {group: [] for group in TITLES}
        self._add_site()
        self._add_looks()
        self._add_technician()
        self.message = label("", "fault", wrap=True)
        kinds = QDialogButtonBox.StandardButton
        self.buttons = QDialogButtonBox(kinds.Save | kinds.Cancel)
        self.buttons.button(kinds.Save).setProperty("role", "primary")
        self.buttons.accepted.connect(self._save)
        self.buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(14)
        column.addLayout(self._two_columns())
        column.addWidget(self.message)
        column.addWidget(self.buttons)

    def _two_columns(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(COLUMN_GAP_PX)
        for groups in (LEFT, RIGHT):
            # One grid for all groups of a column aligns their fields.
            grid = QGridLayout()
            grid.setHorizontalSpacing(12)
            grid.setVerticalSpacing(6)
            grid.setColumnStretch(1, 1)
            for group in groups:
                self._lay_out_group(grid, group)
            grid.setRowStretch(grid.rowCount(), 1)
            row.addLayout(grid, 1)
        return row

    def _lay_out_group(self, grid: QGridLayout, group: Group) -> None:
        top = grid.rowCount()
        if top > 1:
            grid.setRowMinimumHeight(top, GROUP_GAP_PX)
        grid.addWidget(label(TITLES[group], "heading"), top + 1, 0, 1, 2)
        for i, (title, shown) in enumerate(self._rows[group], top + 2):
            if title:
                grid.addWidget(label(title, "caption"), i, 0)
                grid.addWidget(shown, i, 1)
            else:  # a check box has its own text
                grid.addWidget(shown, i, 0, 1, 2)

    def _add_site(self) -> None:
        site = self._preferences.site
        # The form follows the class, so a new setting appears without code here.
        for name, field in Site.model_fields.items():
            extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
            value = getattr(site, name)
            if isinstance(value, bool):
                self.switches[name] = box = QCheckBox(named(str(extra.get("label"))))
                box.setToolTip(literal_tip(named(str(field.description))))
                box.setChecked(value)
                self._add(GROUPS.get(name, "site"), "", box)
                continue
            # Lists are edited as text with commas.
            line = QLineEdit(", ".join(value) if isinstance(value, tuple) else str(value))
            title = named(str(extra.get("label")))
            tip = PEOPLE_TIP if isinstance(value, tuple) else named(str(field.description))
            line.setAccessibleName(title)
            line.setToolTip(literal_tip(tip))
            self.fields[name] = line
            shown = SHORT.get(name, title)
            self._add(GROUPS.get(name, "site"), shown, self._with_chooser(name, line))

    def _with_chooser(self, name: str, line: QLineEdit) -> QWidget:
        if name not in (*FOLDERS, *LOGOS, *CERTIFICATES):
            return line
        made = QWidget()
        row = QHBoxLayout(made)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(line, 1)
        row.addWidget(
            button(tr("Choose …"), lambda: self._choose_file(name), tr("Choose a file or folder"))
        )
        return made

    def _add_looks(self) -> None:
        self.theme, self.device, self.language = QuietCombo(), QuietCombo(), QuietCombo()
        self.language.addItem(tr("System default"), SYSTEM)
        for key, name in LANGUAGES.items():
            self.language.addItem(name, key)
        self.language.setCurrentIndex(max(0, self.language.findData(self._preferences.language)))
        names = {"dark": tr("Dark"), "light": tr("Light")}
        self.theme.addItems([names[name] for name in THEMES])
        self.theme.setCurrentIndex(THEMES.index(self._context.theme.name))
        choice = self._context.session.device
        self.device.addItem(tr("Automatic"), "auto")
        for each in choice.found:
            if each.usable:
                self.device.addItem(each.label, each.key)
        # `findData` returns −1 if the device is no longer usable; "Automatic" is then shown.
        self.device.setCurrentIndex(max(0, self.device.findData(choice.key)))
        for title, box, tip in (
            (tr("Language"), self.language, tr("Restart Isocenter to apply a new language")),
            (tr("Theme"), self.theme, tr("Colour theme of the window")),
            (tr("Device"), self.device, tr("Device used for reconstructions")),
        ):
            box.setAccessibleName(title)
            box.setToolTip(literal_tip(tip))
            self._add("computer", title, box)

    def _add_technician(self) -> None:
        self.technician = QCheckBox(tr("Start in technician mode"))
        self.technician.setToolTip(
            tr("Start with a simplified window that has the four cards, the run and the review")
        )
        self.technician.setChecked(self._preferences.technician)
        self.change = button("", self._set_passphrase, tr("Required to leave technician mode"))
        self._name_passphrase()
        row = QHBoxLayout()
        row.addWidget(self.technician, 1)
        row.addWidget(self.change)
        inside = QWidget()
        row.setContentsMargins(0, 0, 0, 0)
        inside.setLayout(row)
        self._add("technician", "", inside)

    def _add(self, group: Group, title: str, shown: QWidget) -> None:
        self._rows[group].append((title, shown))

    def _choose_file(self, name: str) -> None:
        start = self.fields[name].text() or self._preferences.folder_last_used
        if name in LOGOS:
            path = ask_open(self, tr("Choose a logo"), start, tr("Pictures (*.png *.jpg *.jpeg)"))
            found = "" if path is None else str(path)
        elif name in CERTIFICATES:
            kinds = tr("Certificates and keys (*.pem *.crt *.cer *.key);;All files (*)")
            path = ask_open(self, tr("Choose a file"), start, kinds)
            found = "" if path is None else str(path)
        else:
            path = ask_folder(self, tr("Choose a folder"), start)
            found = "" if path is None else str(path)
        if found:
            self.fields[name].setText(found)

    def _name_passphrase(self) -> None:
        self.change.setText(
            tr("Change passphrase …") if self._passphrase else tr("Set passphrase …")
        )

    def _set_passphrase(self) -> None:
        one = ask_text(self, tr("Passphrase"), tr("New passphrase"), "", hidden=True)
        if not one:
            return
        if len(one) < MIN_CHARACTERS:
            show_reason(
                self,
                tr("Passphrase"),
                tr(
                    "The passphrase must have at least {MIN_CHARACTERS} characters.",
                    MIN_CHARACTERS=MIN_CHARACTERS,
                ),
            )
        # A typing error would lock the user out of the full window.
        elif ask_text(self, tr("Passphrase"), tr("Repeat the passphrase"), "", hidden=True) != one:
            show_reason(
                self,
                tr("Passphrase"),
                tr("The passphrases do not match. The passphrase was not changed."),
            )
        else:
            # Only the hash is stored.
            self._passphrase = hashed(one)
            self._name_passphrase()

    def _site(self) -> Site:
        entered = {name: line.text().strip() for name, line in self.fields.items()}
        people = tuple(each.strip() for each in entered.pop("people").split(",") if each.strip())
        switched = {name: box.isChecked() for name, box in self.switches.items()}
        site = Site.model_validate({**entered, **switched, "people": people})
        site.logo_bytes()  # an invalid logo is refused now, not in the first report
        if site.tls_authorities or site.tls_certificate or site.tls_key:
            site.tls.context()
        for name in FOLDERS:
            if entered[name] and not Path(entered[name]).expanduser().is_dir():
                raise EngineError(
                    tr(
                        "{path}: this folder does not exist; choose an existing one.",
                        path=entered[name],
                    )
                )
        return site

    def _save(self) -> None:
        try:
            # First, because only this step can fail.
            self._preferences.set_site(self._site())
        except ValidationError as e:
            return self._show_fault(explain(e))
        except EngineError as e:
            return self._show_fault(str(e))
        self._preferences.technician = self.technician.isChecked()
        self._preferences.passphrase = self._passphrase
        theme = THEMES[self.theme.currentIndex()]
        self._context.theme.use(theme)
        self._preferences.theme = theme
        self._preferences.language = str(self.language.currentData())
        self._use_device(str(self.device.currentData()))
        self._preferences.save()
        # The folder of shared protocols may be another one.
        self._context.commands.protocols_changed.emit()
        self.accept()

    def _use_device(self, key: str) -> None:
        session = self._context.session
        # A run keeps the device on which it started.
        if key != session.device.key and not session.run.state.is_active:
            session.device.choose(key)
            self._preferences.device = key

    def _show_fault(self, text: str) -> None:
        self.message.setText(text)
        set_tone(self.message, "missing")
