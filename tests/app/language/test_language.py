"""Tests of the window in German: choice of the language, complete texts, same numbers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QLocale

from app.language import translation
from app.language.translation import (
    ENGLISH,
    SETTINGS_FILE,
    VARIABLE,
    chosen_language,
    tr,
    use_language,
)
from app.state.models.preferences import Preferences

ROOT = Path(__file__).resolve().parents[3]
LAWS = "tests/app/shell/test_everything_has_a_name.py"


@pytest.fixture
def german():
    use_language("de")
    yield
    use_language(ENGLISH)


def test_texts_are_translated_with_their_values(german):
    assert tr("Save …") == "Speichern …"
    assert tr("View {view} of {n}", view=3, n=7) == "Ansicht 3 von 7"
    assert tr("{count} over {covered_deg:.0f}°", count="5", covered_deg=1.5) == "5 über 2°"


def test_text_missing_in_the_catalogue_stays_english(german):
    assert tr("no such words") == "no such words"
    assert tr("{n} such words", n=2) == "2 such words"


def test_english_text_is_the_source_text():
    assert tr("Save …") == "Save …"
    assert tr("{here}") == "{here}", "a text without values was formatted"


def test_environment_has_priority_over_the_language_setting(tmp_path, monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(QLocale, "system", staticmethod(lambda: QLocale("fr_FR")))
    assert chosen_language(tmp_path) == ENGLISH
    preferences = Preferences(tmp_path)
    preferences.language = "de"
    preferences.save()
    assert (tmp_path / SETTINGS_FILE).is_file()
    assert chosen_language(tmp_path) == "de"
    monkeypatch.setenv(VARIABLE, "en")
    assert chosen_language(tmp_path) == ENGLISH
    monkeypatch.setenv(VARIABLE, "xx")
    assert chosen_language(tmp_path) == "de"


def test_default_language_is_the_language_of_the_system(tmp_path, monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(QLocale, "system", staticmethod(lambda: QLocale("de_AT")))
    assert chosen_language(tmp_path) == "de"


def test_numbers_have_a_decimal_point_in_every_language(german):
    assert QLocale().decimalPoint() == "."
    assert set(translation.LANGUAGES) >= {"en", "de"}


@pytest.mark.slow
def test_no_text_is_cut_in_german():
    """Run the layout tests in a process that starts in German."""
    every = ("-m", "slow or not slow")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *every, LAWS]
    settings = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_XDIST")}
    done = subprocess.run(
        command, cwd=ROOT, env=settings | {VARIABLE: "de"}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:]


CUTTING = """
import os, shutil, sys
from pathlib import Path
from xml.etree import ElementTree

from PySide6.QtWidgets import QApplication, QLabel

from app.language import translation
from app.ui.theme import theme

here = Path(sys.argv[1])
texts = [
    (each.findtext("source"), each.findtext("translation"))
    for each in ElementTree.parse(translation.FOLDER / "isocenter_de.ts").iter("message")
]
for module, name in ((translation, "FOLDER"), (theme, "FONT_FOLDER")):
    shutil.copytree(getattr(module, name), here / name)
    setattr(module, name, here / name)
app = QApplication(["test"])
translation.use_language("de")
app.setFont(theme.load_font())
files = [*here.rglob("*.qm"), *here.rglob("*.ttf")]
for file in files:
    os.truncate(file, 0)
assert all(translation.tr(source) == german for source, german in texts)
label = QLabel("".join(chr(code) for code in range(0x21, 0x17F)))
label.show()
assert label.grab().toImage().width() > 0
if os.path.exists("/proc/self/maps"):
    maps = Path("/proc/self/maps").read_text()
    assert not any(str(file) in maps for file in files)
print(len(files), len(texts))
"""


def test_program_files_can_be_replaced_while_the_window_runs(tmp_path):
    """Qt maps catalogue and fonts into memory: truncating them once crashed the window (SIGBUS)."""
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen", VARIABLE: "en"}
    done = subprocess.run(
        [sys.executable, "-c", CUTTING, str(tmp_path)],
        cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    n_files, n_texts = map(int, done.stdout.split())
    assert n_files >= 4 and n_texts > 1000
