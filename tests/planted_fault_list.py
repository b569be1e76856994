"""Forty one-line faults: file, old text, new text, and the tests that must detect it."""

from __future__ import annotations

from typing import NamedTuple


class Fault(NamedTuple):
    """A fault that a careless change could make.

    Attributes
    ----------
    name : the fault in a few words
    file : path in the repository
    old, new : text that occurs once in the file, and its replacement
    tests : arguments of pytest: test files or folders, of both tiers
    """

    name: str
    file: str
    old: str
    new: str
    tests: str


LISTMODE_TESTS = "tests/engine/modalities/listmode_pet"
LIVE_TESTS = "tests/engine/live/pet"
DYNAMIC = (
    f"{LISTMODE_TESTS}/test_dynamic.py::test_frames_in_becquerel_refer_to_the_start_of_the_scan"
)
BACKGROUND = f"{LISTMODE_TESTS}/test_frame_background.py"
RANDOMS = f"{LIVE_TESTS}/test_live_randoms.py"
WINDOWS = "tests/app/views/colour/test_display_windows.py"
TRANSFERS = "tests/engine/operators/test_xray_transfers.py"

SURVIVORS = (
    Fault(
        "dynamic PET: randoms and scatter shares of a frame exchanged",
        "engine/modalities/listmode_pet/dynamic.py",
        "self.shares.randoms[k], self.shares.scatter[k]",
        "self.shares.scatter[k], self.shares.randoms[k]",
        BACKGROUND,
    ),
    Fault(
        "live PET: randoms not scaled to the frame",
        "engine/live/pet/live_corrections.py",
        "(n_delayed / self._rates_of)",
        "1.0",
        RANDOMS,
    ),
    Fault(
        "zeiss cone: sense of rotation",
        "engine/io/xray/zeiss.py",
        "        -angles,\n        source_mm",
        "        angles,\n        source_mm",
        "tests/engine/io/xray/test_xray_zeiss.py",
    ),
    Fault(
        "preset: Bq/mL windows 10 times too high",
        "app/views/colour/windows.py",
        '"Bq/mL": 1e3}',
        '"Bq/mL": 1e4}',
        WINDOWS,
    ),
    Fault(
        "nuclide: branching of Ga-68",
        "engine/data/timing/decay.py",
        "Nuclide(4062.6, 0.889)",
        "Nuclide(4062.6, 0.899)",
        "tests/engine/data/test_decay.py",
    ),
    Fault(
        "stream buffer: refilled while kernels read it",
        "engine/operators/xray/transfers.py",
        "            gpu.wait_for(self._read[self._which])\n",
        "",
        TRANSFERS,
    ),
)
"""Faults of the audit of 28 Nov 2026 that no test detected on that day."""

DYNAMIC_PET = (
    Fault(
        "dynamic PET: an event at the edge of two frames counts in the first",
        "engine/data/timing/time_division.py",
        'np.searchsorted(self.edges_ms, time_ms, side="right")',
        'np.searchsorted(self.edges_ms, time_ms, side="left")',
        "tests/engine/data/test_time_frames.py",
    ),
    Fault(
        "dynamic PET: randoms shared by prompts",
        "engine/data/timing/time_division.py",
        "randoms = delayeds / n_delayed",
        "randoms = prompts / prompts.sum()",
        f"{BACKGROUND} {DYNAMIC}",
    ),
    Fault(
        "dynamic PET: scatter share counts delayeds once",
        "engine/data/timing/time_division.py",
        "data.n_events - 2 * n_delayed",
        "data.n_events - n_delayed",
        f"{BACKGROUND} {DYNAMIC}",
    ),
    Fault(
        "dynamic PET: mean of frames in Bq/mL without their durations",
        "engine/modalities/listmode_pet/dynamic.py",
        "np.array([frame.duration_s for frame in frames], np.float64)",
        "np.array([1.0 for frame in frames], np.float64)",
        DYNAMIC,
    ),
    Fault(
        "dynamic PET: decay of a frame multiplied, not divided",
        "engine/modalities/listmode_pet/dynamic.py",
        "found.per_count / left / _alive",
        "found.per_count * left / _alive",
        DYNAMIC,
    ),
    Fault(
        "dynamic PET: decay within a frame forgotten",
        "engine/data/timing/time_division.py",
        "/ total * frame_factor(total, half_life_s)",
        "/ total",
        f"tests/engine/data/test_time_frames.py {DYNAMIC}",
    ),
)

