"""Compile kernels to object files with numba, in a process of its own: `python -m` this, a folder and names.

Object files need nothing of numba or Python: arrays that kernels allocate come from `malloc`, by functions
that are written here in LLVM's language. The layouts of a kernel's arguments are read from its annotations.

A call from Python with each field of each array as an argument of its own took most of the time of short
kernels. A number is a word, an array its address and its shape, a tuple the words of its parts.
"""

from __future__ import annotations

import ast
import inspect
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import numpy as np
from llvmlite import binding
from numba import types
from numba.core import config
from numba.core.codegen import AOTCodeLibrary, AOTCPUCodegen
from numba.core.compiler import Compiler
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher, cpu_target
from numba.extending import typeof_impl
from numpy.typing import NDArray

from fingerprint.kernels.library import PACKAGE, Array, Layout, Parts, to_json
from fingerprint.kernels.registry import Kernel

FUNCTIONS = """
%MemInfo = type { i64, ptr, ptr, ptr, i64, ptr }

declare ptr @malloc(i64)
declare ptr @realloc(ptr, i64)
declare void @free(ptr)

define ptr @NRT_Allocate(i64 %size) {
  %block = call ptr @malloc(i64 %size)
  ret ptr %block
}

define void @NRT_Free(ptr %block) {
  call void @free(ptr %block)
  ret void
}

define internal void @describe(ptr %info, ptr %end, ptr %argument, ptr %data, i64 %size) {
  %end.at = getelementptr %MemInfo, ptr %info, i32 0, i32 1
  %argument.at = getelementptr %MemInfo, ptr %info, i32 0, i32 2
  %data.at = getelementptr %MemInfo, ptr %info, i32 0, i32 3
  %size.at = getelementptr %MemInfo, ptr %info, i32 0, i32 4
  %allocator.at = getelementptr %MemInfo, ptr %info, i32 0, i32 5
  store i64 1, ptr %info
  store ptr %end, ptr %end.at
  store ptr %argument, ptr %argument.at
  store ptr %data, ptr %data.at
  store i64 %size, ptr %size.at
  store ptr null, ptr %allocator.at
  ret void
}

define ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 %align) {
  %align.64 = zext i32 %align to i64
  %before = add i64 %align.64, 48
  %all = add i64 %before, %size
  %block = call ptr @malloc(i64 %all)
  %none = icmp eq ptr %block, null
  br i1 %none, label %failed, label %allocated
failed:
  ret ptr null
allocated:
  %address = ptrtoint ptr %block to i64
  %highest = add i64 %address, %before
  %mask = sub i64 0, %align.64
  %aligned = and i64 %highest, %mask
  %data = inttoptr i64 %aligned to ptr
  call void @describe(ptr %block, ptr null, ptr null, ptr %data, i64 %size)
  ret ptr %block
}

define void @NRT_MemInfo_call_dtor(ptr %info) {
  %end.at = getelementptr %MemInfo, ptr %info, i32 0, i32 1
  %end = load ptr, ptr %end.at
  %none = icmp eq ptr %end, null
  br i1 %none, label %last, label %first
first:
  %argument.at = getelementptr %MemInfo, ptr %info, i32 0, i32 2
  %data.at = getelementptr %MemInfo, ptr %info, i32 0, i32 3
  %size.at = getelementptr %MemInfo, ptr %info, i32 0, i32 4
  %argument = load ptr, ptr %argument.at
  %data = load ptr, ptr %data.at
  %size = load i64, ptr %size.at
  call void %end(ptr %data, i64 %size, ptr %argument)
  br label %last
last:
  call void @free(ptr %info)
  ret void
}

define internal void @end_resizable(ptr %data, i64 %size, ptr %end.items) {
  %none = icmp eq ptr %end.items, null
  br i1 %none, label %last, label %first
first:
  call void %end.items(ptr %data)
  br label %last
last:
  call void @free(ptr %data)
  ret void
}

define ptr @NRT_MemInfo_new_varsize_dtor(i64 %size, ptr %end.items) {
  %data = call ptr @malloc(i64 %size)
  %none = icmp eq ptr %data, null
  br i1 %none, label %failed, label %allocated
failed:
  ret ptr null
allocated:
  %info = call ptr @malloc(i64 48)
  %no.info = icmp eq ptr %info, null
  br i1 %no.info, label %failed.again, label %complete
failed.again:
  call void @free(ptr %data)
  ret ptr null
complete:
  call void @describe(ptr %info, ptr @end_resizable, ptr %end.items, ptr %data, i64 %size)
  ret ptr %info
}

define ptr @NRT_MemInfo_varsize_realloc(ptr %info, i64 %size) {
  %data.at = getelementptr %MemInfo, ptr %info, i32 0, i32 3
  %size.at = getelementptr %MemInfo, ptr %info, i32 0, i32 4
  %data = load ptr, ptr %data.at
  %moved = call ptr @realloc(ptr %data, i64 %size)
  store ptr %moved, ptr %data.at
  store i64 %size, ptr %size.at
  ret ptr %moved
}
"""

