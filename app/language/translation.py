"""Translate the texts of the window with the translator of Qt.

The language is chosen before the first text is made, and holds until the program ends: texts of
modules are translated when these are imported. English is what stands in the source. Numbers are
written with a point in every language, so that what is read or typed never changes its meaning.
"""

from __future__ import annotations

import os
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QSettings, QTranslator

from engine.io import config_dir

ENGLISH, SYSTEM = "en", ""
LANGUAGES = {ENGLISH: "English", "de": "Deutsch"}
"""Languages of the window, each by its own name."""
VARIABLE = "ISOCENTER_LANGUAGE"
"""Says the language of a process, whatever the settings say."""
SETTINGS_FILE, KEY = "window.ini", "language"
"""File and key of the settings of the window that say the language."""
CONTEXT = "Isocenter"
FOLDER = Path(__file__).resolve().parents[2] / "resources" / "translations"

_translators: list[QTranslator] = []
_language = ENGLISH


def tr(text: str, /, **values: object) -> str:
    """Return a text in the language of the window, with values in the places of their names."""
    said = (_translators[0].translate(CONTEXT, text) if _translators else "") or text
    return said.format(**values) if values else said


def named(text: str) -> str:
    """Return what the engine calls something, or says of it, in the language of the window.

    Only what stands in the catalogues changes; sentences with values stay as they are.
    """
    return tr(text) if text else text


def within(name: str) -> str:
    """Return a name as it stands within a sentence.

    Its first letter is small where its first word is none of capitals, such as "CT"; German nouns
    keep theirs.
    """
    first = name.split(" ", 1)[0]
    is_plain = first[1:] == first[1:].lower()
    return name if _language == "de" or not is_plain else name[:1].lower() + name[1:]


def chosen_language(folder: Path | None = None) -> str:
    """Return the language that the environment, the settings or the system wants.

    `folder` holds the settings; without it, that of the user.
    """
    path = str((folder or config_dir()) / SETTINGS_FILE)
    stored = QSettings(path, QSettings.Format.IniFormat).value(KEY, SYSTEM)
    wanted = (os.environ.get(VARIABLE, ""), str(stored), QLocale.system().name().split("_")[0])
    return next((each for each in wanted if each in LANGUAGES), ENGLISH)


def use_language(language: str) -> None:
    """Translate from now on; call it before anything of the window is imported."""
    global _language
    _language = language
    _translators.clear()
    if language != ENGLISH:
        catalogue = QTranslator()
        if catalogue.load(str(FOLDER / f"isocenter_{language}.qm")):
            _translators.append(catalogue)
    QLocale.setDefault(QLocale.c())


def translate_qt(app: QCoreApplication) -> None:
    """Translate Qt's own words, too, such as those on the buttons of its dialogs."""
    own = QTranslator(app)
    folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    if _language != ENGLISH and own.load(f"qtbase_{_language}", folder):
        app.installTranslator(own)


if os.environ.get(VARIABLE) in LANGUAGES:
    use_language(os.environ[VARIABLE])