LIVE_PET = (
    Fault(
        "live PET: randoms not shared out over time-of-flight bins",
        "engine/live/pet/live_corrections.py",
        "randoms /= events.scanner.tof.n_bins",
        "randoms /= 1",
        RANDOMS,
    ),
    Fault(
        "live PET: delayeds that were left out do not count",
        "engine/live/pet/live_corrections.py",
        "np.sqrt(stands_for) * randoms.rates(data)",
        "1.0 * randoms.rates(data)",
        RANDOMS,
    ),
    Fault(
        "live PET: newest seconds are twice as many",
        "engine/live/pet/event_store.py",
        "now_ms - round(1e3 * self._newest_s)",
        "now_ms - round(2e3 * self._newest_s)",
        f"{LIVE_TESTS}/test_event_store.py",
    ),
    Fault(
        "live PET: every n-th event restarts in each part",
        "engine/live/pet/event_store.py",
        "slice((k - start) % n, None, n)",
        "slice(k % n, None, n)",
        f"{LIVE_TESTS}/test_event_store.py",
    ),
    Fault(
        "live PET: delayeds ignored in the moments",
        "engine/live/pet/activity_moments.py",
        "1.0 - 2.0 * events.delayed",
        "1.0 - 1.0 * events.delayed",
        f"{LIVE_TESTS}/test_motion.py",
    ),
    Fault(
        "live PET: covariance without time of flight lacks a term",
        "engine/live/pet/activity_moments.py",
        "K[i, j] += (across[:, a, d] * across[:, b, c]).sum()",
        "K[i, j] += 0.0",
        f"{LIVE_TESTS}/test_line_means.py",
    ),
    Fault(
        "live PET: an update does not represent all events",
        "engine/live/pet/live_image.py",
        "np.float32(weight * self._n / events.n_events)",
        "np.float32(weight)",
        f"{LIVE_TESTS}/test_live_image.py",
    ),
)

READERS = (
    Fault(
        "zeiss parallel: sense of rotation",
        "engine/io/xray/zeiss.py",
        "            -angles, pixel_mm",
        "            angles, pixel_mm",
        "tests/engine/io/xray/test_xray_zeiss.py",
    ),
    Fault(
        "bruker: clockwise and counter-clockwise exchanged",
        "engine/io/xray/bruker.py",
        "(1.0 if clockwise else -1.0)",
        "(-1.0 if clockwise else 1.0)",
        "tests/engine/io/xray/test_xray_stacks.py tests/engine/io/xray/test_xray_samples.py",
    ),
    Fault(
        "varian: lateral shift of the detector mirrored",
        "engine/io/xray/varian/scan.py",
        "detector_mm=(-aside, sid - sad, -along)",
        "detector_mm=(aside, sid - sad, -along)",
        "tests/engine/io/xray/test_xray_varian.py",
    ),
    Fault(
        "HTC: sense of rotation",
        "engine/io/xray/htc.py",
        "np.pi - angles.rad",
        "np.pi + angles.rad",
        "tests/engine/io/xray/test_xray_htc.py",
    ),
    Fault(
        "CIL: sense of rotation",
        "engine/io/xray/cil.py",
        "about_z(-angles)",
        "about_z(angles)",
        "tests/engine/io/xray/test_xray_cil.py",
    ),
    Fault(
        "nikon: sense of rotation",
        "engine/io/xray/nikon.py",
        "turned_cone(angles - np.pi",
        "turned_cone(-angles - np.pi",
        "tests/engine/io/xray/test_xray_stacks.py tests/engine/io/xray/test_xray_samples.py",
    ),
    Fault(
        "elekta: panel centre mirrored",
        "engine/io/xray/elekta/scan.py",
        "SOURCE_DETECTOR_MM, -frames.centre_mm",
        "SOURCE_DETECTOR_MM, frames.centre_mm",
        "tests/engine/io/xray/test_xray_elekta.py",
    ),
    Fault(
        "sidecar: clockwise ignored",
        "engine/io/xray/sidecar/angles.py",
        "sense = -1.0 if g.clockwise else 1.0",
        "sense = 1.0",
        "tests/engine/io/xray/test_xray_sidecar.py",
    ),
    Fault(
        "gate: sign of the time difference",
        "engine/io/gate/reader.py",
        "(difference_ps * MM_PER_PS - tof.edges_mm[0])",
        "(-difference_ps * MM_PER_PS - tof.edges_mm[0])",
        "tests/engine/io/gate/test_gate.py",
    ),
)

