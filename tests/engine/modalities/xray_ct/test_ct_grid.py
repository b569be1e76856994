"""The default position of the volume of a CT scan."""

import pytest

from engine.geometry.orbits import circle, circular_cone, parallel
from engine.modalities.xray_ct.protocol import CtGrid


def test_volume_is_centred_on_the_central_ray():
    size = {"source_axis_mm": 500.0, "source_detector_mm": 800.0, "shape": (40, 60)}
    raised = circular_cone(circle(8), pixel_mm=1.6, detector_shift_mm=(0.0, 16.0), **size)
    assert CtGrid().grid_for(raised).centre_mm == pytest.approx((0, 0, 10))  # 16 mm / 1.6
    whole = circular_cone(circle(8), pixel_mm=1.6, **size).moved(shift_mm=(0, 0, 7))
    assert CtGrid().grid_for(whole).centre_mm == pytest.approx((0, 0, 7))
    flat = parallel(circle(8), shape=(40, 60), pixel_mm=1.0, detector_shift_mm=(0.0, 5.0))
    assert CtGrid().grid_for(flat).centre_mm == pytest.approx((0, 0, 5))
