import pytest

from fingerprint.kernels.compiler import parameters
from fingerprint.kernels.library import Array, Parts, exported_kernels, from_json, to_json
from fingerprint.kernels.types import Rows
from tests.fingerprint.kernels import samples


def test_the_layouts_of_arguments_follow_from_their_annotations() -> None:
    columns = Parts((Array("int32", 1), Array("float64", 1)), samples.Columns)
    assert parameters(samples.weigh.py_func) == [columns, Parts(("int64", Array("bool", 1)))]
    assert parameters(samples.split.py_func) == [Array("int64", 2), "int64"]
    assert parameters(samples.next_hash.py_func) == ["uint64", Array("uint64", 1)]


def test_every_kernel_has_a_layout_that_the_library_keeps() -> None:
    for kernel in exported_kernels():
        for layout in parameters(kernel.py_func):
            assert to_json(from_json(to_json(layout))) == to_json(layout)


def test_an_annotation_that_kernels_cannot_take_is_refused() -> None:
    def search(rows: Rows, name: str) -> int:
        return len(rows) + len(name)

    with pytest.raises(TypeError, match="search has a parameter of type <class 'str'>"):
        parameters(search)
