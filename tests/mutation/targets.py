"""Files for planted faults, and the tests that should detect them."""

from __future__ import annotations

from dataclasses import dataclass

VIEWS = "tests/app/views"
ALGORITHMS = "tests/engine/recon/algorithms"
CORRECTIONS = "tests/engine/corrections"


@dataclass(frozen=True)
class Target:
    """A file, its tests, and its group.

    Attributes
    ----------
    group : tests of orientation, units, atomic writes and run states must detect every fault
    only : functions and classes in which faults are planted; empty for all
    """

    file: str
    tests: tuple[str, ...]
    group: str = "numerics"
    only: tuple[str, ...] = ()


RUN_TESTS = ("tests/app/state/models/test_run_model.py", "tests/app/state/models/test_session.py")
TARGETS = (
    Target(
        "app/views/planes/plane_geometry.py",
        tuple(
            f"{VIEWS}/{name}.py"
            for name in (
                "planes/test_planes",
                "test_painted",
                "test_axes_letters",
                "test_slice_view",
                "test_view_state",
            )
        ),
        "orientation",
    ),
    Target("app/views/slices/projection.py", (f"{VIEWS}/test_painted.py",
           f"{VIEWS}/test_mip_view.py",
           f"{VIEWS}/test_turned_projection.py"), "orientation", ("edges", "cursor_uv")),
    Target("app/views/overlay.py", (f"{VIEWS}/test_painted.py", f"{VIEWS}/test_slice_view.py"),
           "orientation", ("letters",)),
    Target("engine/geometry/grid.py", ("tests/engine/geometry/test_grid.py",
           "tests/engine/io/volumes/test_nifti.py"), "orientation"),
    Target("engine/io/volumes/nifti.py", ("tests/engine/io/volumes/test_nifti.py",), "orientation",
           ("_unit", "nifti_bytes")),
    Target("engine/io/volumes/straight_axes.py", ("tests/engine/io/volumes/test_nifti.py",),
           "orientation"),
    Target("app/views/text.py", (f"{VIEWS}/test_text.py", f"{VIEWS}/test_ortho_view.py"), "units"),
    Target("engine/io/safety/atomic_write.py", ("tests/engine/io/safety/test_atomic_write.py",),
           "atomic writes"),
    Target("app/state/models/run_record.py", RUN_TESTS, "run states"),
    Target("app/state/models/run_model.py", RUN_TESTS, "run states"),
    Target("engine/corrections/randoms.py", (f"{CORRECTIONS}/test_corrections.py",)),
    Target("engine/corrections/attenuation.py", (f"{CORRECTIONS}/test_corrections.py",)),
    Target("engine/corrections/histogram.py", (f"{CORRECTIONS}/test_histogram_corrections.py",)),
    Target("engine/recon/algorithms/osem.py", (f"{ALGORITHMS}/test_osem.py",)),
    Target("engine/recon/algorithms/sirt.py", (f"{ALGORITHMS}/test_sirt.py",)),
    Target("engine/recon/algorithms/cgls.py", (f"{ALGORITHMS}/test_cgls.py",)),
    Target("engine/recon/algorithms/fista_tv.py", (f"{ALGORITHMS}/test_fista_tv.py",)),
    Target("engine/recon/algorithms/strength.py", (f"{ALGORITHMS}/test_strength.py",)),
    Target("engine/recon/priors/tv.py", ("tests/engine/recon/priors/test_tv.py",)),
    Target("engine/modalities/listmode_pet/sensitivity.py",
           ("tests/engine/modalities/listmode_pet/test_sensitivity.py",)),
)  # fmt: skip
COMPLETE = ("orientation", "units", "atomic writes", "run states")
"""Groups in which no fault may survive."""

_SHARED_OUT = (
    "engine/corrections/randoms.py|for numbers in np.array_split(lattice(scanner.n_lors, n, "
    "shift=0.5), max(1, n // 1_000_000)):"
)
EQUIVALENT: dict[str, str] = {
    f"{_SHARED_OUT}|77|constant": "a sum is the same in one part as in two",
    f"{_SHARED_OUT}|85|constant": "a sum is the same in other parts",
    "engine/corrections/randoms.py|N_STEPS = 100|10|constant": "the fixed point is reached before",
    "engine/modalities/listmode_pet/sensitivity.py|VOXELS_AT_ONCE = 2**24|20|constant": (
        "how much is done at once changes no result"
    ),
    "app/views/overlay.py|w = max(w, h)|12|arguments": "the larger of two in any order",
    "app/views/slices/projection.py|Direction(axis, 1 if p > 0 else -1) for axis, p in strongest "
    "if abs(p) > SHOWN_LETTER|29|compare": "p is not 0 where its letter is shown",
    "app/views/slices/projection.py|Direction(axis, 1 if p > 0 else -1) for axis, p in strongest "
    "if abs(p) > SHOWN_LETTER|24|constant": "a letter tells a sign, of 1 as of 2",
    "app/views/slices/projection.py|Direction(axis, 1 if p > 0 else -1) for axis, p in strongest "
    "if abs(p) > SHOWN_LETTER|41|constant": "a letter tells a sign",
    "app/views/slices/projection.py|top=Direction(2, 1).letter,|25|constant": (
        "a letter tells a sign"
    ),
    "app/views/slices/projection.py|bottom=Direction(2, -1).letter,|29|constant": (
        "a letter tells a sign"
    ),
    "engine/io/volumes/nifti.py|if steps[world[axis], axis] < 0:|11|compare": (
        "a step is never 0 here"
    ),
    "app/views/text.py|exponent = math.floor(math.log10(abs(value))) if value else 0|64|constant": (
        "a trailing zero is dropped"
    ),
}
"""Faults without a visible effect, by key, with the reason."""