TABLES = (
    Fault(
        "preset: soft tissue window",
        "app/views/colour/windows.py",
        "(-160.0, 240.0)",
        "(-160.0, 340.0)",
        WINDOWS,
    ),
    Fault(
        "preset: SUV windows",
        "app/views/colour/windows.py",
        "_SUV_TOPS = (5.0, 6.0,",
        "_SUV_TOPS = (5.0, 8.0,",
        WINDOWS,
    ),
    Fault(
        "nuclide: half-life of F-18",
        "engine/data/timing/decay.py",
        "Nuclide(6586.2, 0.9686)",
        "Nuclide(6568.2, 0.9686)",
        "tests/engine/data/test_decay.py tests/engine/analysis/quality/test_suv.py",
    ),
    Fault(
        "nuclide: half-life of O-15",
        "engine/data/timing/decay.py",
        "Nuclide(122.24, 0.999)",
        "Nuclide(124.22, 0.999)",
        "tests/engine/data/test_decay.py tests/engine/analysis/quality/test_suv.py",
    ),
    Fault(
        "table: bone at 140 kV",
        "engine/data/attenuation_law.py",
        "140.0: (5.64e-5, 4.08e-2)",
        "140.0: (5.46e-5, 4.08e-2)",
        "tests/engine/io/auxiliary/test_mu_map.py",
    ),
)

STREAMS = (
    Fault(
        "stream buffer: a part is sent before it is complete",
        "engine/operators/xray/transfers.py",
        "            self._gpu.wait_for(made)\n",
        "",
        TRANSFERS,
    ),
    Fault(
        "stream buffer: a part is used before its copy is done",
        "engine/operators/xray/transfers.py",
        "        gpu.wait_for(self._last)\n",
        "",
        TRANSFERS,
    ),
    Fault(
        "stream buffer: a slot of the ring is reused while it is read",
        "engine/core/backend/cupy_ring.py",
        "            self.emptying.result()\n",
        "",
        "tests/engine/core/backend/test_software_card.py"
        "::test_engine_calls_of_cupy_run_on_the_software_gpu_and_cover_the_lines -m slow",
    ),
)

ORIENTATION_AND_UNITS = (
    Fault(
        "orientation: an axis that runs backwards is not flipped",
        "engine/io/volumes/straight_axes.py",
        "if steps[world[axis], axis] < 0:",
        "if steps[world[axis], axis] < -1e9:",
        "tests/engine/io/volumes/test_orientation.py",
    ),
    Fault(
        "orientation: sagittal plane seen from the other side",
        "engine/geometry/patient_planes.py",
        '"sagittal": ("P", "F")',
        '"sagittal": ("A", "F")',
        "tests/app/views/planes/test_planes.py",
    ),
    Fault(
        "units: NIfTI lengths in metres",
        "engine/io/volumes/nifti_values.py",
        "1: 1000.0, 2: 1.0",
        "1: 100.0, 2: 1.0",
        "tests/engine/io/volumes/test_nifti.py tests/engine/io/volumes/test_frames_and_units.py",
    ),
    Fault(
        "units: μ-map in 1/cm",
        "engine/io/auxiliary/mu_units.py",
        "PER_CM: 0.1,",
        "PER_CM: 0.01,",
        "tests/engine/io/auxiliary/test_mu_map.py",
    ),
)

FAULTS = (
    *SURVIVORS,
    *DYNAMIC_PET,
    *LIVE_PET,
    *READERS,
    *TABLES,
    *STREAMS,
    *ORIENTATION_AND_UNITS,
)
