"""Load object files of kernels: on Linux on x86-64 without LLVM, which is larger than most packages together."""

from __future__ import annotations

import ctypes
import mmap
import os
import struct
import sys
from collections import namedtuple
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

IS_READ_HERE = sys.platform == "linux" and os.uname().machine == "x86_64"
# Of the Executable and Linking Format, and of its supplement for x86-64.
SECTION, SYMBOL, RELOCATION = struct.Struct("<IIQQQQIIQQ"), struct.Struct("<IBBHQQ"), struct.Struct("<QQq")
PROGRAM, SYMBOLS, RELOCATIONS, WITHOUT_DATA = 1, 2, 4, 8
IN_MEMORY = 2
WHOLE_ADDRESS = 1
Section = namedtuple("Section", "name kind flags address start size link applies_to alignment item_size")  # noqa: PYI024

_process = ctypes.CDLL(None, use_errno=True)
_process.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
# Never freed: functions of Python hold addresses in it.
_loaded: list[mmap.mmap] = []


def load(data: bytes, names: Sequence[str]) -> dict[str, int]:
    """Load an object file; return the addresses of some of its functions."""
    if not IS_READ_HERE:
        return _load_by_llvm(data, names)
    (table,), (count,) = struct.unpack_from("<Q", data, 40), struct.unpack_from("<H", data, 60)
    sections = [Section(*SECTION.unpack_from(data, table + SECTION.size * number)) for number in range(count)]
    places, size = dict[int, int](), 0
    for number, section in enumerate(sections):
        if section.kind == WITHOUT_DATA and section.size:
            raise RuntimeError("An object file of the engine has variables, which no kernel has.")
        if section.kind == PROGRAM and section.flags & IN_MEMORY:
            places[number] = size + -size % max(section.alignment, 1)
            size = places[number] + section.size
    memory = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    _loaded.append(memory)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    for number, place in places.items():
        memory[place : place + sections[number].size] = _content(data, sections[number])
    addresses = _addresses(data, sections, {number: start + place for number, place in places.items()})
    for section in sections:
        if section.kind == RELOCATIONS and section.applies_to in places:
            _fill_in(memory, places[section.applies_to], _content(data, section), [*addresses.values()])
    if _process.mprotect(start, size, mmap.PROT_READ | mmap.PROT_EXEC):
        raise OSError(ctypes.get_errno(), "Memory of the engine cannot be made executable.")
    return {name: address for (_, name), address in addresses.items() if name in names}


def _content(data: bytes, section: Section) -> bytes:
    return data[section.start : section.start + section.size]


def _addresses(data: bytes, sections: list[Section], places: dict[int, int]) -> dict[tuple[int, str], int]:
    """Return the addresses of all symbols by their numbers and names; outside, they are of the C library."""
    (symbols,) = (section for section in sections if section.kind == SYMBOLS)
    names, addresses = sections[symbols.link].start, {}
    for number, (at, _, _, section, value, _) in enumerate(SYMBOL.iter_unpack(_content(data, symbols))):
        name = data[names + at : data.index(b"\0", names + at)].decode()
        is_outside = name and not section
        address = _of_process(name) if is_outside else places.get(section, 0) + value
        addresses[number, name] = address
    return addresses


def _fill_in(memory: mmap.mmap, place: int, relocations: bytes, addresses: list[int]) -> None:
    for offset, info, added in RELOCATION.iter_unpack(relocations):
        if info & 0xFFFFFFFF != WHOLE_ADDRESS:
            raise RuntimeError("An object file of the engine has relative addresses, which no kernel has.")
        struct.pack_into("<Q", memory, place + offset, addresses[info >> 32] + added)


def _of_process(function: str) -> int:
    return ctypes.cast(getattr(_process, function), ctypes.c_void_p).value or 0


@cache
def _llvm() -> tuple[Any, Any]:
    from llvmlite import binding  # noqa: PLC0415 - numba brings it, on other machines only

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    machine = binding.Target.from_default_triple().create_target_machine(jit=True)
    return binding.create_mcjit_compiler(binding.parse_assembly(""), machine), binding


def _load_by_llvm(data: bytes, names: Sequence[str]) -> dict[str, int]:
    engine, binding = _llvm()
    engine.add_object_file(binding.ObjectFileRef.from_data(data))
    engine.finalize_object()
    return {name: engine.get_function_address(name) for name in names}
