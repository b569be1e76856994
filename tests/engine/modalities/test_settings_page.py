"""The settings page lists every key of every protocol, with its bounds and unit."""

from __future__ import annotations

from engine.core.settings import Settings, setting
from engine.modalities.settings_page import chapter, settings_text
from engine.modalities.studies import shipped_protocols
from engine.recon.algorithms import ALGORITHMS, LINEAR_ALGORITHMS
from engine.recon.postprocess import FILTERS

PAGE = settings_text()


class Inner(Settings):
    """A nested group."""

    width_mm: float = setting(2.5, "Width of something", unit="mm", gt=0, le=10)


class Plan(Settings):
    """A protocol."""

    modality: str = "toy"
    inner: Inner = Inner()


def test_row_has_default_bounds_description_and_unit() -> None:
    assert "| `width_mm` | `2.5` | > 0, ≤ 10 | Width of something [mm] |" in chapter(Plan)
    assert "### inner\n\nA nested group." in chapter(Plan)


def test_every_kind_of_a_protocol_has_its_table() -> None:
    for kind in (*ALGORITHMS, *LINEAR_ALGORITHMS, *FILTERS):
        tag = kind.model_fields["kind"].default
        assert f', kind "{tag}"' in PAGE, tag
        assert all(f"| `{name}` |" in PAGE for name in kind.model_fields if name != "kind")


def test_every_modality_has_its_chapter() -> None:
    for protocol in shipped_protocols().values():
        assert f'## Protocols of modality "{protocol.modality}"' in PAGE


def test_every_setting_has_a_description() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| `")]
    assert len(rows) > 80
    assert [row for row in rows if row.endswith("|  |")] == []
