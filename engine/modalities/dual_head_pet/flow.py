"""Steps of a dual-head PET run, from file to volume."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from engine.core.backend.devices import device_of
from engine.core.errors import DataError
from engine.core.json_types import Plain
from engine.core.paths import cached_dir
from engine.corrections.histogram import (
    CrystalEdges,
    LineAttenuation,
    LineScatter,
)
from engine.data.histogram import Column, Histogram, total
from engine.data.layered_response import LayeredResponse, StoredResponse
from engine.data.patient_position import position_facts
from engine.data.runs.events import Loaded, Planned
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io.hdf5.response import read_response
from engine.modalities import stages
from engine.modalities.count_demand import panel_demand
from engine.modalities.dual_head_pet import model as dual_head_pet
from engine.modalities.dual_head_pet import response_cache
from engine.modalities.dual_head_pet.counts import read_counts
from engine.modalities.dual_head_pet.protocol import DualHeadGrid, DualHeadProtocol
from engine.modalities.dual_head_pet.requirements import SMALLER, SMALLER_IN_LAYERS, estimate
from engine.modalities.dual_head_pet.response_role import RESPONSE
from engine.modalities.dual_head_pet.scatter_stage import correct_scatter, started
from engine.modalities.dual_head_pet.warm_up import of_response
from engine.modalities.fit_subsets import fit_subsets
from engine.modalities.kernel_steps import prepare_kernels
from engine.modalities.requirements import plan_of, refuse_if_too_large
from engine.modalities.stages import Stage
from engine.operators.prior import Prior
from engine.protocols.run_context.context import ImageSpace, Resume, RunContext
from engine.recon.algorithms.subsets import CountDemand
from engine.recon.model import Model

Context = RunContext[DualHeadProtocol]
NO_SCATTER = (
    "The response matrix does not state that it includes inter-crystal scatter and "
    "the energy window. If it does not include them, the activity is too low."
)
UNBOUNDED = (
    "No input limits the object along the normal of the panels, where the scanner has "
    "little resolution. About a quarter of the decays may appear outside the object. "
    'Load a μ-map, or enter a box under "Activity region".'
)
LAYERS, PRIOR, SUPPORT = "layers", "prior", "support"
WAITING = "Waiting for another process that computes the same response matrix"


def flow(
    context: Context, resume: Resume | None, finish_early: Callable[[], bool] | None
) -> Stage[Volume]:
    """Read, find the response, correct, model, iterate, finish.

    Parameters
    ----------
    context
        inputs and log of the run
    resume
        state of an interrupted run; None for a new run
    finish_early
        returns True if the user wants to stop; None: never
    """
    protocol = context.protocol
    data = yield from read(context, protocol)
    # The response fixes the grid of the image, so it comes before everything else.
    response = yield from find_response(context, protocol, data)
    scatters = protocol.corrections.of(LineScatter).runs(data)
    yield from prepare_kernels(context, of_response(response, on=context.on, scatter=scatters))
    data, own = yield from correct(context, protocol, data, response)
    # The support limits the images of the scatter simulation, too.
    support = yield from bounded(context, protocol, data, response.scanner.grid)
    data = yield from correct_scatter(context, data, own, response, support)
    # Subsets are fitted after all corrections, because background counts do not help a subset.
    context = yield from fit_subsets(context, demand_of(data))
    start = started(data, response, support)
    prior = yield from known_before(context, data, response.scanner.grid, support)
    # The prior needs the number of trues, so it comes after the scatter estimate.
    space = ImageSpace(response.scanner.grid, dual_head_pet.UNIT, data.info.get("axes", "LPS"))
    model = yield from prepare(context, space, data, response, start, resume, prior)
    yield stages.begin(context, resume)
    image, done = yield from stages.iterate(
        context, space, model, start, resume, finish_early, n_rows=data.scanner.n_lors,
        rows="lines", support=support,
    )  # fmt: skip
    if context.protocol.error_replicates is None:
        return (yield from stages.finish(context, space, image, done))
    from engine.modalities.error_maps.stage import computed_error  # few runs have an error map

    error = yield from computed_error(
        context, space, model, start, image, done, counts=[data.prompts], support=support
    )
    return (yield from stages.finish(context, space, image, done, error))


def read(context: Context, protocol: DualHeadProtocol) -> Stage[Histogram]:
    """Read the histogram, or count the events of list mode.

    Parameters
    ----------
    context
        inputs and log of the run
    protocol
        protocol of the run

    Raises
    ------
    DataError
        if all lines have zero counts
    """
    yield context.log.start("read", "Reading the scan")
    study = context.study
    with context.profiler.span("read"):
        data, layers = read_counts(context)
    if not data.n_prompts:
        raise DataError(
            f"{study.data.name}: the scan has no counts on any line of response; choose a scan "
            "with counts."
        )
    context.log.facts = facts_of(data)
    context.log.scanner = data.scanner.fingerprint()
    n_lines = data.scanner.n_lors
    yield Loaded(f"{data.n_prompts:,.0f} prompts on {n_lines:,} lines", context.log.facts)
    yield from stages.report_reader_notes(context, data)
    if layers:
        yield context.log.applied(LAYERS, layers)
    yield context.log.end("read", lines=n_lines)
    return data


def find_response(
    context: Context, protocol: DualHeadProtocol, data: Histogram
) -> Stage[StoredResponse]:
    """Read the response of the study, find it in the cache, or compute it.

    Parameters
    ----------
    context
        run with its study
    protocol
        protocol of the run
    data
        histogram of the scan

    Returns
    -------
    found
        the response, with the scanner and grid that it belongs to
    """
    yield context.log.start("response", f"Loading the response matrix of {data.scanner.name}")
    on, folder, given = context.on, cached_dir("response"), context.study.inputs.get(RESPONSE.key)
    scanner = protocol.grid.scanner_for(data.scanner)
    found: StoredResponse | None
    # A response of the study is used as it is, even if its settings differ from the protocol.
    with context.profiler.span("response"):
        if given is not None:
            # A grid in the protocol must match the file; without one, the file decides.
            keeps_grid = protocol.grid == DualHeadGrid()
            found = read_response(given, scanner, any_image=keeps_grid)
        else:
            found = response_cache.find(folder, scanner, protocol.response)
    is_there = found is not None
    grid = scanner.grid if found is None else found.scanner.grid
    # Refuse before computing a response, which can take an hour.
    yield _plan(context, data, grid, is_stored=is_there)
    if found is None:
        # Two runs of the same scanner would otherwise compute the same matrix twice.
        if response_cache.is_being_built(folder, scanner, protocol.response):
            yield context.log.start("response", WAITING)
        found = response_cache.build(
            folder,
            scanner,
            protocol.response,
            threads=on.threads,
            on_progress=context.ticker("response"),
        )
    context.log.facts["response"] = describe(found)
    yield context.log.end(
        "response",
        nonzeros=found.n_nonzero,
        error_percent=100 * float(found.errors.max()),
        dropped_percent=100 * float(found.dropped.max()),
        from_cache=is_there,
    )
    yield from context.profiled()
    return found


def _plan(context: Context, data: Histogram, grid: ImageGrid, *, is_stored: bool) -> Planned:
    """Report the requirements of the run; refuse it if the memory does not suffice."""
    columns = sum(
        values is not None
        for values in (data.prompts, data.delayeds, data.additive, data.normalisation)
    )
    requirements = estimate(
        context.protocol,
        data.scanner,
        on=device_of(context.on),
        is_stored=is_stored,
        columns=columns,
        factors=not _are_even(data),
        scatter=context.protocol.corrections.of(LineScatter).runs(data),
    )
    # Layers multiply the number of lines, so the remedy is another one.
    in_layers = data.scanner.settings.n_layers > 1
    refuse_if_too_large(requirements, grid, SMALLER_IN_LAYERS if in_layers else SMALLER)
    return plan_of(context.on, requirements, grid)


def _are_even(data: Histogram) -> bool:
    """Return True if lines differ only by effects that are equal in all symmetries."""
    s = data.scanner.settings
    measured = (data.normalisation, data.efficiencies, data.mu_map)
    # Incomplete blocks at the edge of a panel break the symmetry of the edge losses.
    whole_blocks = s.n_rows % s.block_crystals == 0 == s.n_columns % s.block_crystals
    return whole_blocks and all(values is None for values in measured)


def correct(
    context: Context, protocol: DualHeadProtocol, data: Histogram, response: StoredResponse
) -> Stage[tuple[Histogram, Column | None]]:
    """Apply all corrections but scatter.

    Parameters
    ----------
    context
        run with its log
    protocol
        protocol of the run
    data
        histogram with its auxiliary files
    response
        response of the scanner

    Returns
    -------
    data, own
        the corrected histogram, and its factors without attenuation, which scatter needs
    """
    yield context.log.start("correct", "Preparing the corrections")
    steps = [step for step in protocol.corrections.steps() if not isinstance(step, LineScatter)]
    if not response.knows_scatter:
        # The losses at edges are those of crystals that scatter, which this response may include.
        steps = [step for step in steps if not isinstance(step, CrystalEdges)]
        yield context.log.warn(NO_SCATTER)
    # Stop before attenuation, whose factors the scatter simulation applies itself.
    first = next(i for i, step in enumerate(steps) if isinstance(step, LineAttenuation))
    data = yield from stages.correct(context, steps[:first], data)
    own = data.factors
    data = yield from stages.correct(context, steps[first:], data)
    data, n_dropped = dual_head_pet.usable(data)
    if n_dropped:
        yield context.log.warn(
            f"{n_dropped:,.0f} prompts on lines with a detection factor of 0 are not used."
        )
    yield context.log.end("correct")
    yield from context.profiled()
    return data, own


def demand_of(data: Histogram) -> CountDemand:
    """Return the counts of a corrected histogram, and the counts that subsets need.

    Parameters
    ----------
    data
        corrected histogram, whose background is subtracted
    """
    background = 0.0 if data.background is None else total(data.background)
    return panel_demand(max(data.n_prompts - background, 0.0), data.scanner)


def bounded(
    context: Context, protocol: DualHeadProtocol, data: Histogram, grid: ImageGrid
) -> Stage[NDArray[np.bool_] | None]:
    """Return the voxels that can contain activity, and report them.

    Parameters
    ----------
    context
        run with its log
    protocol
        protocol of the run
    data
        histogram with its μ-map
    grid
        grid of the image

    Returns
    -------
    found
        None if all voxels can
    """
    # Without a μ-map, "object" cannot be applied, and the user is warned.
    found = protocol.support.mask(grid, data.mu_map)
    if found is not None:
        text = f"{protocol.support.describe()}: {100 * found.mean():.0f} % of the image"
        yield context.log.applied(SUPPORT, text)
    elif protocol.support.kind != "everywhere":
        yield context.log.warn(UNBOUNDED)
    return found


def known_before(
    context: Context,
    data: Histogram,
    grid: ImageGrid,
    inside: NDArray[np.bool_] | None,
) -> Stage[Prior | None]:
    """Return the prior of the image, and report it.

    Parameters
    ----------
    context
        run with its protocol
    data
        corrected histogram
    grid
        grid of the image
    inside
        voxels that can contain activity; None for all

    Returns
    -------
    prior
        None without a prior
    """
    settings = context.protocol.prior
    prior = settings.on(grid, data, inside)
    if prior is not None:
        yield context.log.applied(PRIOR, settings.describe())
    return prior


def prepare(
    context: Context,
    space: ImageSpace,
    data: Histogram,
    response: StoredResponse,
    start: NDArray[np.float32],
    resume: Resume | None,
    prior: Prior | None = None,
) -> Stage[Model]:
    """Compute the sensitivity of every subset.

    Parameters
    ----------
    context
        run with its log
    space
        grid of the image
    data
        corrected histogram
    response
        response of the scanner
    start
        start image of a new run
    resume
        state of an interrupted run; None for a new run
    prior
        prior of the image; None for none
    """
    n_subsets = context.protocol.algorithm.n_parts
    text = "Computing the sensitivity of all lines"
    if n_subsets > 1:
        text = f"Computing the sensitivity of each of {n_subsets} subsets"
    yield context.log.start("sensitivity", text)
    if context.progress is not None:
        context.progress.begin("sensitivity", 1, n_subsets)
    model = dual_head_pet.build(
        data,
        response,
        n_subsets=n_subsets,
        on=context.on,
        prior=prior,
        on_progress=context.progress,
        profiler=context.profiler,
    )
    ready = stages.with_sensitivities(context, space, model, start, resume)
    yield context.log.end("sensitivity", lines=data.scanner.n_lors)
    yield from context.profiled()
    return ready


def facts_of(data: Histogram) -> Plain:
    """Return facts of a scan for the window and the provenance, as JSON values.

    Parameters
    ----------
    data
        histogram as read
    """
    return {
        "scanner": data.scanner.name,
        "crystals": data.scanner.describe(),
        "lines": data.scanner.n_lors,
        "prompts": _as_integer(data.n_prompts),
        "delayeds": _as_integer(data.n_delayeds),
        "duration_s": data.duration_s,
        **data.info,
        **position_facts(data.info),
    }


def _as_integer(counts: float) -> float:
    """Return counts as an integer if they are whole."""
    # Histograms of other programs may contain fractions, after decay correction for example.
    return int(counts) if counts.is_integer() else counts


def describe(response: StoredResponse) -> str:
    """Return a line about a response.

    Parameters
    ----------
    response
        response of the scanner
    """
    made = response.info.get("response", {}).get("kind", "computed by another program")
    layers = ""
    if isinstance(response, LayeredResponse):
        layers = f" of {response.scanner.settings.n_layers} layers"
    return (
        f"{made}{layers}, {response.n_nonzero:,} non-zeros, row error at most "
        f"{100 * float(response.errors.max()):.2g} %, dropped at most "
        f"{100 * float(response.dropped.max()):.2g} % of a row"
    )
