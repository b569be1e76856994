from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import engine
from engine.data.listmode import ListMode
from engine.data.timing.frame_request import FrameRequest
from engine.data.timing.time_division import TimeDivision, middle_counts
from engine.data.timing.time_frames import TimeFrame
from engine.geometry.grid import ImageGrid
from engine.geometry.tof import TofSettings
from engine.modalities.fit_subsets import without_open_filters
from engine.modalities.listmode_pet.auto_settings import auto_settings_of, fitted, passes_of
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.protocols.run_context.context import RunContext
from engine.recon.algorithms import Mlem, Osem, Svrg
from engine.recon.postprocess import Gaussian

RING = {
    "name": "Ring", "n_rings": 8, "n_crystals_per_ring": 480, "radius_mm": 300,
    "ring_pitch_mm": 5, "max_ring_difference": 7, "n_tangential": 200, "fov_mm": (300, 40),
}  # fmt: skip


def scan(n_counts=200_000, *, tof_ps=None, radius_mm=100.0):
    """Return a scan of a water cylinder with arbitrary events."""
    tof = TofSettings(fwhm_ps=tof_ps, bin_ps=200, n_bins=9) if tof_ps else None
    ring = engine.RingScanner(engine.RingSettings.model_validate({**RING, "tof": tof}))
    grid = ImageGrid((8, 60, 60), (4.0, 4.0, 5.0))
    x, y = grid.centres_mm(axis=0), grid.centres_mm(axis=1)
    water = 0.0096 * (np.hypot(x[None, None], y[None, :, None]) < radius_mm)
    mu_map = engine.Volume(np.broadcast_to(water, grid.shape).astype(np.float32), grid, "1/mm")
    return ListMode(
        ring,
        np.zeros((n_counts, 2), np.int32),
        tof_bins=np.zeros(n_counts, np.int16) if tof else None,
        mu_map=mu_map,
    )


def width(data):
    return auto_settings_of(data, sharpened=False).fwhm_mm


def test_sixteen_times_fewer_counts_double_the_filter_width():
    assert width(scan(100_000)) == pytest.approx(2 * width(scan(1_600_000)), abs=0.15)


def test_tof_makes_the_filter_narrower_and_needs_fewer_iterations():
    timed, untimed = scan(tof_ps=300.0), scan()

    # The TOF kernel, 1.5 widths of the timing, replaces the length of the object.
    gain = (200.0 / (1.5 * 300.0 * 0.149896)) ** 0.25
    assert width(untimed) == pytest.approx(gain * width(timed), abs=0.15)
    assert (
        auto_settings_of(timed, sharpened=False).n_updates
        < auto_settings_of(untimed, sharpened=False).n_updates
    )


@pytest.mark.parametrize(("tof_ps", "share"), [(300.0, 2 / 3), (None, 0.4)])
def test_resolution_model_makes_the_filter_narrower(tof_ps, share):
    data = scan(tof_ps=tof_ps)
    sharp = auto_settings_of(data, sharpened=True).fwhm_mm
    assert sharp == pytest.approx(share**0.25 * width(data), abs=0.1)


def test_filter_in_the_model_has_its_earlier_width():
    assert auto_settings_of(scan(), sharpened=True, sieved=True).fwhm_mm == width(scan())


def test_filter_is_never_narrower_than_the_scanner_resolution():
    many, small = scan(400_000), replace(scan(), mu_map=scan(radius_mm=8.0).mu_map)

    assert width(replace(many, mu_map=small.mu_map)) == pytest.approx(2.4, abs=0.1)


def test_settings_of_a_protocol_are_not_changed():
    algorithm = Osem(iterations=2, subsets=4)
    stated = ListModeProtocol(algorithm=algorithm, finishing=(Gaussian(fwhm_mm=3.0),))

    protocol, words = fitted(stated, scan(), sharpened=False)

    assert (protocol, words) == (stated, "")
    assert fitted(ListModeProtocol(algorithm=Mlem(), finishing=()), scan(), sharpened=True)[1] == ""


def test_open_settings_are_chosen_and_reported():
    protocol, words = fitted(ListModeProtocol(), scan(tof_ps=300.0), sharpened=True)

    fwhm_mm = auto_settings_of(scan(tof_ps=300.0), sharpened=True).fwhm_mm
    assert protocol.finishing == (Gaussian(fwhm_mm=fwhm_mm),)
    assert protocol.algorithm.n_iterations * protocol.algorithm.n_subsets == 48
    assert f"a Gaussian of {fwhm_mm:g} mm, based on 200,000 counts with time of flight" in words


