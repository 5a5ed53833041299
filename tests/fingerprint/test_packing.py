import numpy as np
import pytest
from hypothesis import given, strategies as st

from fingerprint.params import ENGINE_VERSION
from fingerprint.winnowing import pack, unpack

SKETCH = np.arange(400, dtype=np.uint64)


@given(st.lists(st.integers(0, 2**64 - 1)))
def test_unpacking_returns_the_packed_sketch(values: list[int]) -> None:
    packed = pack(np.array(values, dtype=np.uint64))
    assert len(packed) == 16 + 8 * len(values)
    assert unpack(packed).tolist() == values


def test_damaged_packed_sketches_are_refused() -> None:
    packed = pack(SKETCH)
    for damaged in (packed[:-1], packed + b"\0"):
        with pytest.raises(ValueError, match="sketch of 400 values has 3"):
            unpack(damaged)
    for other in (b"", packed[:10], b"GIF8" + packed[4:]):
        with pytest.raises(ValueError, match=f"not a packed sketch: {len(other)} bytes"):
            unpack(other)


def test_a_packed_sketch_of_another_engine_version_is_refused() -> None:
    later = ENGINE_VERSION + 1
    with pytest.raises(ValueError, match=f"engine version {later}; this engine reads version {later - 1}"):
        unpack(pack(SKETCH, later))


def test_the_packed_bytes_are_the_same_on_every_machine() -> None:
    assert pack(np.array([1, 2**63], dtype=np.uint64), 3).hex() == (
        "4d534b31" + "03000000" + "0200000000000000" + "0100000000000000" + "0000000000000080"
    )
