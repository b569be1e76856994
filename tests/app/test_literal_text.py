"""Test that texts of files and users are shown literally, and never as HTML."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import (
    QAction,
    QContextMenuEvent,
    QGuiApplication,
    QTextDocumentFragment,
    QTextLayout,
    QTextOption,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QInputDialog, QLabel, QMenu
from pytestqt.qtbot import QtBot

from app.shell.header_parts import action_button, verb_button
from app.shell.message_bar import MessageBar
from app.state.models.messages import Problem
from app.ui.theme.questions import LABEL, ask_text, question_box
from app.ui.theme.theme import Theme
from app.ui.theme.widgets import button, label, set_paragraphs
from app.views.literal_text import BREAK, LiteralLabel, as_written, literal_tip, wrapping
from app.views.slices.labels import ElidedLabel
from app.workspace.study_list.order_table import OrderTable
from engine.io.dicom.order import ImagingOrder
from tests.architecture import Source, sources

ROOT = Path(__file__).resolve().parents[2]
HOSTILE = '<b>Bold</b><img src="file:///x.png"> & co'
TIPS = ("setToolTip", "setStatusTip", "setWhatsThis")
HOME = "app/views/literal_text.py"


def shown(tip: str) -> str:
    """Return the plain text of a tip."""
    return QTextDocumentFragment.fromHtml(tip).toPlainText()


REVERSED = "a\u202egpj.exe\x1b"
MARKED = "a<U+202E>gpj.exe<U+001B>"


def texts_shown(qtbot: QtBot, qapp: QApplication) -> Iterator[str]:
    """Yield the text of each kind of label for a name with control characters and markup."""
    for widget in (LiteralLabel(REVERSED), ElidedLabel(REVERSED), label(REVERSED, wrap=True)):
        qtbot.addWidget(widget)
        yield QLabel.text(widget) if not isinstance(widget, ElidedLabel) else widget.full_text
    yield literal_tip(REVERSED)
    several = label("")
    qtbot.addWidget(several)
    set_paragraphs(several, [REVERSED])
    yield shown(several.text())
    box = question_box(None, "title", REVERSED, "info")
    qtbot.addWidget(box)
    yield box.text()
    order = ImagingOrder(patient_name=REVERSED, patient_id="1")
    table = OrderTable()
    qtbot.addWidget(table)
    table.take([order])
    yield table.item(0, 1).text()


def test_control_characters_are_escaped(qtbot: QtBot, qapp: QApplication) -> None:
    assert {text.replace(BREAK, "") for text in texts_shown(qtbot, qapp)} == {MARKED}


def test_text_copied_from_a_message_is_exact(qtbot: QtBot, qapp: QApplication) -> None:
    """A copied address must not contain invisible line breaks."""
    address = "https://download.example.org/official_releases/QtForPython/pyside6/"
    text = f"The source code is at {address}.\n\nThe digest is {64 * 'f'}."
    box = question_box(None, "title", text, "info")
    qtbot.addWidget(box)
    box.show()
    label, clipboard = box.findChild(QLabel, LABEL), QGuiApplication.clipboard()
    assert BREAK in label.text(), "the label has no line break marks"
    assert box.text() == text
    QTest.keyClick(box, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert clipboard.text() == text
    start = label.text().index("https")
    label.setSelection(start, label.text().index(".\n\n") - start)
    QTest.keyClick(label, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert clipboard.text() == box.selected_text == address
    label.setSelection(0, len(label.text()))
    QTest.keyClick(label, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert clipboard.text() == text
    clipboard.setText("before")
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(3, 3), QPoint(3, 3))
    QApplication.sendEvent(label, event)
    (menu,) = box.findChildren(QMenu)
    menu.actions()[0].trigger()
    assert clipboard.text() == text
    menu.close()


def test_wrapped_text_does_not_separate_numbers_from_units(
    qtbot: QtBot, qapp: QApplication
) -> None:
    text = "A mean of 7.3 kBq/mL and 73 × 10⁻⁶ counts/mm"
    joined = "A mean of 7.3\xa0kBq/\u2060mL and 73\xa0×\xa010⁻⁶\xa0counts/\u2060mm"
    wrapped, several = label(text, wrap=True), label("")
    set_paragraphs(several, [text])
    box = question_box(None, "title", text, "info")
    for each in (wrapped, several, box):
        qtbot.addWidget(each)
    assert QLabel.text(wrapped) == joined and wrapped.text() == text
    assert joined in several.text()
    assert joined in literal_tip(f"{text}. {text}. {text}")
    assert box.findChild(QLabel, LABEL).text() == joined
    box.copy()
    assert QGuiApplication.clipboard().text() == text


@pytest.mark.parametrize(
    "make_label",
    [
        lambda: LiteralLabel(HOSTILE),
        lambda: label(HOSTILE, "muted", wrap=True),
        lambda: ElidedLabel(HOSTILE),
    ],
)
def test_labels_show_literal_text(qtbot: QtBot, make_label: type[QLabel]) -> None:
    found = make_label()
    qtbot.addWidget(found)
    assert found.textFormat() is Qt.TextFormat.PlainText


def test_tooltip_shows_literal_text(qtbot: QtBot) -> None:
    assert shown(literal_tip(HOSTILE)) == HOSTILE
    assert "<b>" not in literal_tip(HOSTILE) and "<img" not in literal_tip(HOSTILE)
    assert literal_tip("a < b & c") == "a < b & c", "a text without HTML was changed"
    open_button = button("Open", lambda: None, HOSTILE)
    qtbot.addWidget(open_button)
    assert shown(open_button.toolTip()) == HOSTILE


def test_paragraphs_are_separate_and_literal(qtbot: QtBot) -> None:
    text_label = label("")
    qtbot.addWidget(text_label)
    set_paragraphs(text_label, [HOSTILE, "second"])
    assert shown(text_label.text()) == f"{HOSTILE}\nsecond"


def test_message_bar_shows_literal_text(qtbot: QtBot, qapp: QApplication) -> None:
    bar = MessageBar(Theme(qapp, "dark"), lambda: None, lambda: None)
    qtbot.addWidget(bar)
    bar.report(Problem(HOSTILE, f"{HOSTILE}: damaged"))
    formats = {each.textFormat() for each in bar.findChildren(QLabel) if each.text()}
    assert formats == {Qt.TextFormat.PlainText}


def guessed(source: Source) -> Iterator[str]:
    """Yield labels and tips with a text format that Qt would guess."""
    for node in ast.walk(source.tree):
        match node:
            case ast.Call(func=ast.Name(id="QLabel")):
                yield f"{source.path}:{node.lineno}: QLabel, not LiteralLabel"
            case ast.ClassDef(bases=[ast.Name(id="QLabel")]) if source.path != HOME:
                yield f"{source.path}:{node.lineno}: a class of QLabel, not of LiteralLabel"
            case ast.Call(func=ast.Attribute(attr=str(name))) if name in TIPS:
                if not _is_fixed(node.args[-1]):
                    yield f"{source.path}:{node.lineno}: {name} without literal_tip"


def _is_fixed(text: ast.expr) -> bool:
    match text:
        case ast.Constant() | ast.Call(func=ast.Name(id="literal_tip")):
            return True
        # The code that sets the tip of an action is checked; the tip must not be escaped twice.
        case ast.Call(func=ast.Attribute(attr="toolTip"), args=[], keywords=[]):
            return True
        case ast.Call(func=ast.Name(id="tr"), args=[ast.Constant()], keywords=[]):
            return True
        case ast.IfExp(body=first, orelse=second):
            return _is_fixed(first) and _is_fixed(second)
    return False


def test_every_label_and_tip_has_an_explicit_format() -> None:
    tree = [source for source in sources(ROOT) if source.path.startswith("app/")]
    assert len(tree) > 80, "source files are missing"
    assert [fault for source in tree for fault in guessed(source)] == []


@pytest.mark.parametrize(
    "text",
    ["a = QLabel(name)", "class A(QLabel): pass", "a.setToolTip(path)", "a.setToolTip('' or b)"],
)
def test_implicit_text_format_is_found(text: str) -> None:
    assert list(guessed(Source("app/x.py", text)))


def test_name_question_shows_literal_text(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    labels: list[QLabel] = []

    def record_labels(dialog: QInputDialog) -> int:
        labels.extend(dialog.findChildren(QLabel))
        return 0

    monkeypatch.setattr(QInputDialog, "exec", record_labels)
    assert ask_text(None, "title", HOSTILE + REVERSED, "") == ""
    assert [(each.textFormat(), each.text()) for each in labels] == [
        (Qt.TextFormat.PlainText, HOSTILE + MARKED)
    ]


def test_long_action_tooltip_is_escaped_once(qtbot: QtBot) -> None:
    action = QAction("Start")
    action.setToolTip(literal_tip("The scan has <no> scanner. " * 6))
    assert action.toolTip().startswith("<p")
    for widget in (verb_button(action), action_button(action)):
        qtbot.addWidget(widget)
        assert widget.toolTip() == action.toolTip()


@pytest.mark.parametrize(
    "text",
    [
        "a mean of 47.11 kBq/mL at the start",
        "5 counts/mm/s in each voxel",
        "120 views of 224 × 144 pixels, pixels of 0.9 × 0.9 mm",
        "the source is at (96.646, −175.14, 0) mm",
    ],
)
def test_no_line_ends_within_a_quantity(qapp, text: str) -> None:
    layout, lines = QTextLayout(wrapping(text)), []
    wordwise = QTextOption()
    wordwise.setWrapMode(QTextOption.WrapMode.WordWrap)
    layout.setTextOption(wordwise)
    for width in range(40, 300, 5):
        layout.beginLayout()
        while (line := layout.createLine()).isValid():
            line.setLineWidth(width)
            end = line.textStart() + line.textLength()
            lines.append(as_written(layout.text()[line.textStart() : end]))
        layout.endLayout()
    for line in lines:
        assert not re.search(r"[/×]\s*$", line), line
        assert not re.match(r"(kBq|mL|mm|s|counts)\b", line), line
    assert as_written(wrapping(text)) == text
