"""Translate the texts of the window with the translator of Qt.

The language is set before the first text is created and stays until the program ends, because texts
of modules are translated at import. The source texts are English. Numbers use a decimal point in
every language, so that a number has the same meaning wherever it is read or typed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Self

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QSettings, QTranslator

from engine.core.visible_text import visible_line
from engine.io import config_dir

ENGLISH, SYSTEM = "en", ""
LANGUAGES = {ENGLISH: "English", "de": "Deutsch"}
"""Languages of the window, each by its own name."""
VARIABLE = "ISOCENTER_LANGUAGE"
"""Environment variable that overrides the language of the settings."""
SETTINGS_FILE, KEY = "window.ini", "language"
"""File and key of the language in the settings of the window."""
CONTEXT = "Isocenter"
FOLDER = Path(__file__).resolve().parents[2] / "resources" / "translations"

_translators: list[QTranslator] = []
_catalogues: list[bytes] = []
"""Contents of loaded catalogues. Qt does not copy them, so they stay here."""
_language = ENGLISH


def tr(text: str, /, **values: object) -> str:
    """Return a text in the language of the window.

    Parameters
    ----------
    text
        English text; `packaging/translations.py` finds it, so it must be a literal
    values
        values for the names in braces; control characters in names become visible marks
    """
    # A text without a translation is returned by Qt as empty, and appears in English.
    translated = (_translators[0].translate(CONTEXT, text) if _translators else "") or text
    return (
        translated.format(**{name: _visible_value(value) for name, value in values.items()})
        if values
        else translated
    )


class Lines(str):
    """Lines of a text, for a value of `tr`; line breaks stay.

    Parameters
    ----------
    lines
        the lines; control characters in them become visible marks
    """

    __slots__ = ()

    def __new__(cls, lines: Iterable[str]) -> Self:
        return super().__new__(cls, "\n".join(visible_line(line) for line in lines))


def _visible_value(value: object) -> object:
    """Return names and sentences as one line without control characters; others unchanged."""
    is_foreign = isinstance(value, str | Path | Exception) and not isinstance(value, Lines)
    return visible_line(str(value)) if is_foreign else value


def named(text: str) -> str:
    """Return a name or text of the engine in the language of the window.

    Only texts of the catalogues are translated; sentences with values remain English.
    """
    return tr(text) if text else text


def within(name: str) -> str:
    """Return a name as it is written within a sentence.

    The first letter becomes lower case, except for abbreviations such as "CT". German nouns keep
    their capital.
    """
    first = name.split(" ", 1)[0]
    is_sentence_case = first[1:] == first[1:].lower()
    return name if _language == "de" or not is_sentence_case else name[:1].lower() + name[1:]


def chosen_language(folder: Path | None = None) -> str:
    """Return the language from the environment, the settings or the system.

    Parameters
    ----------
    folder
        folder of the settings; None: that of the user

    Returns
    -------
    str
        key of `LANGUAGES`; English if none of the three is supported
    """
    path = str((folder or config_dir()) / SETTINGS_FILE)
    stored = QSettings(path, QSettings.Format.IniFormat).value(KEY, SYSTEM)
    wanted = (os.environ.get(VARIABLE, ""), str(stored), QLocale.system().name().split("_")[0])
    # In this order: a test or script may override the user, who may override the system.
    return next((each for each in wanted if each in LANGUAGES), ENGLISH)


def use_language(language: str) -> None:
    """Translate from now on; call it before any module of the window is imported.

    Parameters
    ----------
    language
        key of `LANGUAGES`
    """
    global _language
    _language = language
    _translators.clear()
    if language != ENGLISH:
        catalogue = QTranslator()
        if _load_catalogue(catalogue, FOLDER / f"isocenter_{language}.qm"):
            _translators.append(catalogue)
    # Spin boxes would otherwise show and accept a decimal comma.
    QLocale.setDefault(QLocale.c())


def translate_qt(app: QCoreApplication) -> None:
    """Translate Qt's own texts too, such as buttons of its dialogs."""
    own = QTranslator(app)
    folder = Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath))
    if _language != ENGLISH and _load_catalogue(own, folder / f"qtbase_{_language}.qm"):
        app.installTranslator(own)


def _load_catalogue(translator: QTranslator, path: Path) -> bool:
    """Load a catalogue from a copy in memory; return False if there is none.

    Qt maps a file that it opens itself. An update that rewrites the file would then change texts in
    use, and a shorter file would end the window (SIGBUS).
    """
    try:
        data = path.read_bytes()
    except OSError:
        return False
    _catalogues.append(data)
    return translator.load(data)


# For code that imports modules with texts without the window, such as tests.
if os.environ.get(VARIABLE) in LANGUAGES:
    use_language(os.environ[VARIABLE])