SCALARS = {int: "int64", float: "float64", np.uint64: "uint64", np.int64: "int64"}

OPTIONS = {"nopython": True, "nogil": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}

NUMBERS = {"int64": "i64", "uint64": "i64", "float64": "double"}


def parameters(function: Callable[..., object]) -> list[Layout]:
    """Return the layouts of a function's parameters.

    Raises TypeError when an annotation is no array of `fingerprint.kernels.types`, number, or tuple of these.
    """
    module = sys.modules[function.__module__]
    hints = get_type_hints(function, typing_names(module), include_extras=True)
    return [_layout(hints[name], function) for name in inspect.signature(function).parameters]


@cache
def typing_names(module: ModuleType) -> dict[str, Any]:
    """Return the names of a module, including names that it defines for type checkers only."""
    names = dict(vars(module))
    for block in ast.parse(inspect.getsource(module)).body:
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING":
            for statement in block.body:
                _define(statement, names)
    return names


def _define(statement: ast.stmt, names: dict[str, Any]) -> None:
    """Run a statement that type checkers see; an imported name may be for type checkers only, too."""
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


class _LinkedLibrary(AOTCodeLibrary):  # type: ignore[misc]
    """LLVM's code of a function, which is compiled to machine code only when all is linked."""

    def get_pointer_to_function(self, _name: str) -> int:
        return 0


class _LinkedCodegen(AOTCPUCodegen):  # type: ignore[misc]
    _library_class = _LinkedLibrary

    def set_env(self, _name: str, _environment: object) -> None:
        """Do nothing: only functions that are called from Python by numba have an environment."""


class _LoweringCompiler(Compiler):  # type: ignore[misc]
    """A compiler that ends with LLVM's code, because no process calls these functions one by one."""

    def __init__(self, typing_context: Any, target_context: Any, library: Any, *rest: Any) -> None:
        flags = rest[2]
        flags.no_compile = True
        super().__init__(typing_context, target_context, library, *rest)


class _CalledFunction(CPUDispatcher):  # type: ignore[misc]
    """A function that compiled functions call."""

    def get_call_template(self, arguments: Any, named: Any) -> Any:
        """Compile a function once for numbers, not once more for each constant."""
        return super().get_call_template(tuple(map(types.unliteral, arguments)), named)

    def add_overload(self, compiled: Any) -> None:
        """Let the functions that are compiled later find this one."""

        def key() -> None:
            """Stand for this specialisation in numba's tables of functions."""

        self.targetctx.insert_user_function(key, compiled.fndesc, [compiled.library])
        self.overloads[tuple(compiled.signature.args)] = compiled._replace(entry_point=key)
        report(self.py_func)


def report(function: Any) -> None:
    """Write the name of a function that was compiled for the process that shows the progress."""
    if isinstance(cpu_target.target_context.codegen(), _LinkedCodegen):  # not where numba is used otherwise
        sys.stdout.write(f"{function.__module__}.{function.__name__}\n")
        sys.stdout.flush()


def dispatcher_type(kernel: Kernel[Any, Any], _context: object = None) -> types.Dispatcher:
    """Return numba's type of a kernel, as which other kernels know it."""
    return types.Dispatcher(_called_function(kernel))


typeof_impl.register(Kernel, dispatcher_type)


@cache
def _called_function(kernel: Kernel[Any, Any]) -> _CalledFunction:
    options = OPTIONS | ({"_nrt": False} if kernel.is_bare else {})  # no counting of references
    function = _without_folder(kernel.py_func)
    return _CalledFunction(function, targetoptions=options, pipeline_class=_LoweringCompiler)


def _without_folder(function: Callable[..., Any]) -> FunctionType:
    """Return a copy of a function whose file has no folder before the package.

    The machine code names the file for errors: sources in another folder would make other bytes.
    """
    code, module = function.__code__, function.__globals__
    file = Path(code.co_filename).relative_to(PACKAGE.parent).as_posix()
    return FunctionType(code.replace(co_filename=file), module, function.__name__, function.__defaults__)


def compile_group(kernels: list[Kernel[Any, Any]], folder: Path) -> None:
    """Write the object file of some kernels, and the layouts of their arguments and results."""
    module, descriptions = binding.parse_assembly(FUNCTIONS), {}
    for kernel in kernels:
        layouts = parameters(kernel.py_func)
        function, arguments = _called_function(kernel), tuple(map(_numba_type, layouts))
        function.compile(arguments)
        compiled = function.overloads[arguments]
        _link(module, compiled)
        body = f"{kernel.name} body"
        module.get_function(compiled.fndesc.llvm_func_name).name = body
        module.link_in(binding.parse_assembly(entry(kernel.name, body, layouts)))
        result = to_json(_result_layout(compiled.signature.return_type))
        descriptions[kernel.name] = {"parameters": [*map(to_json, layouts)], "result": result}
    (folder / f"{kernels[0].name}.o").write_bytes(_object_file(module, set(descriptions)))
    (folder / f"{kernels[0].name}.json").write_text(json.dumps(descriptions))


