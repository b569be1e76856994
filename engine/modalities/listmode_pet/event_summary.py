"""Summary of a list-mode scan: facts, and a sample of events for the corrections."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

from engine.core.json_types import Plain
from engine.data.listmode import ListMode
from engine.io.safety.cut_off import EVENTS
from engine.modalities.scan_summary import Facts, ScanSummary

if TYPE_CHECKING:
    from engine.io.listmode.event_facts import EventFacts


@dataclass(frozen=True, eq=False, kw_only=True)
class EventSummary(ScanSummary):
    """Summary of a list-mode scan.

    Attributes
    ----------
    sample : the scan with a few of its events
    n_events : total number of events
    """

    modality: ClassVar[str] = "pet"
    sample: ListMode
    n_events: int

    @classmethod
    def of(cls, found: ListMode | EventFacts) -> Self:
        """Return the facts and a sample of a scan.

        Parameters
        ----------
        found
            scan in memory, or its facts from reading in pieces
        """
        from engine.io.listmode.event_facts import EventFacts  # a run shows no summary

        facts = EventFacts.of(found) if isinstance(found, ListMode) else found
        data = facts.sample
        return cls(
            text=f"{facts.n_prompts:,} prompts, {data.scanner.name}",
            facts=_facts(facts),
            notes=data.notes,
            scanner=data.scanner,
            format=_format_without_scanner(data),
            is_cut_off=EVENTS in data.info,
            sample=data,
            n_events=facts.n_events,
        )

    @property
    def is_list_mode(self) -> bool:
        return True

    @property
    def stated(self) -> Plain:
        length: Plain = {"duration_s": self.sample.duration_s} if self.sample.duration_s else {}
        return {**self.sample.info, **length}

    @property
    def brings(self) -> tuple[str, ...]:
        from engine.corrections.roles import EFFICIENCIES

        # Files that contain a normalisation do not need an auxiliary one.
        given = self.sample.efficiencies is not None or self.sample.components is not None
        return (EFFICIENCIES.key,) if given else ()

    def with_contents(self, contents: Any) -> ListMode:
        """Return the sample with the contents of auxiliary files.

        Parameters
        ----------
        contents
            pairs of role and content
        """
        data = self.sample
        for role, content in contents:
            data = role.attached(data, content)
        return data


def _format_without_scanner(data: ListMode) -> str:
    from engine.io import LISTMODE_READERS

    # Such a format fits several scanners, so the user must choose one.
    name = str(data.info.get("format", ""))
    # Only readers of this name are loaded.
    readers = [each.format for each in LISTMODE_READERS.entries if each.name == name]
    return name if any(not reader.names_scanner for reader in readers) else ""


def _signals(data: ListMode) -> str:
    return ", ".join(each.describe() for each in data.triggers)


def _facts(found: EventFacts) -> Facts:
    from engine.io.text.fact_labels import fact_of

    data = found.sample
    facts = (
        ("Prompts", f"{found.n_prompts:,}"),
        ("Delayeds", f"{found.n_delayed:,}" if found.n_delayed else "none"),
        ("Singles", data.describe_singles()),
        ("Duration", f"{data.duration_s:.1f} s" if data.duration_s else "not recorded"),
        *((("Triggers", _signals(data)),) if data.triggers else ()),
        ("Time of flight", "recorded" if data.tof_bins is not None else "not recorded"),
        ("Scanner", data.scanner.name),
        ("Crystals", data.scanner.describe()),
    )
    return facts + tuple(fact_of(key, v) for key, v in data.info.items() if v)
