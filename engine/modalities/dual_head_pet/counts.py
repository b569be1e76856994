"""Counts of a dual-head run, with separate or combined crystal layers."""

from __future__ import annotations

from engine.corrections.base import inputs_of
from engine.corrections.histogram import HISTOGRAM_CORRECTIONS
from engine.data.histogram import Histogram, histogrammed, merged
from engine.data.listmode import ListMode
from engine.geometry.dual_head import DualHead
from engine.io import is_histogram, read_histogram, read_listmode
from engine.modalities.attaching import attach_inputs
from engine.modalities.dual_head_pet.layers import given_panels
from engine.modalities.dual_head_pet.protocol import DualHeadProtocol
from engine.modalities.dual_head_pet.response_role import RESPONSE
from engine.protocols.run_context.context import RunContext

Context = RunContext[DualHeadProtocol]


def read_counts(context: Context) -> tuple[Histogram, str]:
    """Return the histogram of a scan, or of list mode with its auxiliary files, counted by line.

    The second value describes the use of the crystal layers; it is empty for a single layer.

    Parameters
    ----------
    context
        run with its study and protocol
    """
    study, roles = context.study, inputs_of(HISTOGRAM_CORRECTIONS)
    layers, given = context.protocol.layers, given_panels(study.inputs.get(RESPONSE.key))
    # A stored response decides too: with one layer, it has no lines for pairs of layers.
    counts = _read(context)
    if isinstance(counts, Histogram):
        read = attach_inputs(context, roles, counts)
        scanner, counted = read.scanner, layers.scanner_for(read.scanner, given)
        data = read if counted is scanner else merged(read)
        return data, layers.describe(scanner, data.scanner)
    # Attached before counting, because efficiencies of crystals are lost in the histogram.
    events = attach_inputs(context, roles, counts)
    panels = events.scanner
    if not isinstance(panels, DualHead):
        # histogrammed() raises the error with the reason.
        return histogrammed(events), ""
    merge = layers.scanner_for(panels, given) is not panels
    data = histogrammed(events, merge_layers=merge)
    return data, layers.describe(panels, data.scanner)


def _read(context: Context) -> Histogram | ListMode:
    """Return the counts of a scan, which can be in memory already."""
    study, given = context.study, context.scan
    if isinstance(given, Histogram | ListMode):
        return given
    if is_histogram(study.data):
        return read_histogram(study.data, study.scanner)
    return read_listmode(study.data, scanner=study.scanner, complete_events=study.complete_events)
