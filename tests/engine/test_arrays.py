"""Arrays know their module, and tables are copied to a device once."""

from __future__ import annotations

import numpy as np

from engine.arrays import Tables, module_of
from engine.backend import Backend

TABLE = np.arange(5.0)


def test_each_array_knows_its_module(device: Backend) -> None:
    assert module_of(TABLE) is np
    assert module_of(device.to_device(TABLE)) is device.xp


def test_a_table_on_the_host_is_the_table_itself() -> None:
    assert Tables().beside(np.arange(2), TABLE) is TABLE


def test_a_table_is_copied_to_a_device_once(device: Backend) -> None:
    tables, there = Tables(), device.to_device(np.arange(2))

    copy = tables.beside(there, TABLE)

    np.testing.assert_array_equal(device.to_host(copy), TABLE)
    assert type(copy) is type(there)
    assert tables.beside(there, TABLE) is copy
    assert tables.beside(there, TABLE + 1) is not copy
