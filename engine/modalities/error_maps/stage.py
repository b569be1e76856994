"""Stage of a run of PET that computes the error of its image from bootstrap replicates."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import cast

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array, sha256_of, to_host
from engine.core.errors import SettingsError
from engine.data.error_map import METHODS, ErrorMap, Method
from engine.data.runs.events import Noted
from engine.data.volume import Volume
from engine.modalities import stages
from engine.modalities.error_maps.bias import Change, bias_of
from engine.modalities.error_maps.images import (
    NearOptimum,
    hessian_images,
    replicate_images,
)
from engine.modalities.error_maps.needs import batch_of
from engine.modalities.error_maps.stored_replicates import StoredReplicates
from engine.modalities.stages import Stage
from engine.operators.event_weights import draws_of
from engine.protocols.run_context.context import ImageSpace, RunContext
from engine.protocols.study.protocol import Protocol
from engine.recon.model import Model, SystemModel

DEFAULT_SEED = 1


def computed_error(
    context: RunContext[Protocol],
    space: ImageSpace,
    model: Model,
    start: NDArray[np.float32],
    image: NDArray[np.float32],
    done: int,
    *,
    counts: Sequence[Array | float],
    support: NDArray[np.bool_] | None = None,
    part: int | None = None,
) -> Stage[ErrorMap]:
    """Return the error of a finished image, for a protocol that requests it.

    Parameters
    ----------
    context
        run with its protocol and log
    space
        grid, unit and calibration of the image
    model
        model of the measured counts
    start
        (n_z, n_y, n_x) start image of the run
    image
        (n_z, n_y, n_x) image after the last update, without final filters
    done
        number of updates of the run
    counts
        columns of the counts in the order of the model. Only images of the same columns share their
        replicates
    support
        voxels that may be active, as for the image
    part
        number of the time frame; None for a single image, for which the run notes bias and noise

    Raises
    ------
    SettingsError
        if the run is distributed to a cluster
    """
    if context.divide is not None:
        raise SettingsError(
            "an error map cannot be computed on a cluster; leave error_replicates empty, or "
            "reconstruct the study on one machine."
        )
    n, seed, method = _settings(context)
    yield context.log.start("errors", f"Computing the error of the image: {n} {METHODS[method]}")
    # The Hessian has its images in the memory of the computer.
    gpu = context.on.gpu if method == "bootstrap" else None
    batch = batch_of(n, image.size, None if gpu is None else gpu.free_bytes())
    progress = context.progress
    if progress is not None:
        progress.begin("errors", -(-n // batch), done)
    stored = StoredReplicates.of(
        context.folder, image, space, n, seed, method, part, batch, context.protocol
    )
    found = stored.read(image.shape)[:n]
    whole = cast(SystemModel, stages.model_for(context, space, model, start))
    draws, algorithm = draws_of(n, seed, part or 0), context.protocol.algorithm
    near = NearOptimum.of(algorithm, whole, image) if algorithm.is_penalised else None
    # The protocol has checked that this method has a penalised algorithm (`hessian_needs_map`).
    if method == "hessian" and near is not None:
        found = found[: len(found) // batch * batch]
        images = hessian_images(near, draws, batch=batch, first=len(found))
    else:
        images = replicate_images(
            algorithm,
            whole,
            start,
            draws,
            n_updates=done,
            batch=batch,
            near=near,
            between=stages.between(context, space.grid, support),
            n_known=len(found),
        )
    for each in images:
        found.append(stages.finished_image(context, space, each))
        stored.add(len(found) - 1, found[-1])
        if progress is not None and len(found) % batch == 0:
            progress.reach(len(found) // batch)
    error = ErrorMap.of(
        stages.finished_image(context, space, image), found, seed, method, _digest_of(counts)
    )
    stored.remove()
    yield context.log.end("errors", replicates=n)
    yield context.log.applied("errors", f"from {error.source}")
    if part is None:
        response = _response(context, space, image, near)
        bias = bias_of(error, space.grid.voxel_mm, response)
        if bias is not None:
            yield from _noted(context, f"Bias: {bias}.")
            yield from _warned(context, bias.doubt)
    return error


def _digest_of(counts: Sequence[Array | float]) -> str:
    columns = (np.array(each) if isinstance(each, float) else to_host(each) for each in counts)
    return sha256(" ".join(map(sha256_of, columns)).encode()).hexdigest()


def zero_error(context: RunContext[Protocol], image: NDArray[np.float32]) -> ErrorMap | None:
    """Return the error of a frame without counts, which is 0 in all replicates.

    Parameters
    ----------
    context
        run with its protocol
    image
        (n_z, n_y, n_x) of zeros

    Returns
    -------
    error
        None if the protocol requests no error map
    """
    n, seed, method = _settings(context)
    return ErrorMap.of(image, [image] * n, seed, method) if n else None


def frames_noted(context: RunContext[Protocol], images: Sequence[Volume]) -> Stage[None]:
    """Note the bias of the frame with the most voxels near 0, and warn of too much noise.

    Parameters
    ----------
    context
        run with its log
    images
        frames with their errors
    """
    found = [
        (bias.near_zero, k, bias)
        for k, image in enumerate(images, 1)
        if image.error is not None
        and (bias := bias_of(image.error, image.grid.voxel_mm)) is not None
    ]
    if not found:
        return
    _, k, bias = max(found)
    yield from _noted(context, f"Bias of frame {k}, which has the most voxels near 0: {bias}.")
    _, k, bias = max((bias.noise, k, bias) for _, k, bias in found)
    yield from _warned(context, bias.doubt and f"Frame {k} has the most noise. {bias.doubt}")


def _noted(context: RunContext[Protocol], text: str) -> Stage[None]:
    context.log.note(text)
    yield Noted(text)


def _warned(context: RunContext[Protocol], doubt: str) -> Stage[None]:
    if doubt:
        yield context.log.warn(f"{doubt}.")


def _settings(context: RunContext[Protocol]) -> tuple[int, int, Method]:
    """Return number, seed and method of the replicates that the protocol requests."""
    settings = context.protocol.model_dump(
        include={"error_replicates", "error_method", "error_seed"}
    )
    n, seed, method = (settings[f"error_{key}"] for key in ("replicates", "seed", "method"))
    return n, DEFAULT_SEED if seed is None else seed, method


def _response(
    context: RunContext[Protocol],
    space: ImageSpace,
    image: NDArray[np.float32],
    near: NearOptimum | None,
) -> Change:
    """Return a function from a weak object to the change that it causes in the image."""
    before = stages.finished_image(context, space, image)

    def response(added: NDArray[np.float32]) -> NDArray[np.float32]:
        # OSEM has no response that is known without a run; blur by an early end adds to the filter.
        if near is not None:
            added = near.response(added)
        # Filters can be nonlinear, so the object gets a contrast of 1 in the typical activity.
        size = np.float32(np.square(image).sum() / max(float(image.sum()), 1e-30))
        after = stages.finished_image(context, space, image + size * added)
        per_value = space.per_value if space.finished_unit else 1.0
        return np.asarray((after - before) / (size * per_value), np.float32)

    return response


def sum_of_errors(
    whole: NDArray[np.float32], images: Sequence[Volume], weights: NDArray[np.float64]
) -> ErrorMap | None:
    """Return the error of a weighted sum of time frames; None if one has no error.

    Parameters
    ----------
    whole
        (n_z, n_y, n_x) the sum
    images
        frames
    weights
        (n_frames,) weight of each frame
    """
    errors = [image.error for image in images if image.error is not None]
    if len(errors) < len(images) or not errors:
        return None

    def replicate(c: int) -> NDArray[np.float32]:
        total = whole.astype(np.float64)
        for error, weight in zip(errors, weights, strict=True):
            total += weight * (error.deviations[c] * error.scale)
        return total.astype(np.float32)

    n = min(error.n for error in errors)
    found = [replicate(c) for c in range(n)]
    counts = sha256(" ".join(error.counts for error in errors).encode()).hexdigest()
    return ErrorMap.of(whole, found, errors[0].seed, errors[0].method, counts)
