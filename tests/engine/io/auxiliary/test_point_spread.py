import numpy as np
import pytest

from engine.core.errors import EngineError
from engine.io.auxiliary.point_spread import read_point_spread


def test_table_of_a_scanner_is_read(tmp_path):
    path = tmp_path / "widths.csv"
    path.write_text("# r, radial, tangential, axial\n10, 4.1, 4.0, 4.4\n100, 4.9, 4.4, 4.6\n")

    spread = read_point_spread(path)

    np.testing.assert_array_equal(spread.radius_mm, [10, 100])
    np.testing.assert_array_equal(spread.radial_mm, [4.1, 4.9])
    np.testing.assert_array_equal(spread.tangential_mm, [4.0, 4.4])
    assert spread.axial_mm == pytest.approx(4.5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# nothing\n", "contains no widths"),
        ("10 4.1 4.0\n", "line 1: the number of columns is 3, expected 4"),
        ("10 4.1 4.0 wide\n", "expected only numbers"),
        ("10 4 4 4\n10 4 4 4\n", "row 2 is 10 mm, expected increasing distances"),
        ("10 4 4 0\n", "more than 0"),
        ("10 4 4 nan\n", "NaN"),
    ],
)
def test_invalid_table_of_widths_is_refused(tmp_path, text, message):
    path = tmp_path / "widths.txt"
    path.write_text(text)

    with pytest.raises(EngineError, match=message):
        read_point_spread(path)
