import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aidge_nb.widgets.wire.columns import pack, unpack

INTS = st.lists(st.integers(-(2**31), 2**32 - 1))


@given(st.dictionaries(st.text(max_size=5), INTS, max_size=4))
def test_what_is_packed_is_read_back(columns: dict[str, list[int]]) -> None:
    arrays = {name: np.array(values, np.int64) for name, values in columns.items()}
    read = unpack(*pack(arrays))
    assert {name: array.tolist() for name, array in read.items()} == columns


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([], "u1"),
        ([255], "u1"),
        ([256], "u2"),
        ([65536], "u4"),
        ([-1, 5], "i4"),
        ([2**40], "f8"),
    ],
)
def test_columns_are_as_narrow_as_they_can_be(values: list[int], dtype: str) -> None:
    table, _ = pack({"a": np.array(values, np.int64)})
    assert table[0]["dtype"] == dtype


def test_floats_stay_floats() -> None:
    table, data = pack({"x": np.array([1.5, -2.25], np.float32)})
    assert table[0]["dtype"] == "f4"
    assert unpack(table, data)["x"].tolist() == [1.5, -2.25]