def _link(module: binding.ModuleRef, compiled: Any) -> None:
    """Add a compiled function and what it calls to a module."""
    library = compiled.library
    with global_compiler_lock:
        library._ensure_finalized()  # noqa: SLF001 - numba has no public way
    module.link_in(library._final_module, preserve=True)  # noqa: SLF001 - as above


def _object_file(module: binding.ModuleRef, exported: set[str]) -> bytes:
    """Return the machine code of a module, in which only some functions are visible."""
    for symbol in (*module.functions, *module.global_variables):
        if not symbol.is_declaration:
            symbol.linkage = "external" if symbol.name in exported else "internal"
    target = binding.Target.from_default_triple()
    options = {"opt": 3, "reloc": "static", "codemodel": "jitdefault", "jit": True}
    machine = target.create_target_machine(config.CPU_NAME, **options)
    tuning = binding.create_pipeline_tuning_options(speed_level=3)
    tuning.loop_vectorization, tuning.slp_vectorization = True, False  # as numba does
    builder = binding.create_pass_builder(machine, tuning)
    passes = builder.getModulePassManager()
    passes.add_refprune_pass()
    passes.run(module, builder)
    code: bytes = machine.emit_object(module)
    return code


def _numba_type(layout: Layout) -> types.Type:
    if isinstance(layout, Array):
        return types.Array(_scalar(layout.dtype), layout.dimensions, "C")
    if isinstance(layout, Parts):
        return types.BaseTuple.from_types([_numba_type(part) for part in layout.of], layout.python_class)
    return _scalar(layout)


def _scalar(dtype: str) -> types.Type:
    return types.boolean if dtype == "bool" else getattr(types, dtype)


def _result_layout(numba_type: types.Type) -> Layout:
    if isinstance(numba_type, types.Array):
        if numba_type.layout != "C":
            raise TypeError(f"a kernel returns {numba_type}; it may return contiguous arrays only")
        return Array(str(numba_type.dtype), numba_type.ndim)
    if isinstance(numba_type, types.BaseTuple):
        return Parts(tuple(map(_result_layout, numba_type)))
    if str(numba_type) not in ("none", "int64", "float64"):
        raise TypeError(f"a kernel returns {numba_type}, which Python cannot read")
    return str(numba_type)


def main() -> None:
    """Compile groups of kernels: the names in a group are separated by commas."""
    folder, *groups = sys.argv[1:]
    # Without this, numba makes machine code of every function that another one calls, and drops it.
    cpu_target.target_context._internal_codegen = _LinkedCodegen("kernels", config.CPU_NAME)  # noqa: SLF001
    for group in groups:
        compile_group([_kernel(name) for name in group.split(",")], Path(folder))


def _kernel(name: str) -> Kernel[Any, Any]:
    module, _, function = name.rpartition(".")
    kernel: Kernel[Any, Any] = getattr(import_module(module), function)
    return kernel


def entry(name: str, body: str, parameters: Sequence[Layout]) -> str:
    """Return a function `name` that calls the function `body` of numba's convention."""
    words = _Words()
    arguments = [argument for layout in parameters for argument in words.arguments(layout)]
    types = ", ".join(["ptr", "ptr", *(argument.split()[0] for argument in arguments)])
    values = ", ".join(["ptr %result", "ptr %error", *arguments])
    return "\n".join(
        [
            f'declare i32 @"{body}"({types})',
            f'define i32 @"{name}"(ptr %result, ptr %error, ptr %words) {{',
            *words.lines,
            f'%status = call i32 @"{body}"({values})',
            "ret i32 %status",
            "}",
        ]
    )


class _Words:
    """The instructions that read the words, one after another."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._count = 0

    def arguments(self, layout: Layout) -> Iterator[str]:
        """Yield the type and the value of each argument that numba makes of an argument with a layout."""
        if isinstance(layout, Parts):
            for part in layout.of:
                yield from self.arguments(part)
        elif isinstance(layout, Array):
            yield from self._array(layout)
        else:
            yield self._next(NUMBERS[layout])

    def _next(self, kind: str) -> str:
        name = f"%word.{self._count}"
        self.lines += [
            f"{name}.at = getelementptr i64, ptr %words, i64 {self._count}",
            f"{name} = load {kind}, ptr {name}.at",
        ]
        self._count += 1
        return f"{kind} {name}"

    def _product(self, one: str, other: str) -> str:
        name = f"%product.{len(self.lines)}"
        self.lines.append(f"{name} = mul {one}, {other.split()[1]}")
        return f"i64 {name}"

    def _array(self, layout: Array) -> Iterator[str]:
        """Yield owner of the memory and Python object, size, bytes an item, data, shape and strides."""
        itemsize = f"i64 {np.dtype(layout.dtype).itemsize}"
        data, shape = self._next("ptr"), [self._next("i64") for _ in range(layout.dimensions)]
        strides = [itemsize]
        for length in reversed(shape[1:]):
            strides.insert(0, self._product(strides[0], length))
        size = shape[0]
        for length in shape[1:]:
            size = self._product(size, length)
        yield from ("ptr null", "ptr null", size, itemsize, data, *shape, *strides)


if __name__ == "__main__":
    main()
