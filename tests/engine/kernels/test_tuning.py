"""Tests of kernel selection for a GPU: own measurement, that of its generation, default."""

import json
from dataclasses import asdict, replace

import pytest

from engine.core.backend import cuda
from engine.kernels import tuning
from engine.kernels.cone.cone_variants import BackVariant
from engine.kernels.variants import RayVariant
from tests.emulator import EmulatedGpu

SMALL, LARGE = 128**3, 512**3
BEST = {"mapping": "thread", "order": "tiles", "sums": "float", "timing": "none", "block": 512}


def measured(device, capability, **variant):
    choice = {"image": "small", "timed": False, "sums": "float", "variant": BEST | variant}
    return {"device": device, "compute_capability": capability, "choices": [choice]}


@pytest.fixture
def on():
    return cuda(EmulatedGpu())


def chosen(monkeypatch, on, *stored, n_voxels=SMALL, dtype="float32"):
    monkeypatch.setattr(tuning, "_measurements", lambda: stored)
    return tuning.tuned(on, n_voxels, False, False, dtype)


def test_default_is_used_without_a_measurement(monkeypatch, on):
    assert chosen(monkeypatch, on) == tuning.UNMEASURED


def test_own_measurement_has_priority_over_the_generation(monkeypatch, on):
    name, capability = on.gpu.facts.name, on.gpu.facts.compute_capability
    own, kin, foreign = (
        measured(name, 75, block=64),
        measured("another", capability, block=256),
        measured("another", capability + 10, block=32),
    )
    assert chosen(monkeypatch, on, own, kin, foreign).block == 64
    assert chosen(monkeypatch, on, foreign, kin).block == 256
    assert chosen(monkeypatch, on, foreign) == tuning.UNMEASURED


def test_measurement_of_small_images_does_not_apply_to_large_ones(monkeypatch, on):
    own = measured(on.gpu.facts.name, 90)
    assert chosen(monkeypatch, on, own, n_voxels=LARGE) == tuning.UNMEASURED


def test_double_precision_fits_the_shared_memory(monkeypatch, on):
    own = measured(on.gpu.facts.name, 90)
    actual = chosen(monkeypatch, on, own, dtype="float64")
    assert actual == replace(RayVariant(**BEST), real="double", block=256)


@pytest.mark.parametrize("is_upright", [False, True])
def test_cone_beams_use_the_measurement_of_similar_detectors(monkeypatch, on, is_upright):
    variant = asdict(BackVariant("list", block=(64, 2)))
    stored = measured(on.gpu.facts.name, 90)
    rays_only = dict(stored)
    stored["cone_back"] = [{"upright": True, "variant": json.loads(json.dumps(variant))}]

    monkeypatch.setattr(tuning, "_measurements", lambda: (rays_only,))
    path = "upright" if is_upright else "general"
    assert tuning.tuned_back(on, is_upright, SMALL, 256) == replace(
        tuning.UNMEASURED_BACK, path=path
    )

    monkeypatch.setattr(tuning, "_measurements", lambda: (stored,))
    actual = tuning.tuned_back(on, is_upright, SMALL, 256)
    assert actual == (BackVariant(**variant) if is_upright else tuning.UNMEASURED_BACK)
