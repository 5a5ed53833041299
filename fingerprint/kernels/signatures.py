"""The layouts of a kernel's arguments, read from its annotations."""

from __future__ import annotations

import ast
import inspect
import sys
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from fingerprint.kernels.layouts import Array, Layout, Parts

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

SCALARS = {int: "int64", float: "float64", np.uint64: "uint64", np.int64: "int64"}


def parameters(function: Callable[..., object]) -> list[Layout]:
    """Return the layouts of a function's parameters.

    Raises
    ------
    TypeError
        When an annotation is no array of `fingerprint.types`, number, or tuple of these.
    """
    module = sys.modules[function.__module__]
    hints = get_type_hints(function, typing_names(module), include_extras=True)
    return [_layout(hints[name], function) for name in inspect.signature(function).parameters]


@cache
def typing_names(module: ModuleType) -> dict[str, Any]:
    """Return the names of a module with those that it has for type checkers only."""
    names = dict(vars(module))
    for block in ast.parse(inspect.getsource(module)).body:
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING":
            for statement in block.body:
                _define(statement, names)
    return names


def _define(statement: ast.stmt, names: dict[str, Any]) -> None:
    """Run a statement that type checkers see; what it imports another module may have for them only, too."""
    if isinstance(statement, ast.ImportFrom) and statement.module:
        module = import_module(statement.module)
        for alias in statement.names:
            available = vars(module) if hasattr(module, alias.name) else typing_names(module)
            names[alias.asname or alias.name] = available[alias.name]
    else:
        exec(compile(ast.Module([statement], []), "<annotations>", "exec"), names)  # noqa: S102 - of this package


def _layout(hint: Any, function: Callable[..., object]) -> Layout:
    """Return the layout of an annotation; an array has one dimension unless it is `Annotated` with more."""
    if hint in SCALARS:
        return SCALARS[hint]
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        array = _layout(arguments[0], function)
        assert isinstance(array, Array)
        return array._replace(dimensions=arguments[1])
    if origin is NDArray:  # an alias with a name, since NumPy 2.5 on Python 3.12 and newer
        return Array(np.dtype(arguments[0]).name, 1)
    if origin is np.ndarray:
        (dtype,) = get_args(arguments[1])
        return Array(np.dtype(dtype).name, 1)
    if origin is tuple:
        return Parts(tuple(_layout(argument, function) for argument in arguments))
    if isinstance(hint, type) and issubclass(hint, tuple):
        fields = get_type_hints(hint, typing_names(sys.modules[hint.__module__]), include_extras=True)
        return Parts(tuple(_layout(field, function) for field in fields.values()), hint)
    raise TypeError(f"{function.__name__} has a parameter of type {hint}, which kernels cannot take")
