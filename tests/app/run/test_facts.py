"""Facts: what there is to tell, and words where there is nothing yet."""

from __future__ import annotations

from app.run.facts_panel import FactsTab
from app.views.literal_text import PlainLabel


def shown(tab: FactsTab) -> list[str]:
    return [each.text() for each in tab.findChildren(PlainLabel) if each.isVisible()]


def test_without_facts_it_says_what_will_stand_there(qtbot, controls):
    tab = FactsTab(controls.context)
    qtbot.addWidget(tab)
    tab.show()
    (words,) = shown(tab)
    assert words.startswith("No facts yet")
    assert not tab.tree.isVisible() and not tab.copy.isVisible()
    controls.session.run.record.warnings.append("one view was left out")
    controls.session.run.record_changed.emit()
    assert tab.tree.isVisible() and tab.copy.isVisible() and shown(tab) == []