@pytest.mark.parametrize(
    ("use", "stated"),
    [
        ("auto", "Gaussian 1.5 voxels, because the resolution is in the model"),
        ("off", "none, because MAP limits the noise itself"),
    ],
)
def test_filter_after_map_depends_on_the_resolution_and_not_on_the_counts(use, stated):
    protocol = ListModeProtocol(algorithm=Svrg(), corrections={"resolution": {"use": use}})
    study = engine.Study(data=Path("scan.h5"), protocol=protocol)
    stage = without_open_filters(RunContext.of(study, engine.cpu()))
    assert next(stage).text == stated
    with pytest.raises(StopIteration) as end:
        next(stage)
    finishing = fitted(end.value.value.protocol, scan(), sharpened=use == "auto")[0].finishing
    assert finishing == ((Gaussian(),) if use == "auto" else ())


@pytest.mark.parametrize(("tof_ps", "all_of_them"), [(300.0, 48), (None, 208)])
def test_filter_in_the_model_needs_more_updates_for_many_counts(tof_ps, all_of_them):
    corrections = {"resolution": {"use": "auto", "with_filter": True}}
    whole = ListModeProtocol(algorithm=Osem(subsets=1), corrections=corrections)
    data = scan(1_000, tof_ps=tof_ps)

    def updates(n_counts):
        return fitted(whole, data, sharpened=True, of_frame=n_counts)[0].algorithm.n_iterations

    def stepped(n_updates):
        """Round up to a multiple of 8, so that many numbers of subsets divide it."""
        return -(-n_updates // 8) * 8

    assert updates(20_000_000) == all_of_them
    assert updates(1_000) == stepped(all_of_them // 2)
    assert updates(3_500_000) == stepped(round(all_of_them / 2**0.5))
    assert (
        passes_of(whole, data, 20_000_000)
        == fitted(whole, data, sharpened=True, of_frame=20_000_000)[0].algorithm.n_passes
    )


@pytest.mark.parametrize(
    ("n_counts", "subsets", "passes"),
    [(30_000_000, 8, 6), (50_000_000, 12, 4), (100_000_000, 24, 2), (300_000_000, 24, 2)],
)
def test_very_many_counts_use_fewer_iterations_of_more_subsets(n_counts, subsets, passes):
    protocol, words = fitted(ListModeProtocol(), scan(1_000), sharpened=False, of_frame=n_counts)
    assert (protocol.algorithm.n_subsets, protocol.algorithm.n_iterations) == (subsets, passes)
    assert f"{passes} iterations × {subsets} subsets" in words
    requested = ListModeProtocol(algorithm=Osem(iterations=4, subsets=8))
    assert fitted(requested, scan(1_000), sharpened=False, of_frame=n_counts)[0].algorithm == (
        requested.algorithm
    )


def test_frames_have_the_filter_width_of_the_median_frame():
    data = replace(scan(1_600_000), time_ms=np.arange(1_600_000, dtype=np.uint32))
    division = FrameRequest.of("0-10,50-150,150-250,300-1100").divide(data)

    n = middle_counts(data, division)
    protocol, words = fitted(ListModeProtocol(), data, sharpened=False, of_frame=n)

    assert n == 100_000
    assert protocol.finishing == (Gaussian(fwhm_mm=width(scan(100_000))),)
    assert "based on 100,000 counts of the median frame without time of flight" in words


def test_delayeds_do_not_count_for_the_width():
    times, late = (
        np.repeat(np.arange(10, dtype=np.uint32), 4),
        np.tile([False, True, False, False], 10),
    )
    data = replace(scan(40), time_ms=times, delayed=late)
    assert middle_counts(data, TimeDivision.of((TimeFrame(0, 3), TimeFrame(4, 9)))) == (6 + 10) // 2


def test_protocol_can_disable_fitting_to_the_scan():
    fixed = ListModeProtocol(fit_to_scan=False)

    protocol, words = fitted(fixed, scan(), sharpened=False)

    assert words == ""
    assert protocol.finishing == fixed.finishing
    # The protocol's own 24 updates; the number of subsets always follows the counts.
    assert (protocol.algorithm.n_iterations, protocol.algorithm.n_subsets) == (3, 8)


def test_object_size_is_unknown_without_a_map():
    protocol, words = fitted(ListModeProtocol(), replace(scan(), mu_map=None), sharpened=False)

    assert protocol.finishing == ListModeProtocol().finishing
    assert "6 iterations × 8 subsets" in words
