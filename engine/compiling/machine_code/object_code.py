"""Machine code of a binding's functions, kept as one file: loaded in some milliseconds, without numba.

`object_writer` makes such files of what numba has compiled. A function's entry point takes the address of its arguments
and of the room for its result, flat arrays of 64-bit numbers both, and returns 0 where all went well.
"""

import ctypes
import json
import os
import pickle
import tempfile
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple
from weakref import ref

from engine.compiling.wide_integers import WORD_BITS, WideInteger

ERROR_AT, ERROR_BYTES_AT, RESULT_AT = range(3)
"""Where in its room an entry point puts address and length of a pickled exception, and the result."""

Kind = str | Sequence[Any]
"""A type of an argument or a result: ``none``, ``int``, ``bool``, ``wide BITS``, ``array TYPECODE``, or ``tuple`` with
the name of its class and the types of its parts."""

Entries = Mapping[str, tuple[Kind, Kind]]
"""Types of the arguments, as of a tuple, and of the result, by the names of functions."""

Pack = Callable[[Any, list[int]], None]
Unpack = Callable[[Iterator[int]], Any]

WORD_MASK = (1 << WORD_BITS) - 1


class OtherTypes(TypeError):
    """Arguments of other types than a function was compiled for."""


class ObjectCode(NamedTuple):
    """Machine code, and the entry points that it has."""

    target: str
    """The processor that it was made for, as `target` names it."""
    entries: Entries
    machine_code: bytes
    """An object file; the entry point of a function is called `entry_NAME` there."""


class NativeFunction:
    """A compiled function. It takes what numba's would take, and releases the interpreter lock while it runs."""

    def __init__(self, address: int, taken: Kind, given: Kind, code: object) -> None:
        """Take the address of an entry point, the types of arguments and result, and what keeps the code in memory."""
        self._code = code
        self._entry = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(address)
        self._pack = [_packer(kind) for kind in taken[2]]
        self._unpack = _unpacker(given)
        self._room = array("q", bytes(8 * (RESULT_AT + _length(given))))

    def __call__(self, *arguments: Any) -> Any:
        """Call it. Raises `OtherTypes`, and whatever the function raises."""
        numbers: list[int] = []
        for pack, argument in zip(self._pack, arguments, strict=True):
            pack(argument, numbers)
        taken, room = array("q", numbers), self._room[:]
        if self._entry(taken.buffer_info()[0], room.buffer_info()[0]) != 0:
            pickled = ctypes.string_at(room[ERROR_AT], room[ERROR_BYTES_AT])
            error, words = pickle.loads(pickled)[:2]
            raise error(*words)
        return self._unpack(iter(room[RESULT_AT:]))


def write(folder: Path, purpose: str, code: ObjectCode) -> None:
    """Keep machine code in a folder, as a whole or not at all; raises OSError.

    There may be a file for each of several purposes, of which none knows what functions the others have.
    """
    head = json.dumps({"target": code.target, "entries": code.entries})
    descriptor, beside = tempfile.mkstemp(".new", purpose, folder)  # another process may do the same
    try:
        with open(descriptor, "wb") as file:
            file.write(head.encode() + b"\n" + code.machine_code)
        os.replace(beside, _file(folder, purpose))
    except BaseException:
        os.unlink(beside)
        raise


def is_there(folder: Path, purpose: str) -> bool:
    """Tell whether a folder has machine code for a purpose that this processor runs."""
    with suppress(OSError, ValueError, KeyError, TypeError), _file(folder, purpose).open("rb") as file:
        return bool(json.loads(file.readline())["target"] == target())
    return False


def load(folder: Path) -> dict[str, NativeFunction]:
    """Return the functions by name of which a folder has machine code that this processor runs."""
    found: dict[str, NativeFunction] = {}
    for path in sorted(folder.glob("*.o")):
        with suppress(OSError, ValueError, KeyError, TypeError):
            head, machine_code = path.read_bytes().split(b"\n", 1)
            known = json.loads(head)
            if known["target"] == target():
                engine = _engine(machine_code)
                for name, (taken, given) in known["entries"].items():
                    found[name] = NativeFunction(engine.get_function_address(f"entry_{name}"), taken, given, engine)
    return found


def _file(folder: Path, purpose: str) -> Path:
    return folder / f"{purpose}.o"


@cache
def target() -> str:
    """Name the processor with all that it can do."""
    import llvmlite.binding as llvm

    return f"{llvm.get_process_triple()} {llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}"


def initialise() -> None:
    """Tell LLVM to make and load code for this machine; doing it twice does nothing."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


def _engine(machine_code: bytes) -> Any:
    """Return what has loaded machine code, and keeps it as long as somebody refers to it."""
    import llvmlite.binding as llvm

    initialise()
    machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(machine_code))
    engine.finalize_object()
    return engine


def _packer(kind: Kind) -> Pack:
    """Return what adds an argument to the numbers that an entry point takes."""
    if isinstance(kind, str):
        word, _, detail = kind.partition(" ")
        if word == "array":
            return _array_packer(detail)
        if word == "wide":
            return _wide_packer(int(detail))
        return lambda value, numbers: numbers.append(value)
    parts = [(_packer(part), part.removeprefix("array ") if isinstance(part, str) else "") for part in kind[2]]
    all_plain = all(part in ("int", "bool") for part in kind[2])

    def pack(value: Any, numbers: list[int]) -> None:
        if len(value) != len(parts):
            raise OtherTypes(f"{len(value)} values in a place for {len(parts)}")
        if all_plain:
            numbers += value
            return
        for (pack_part, typecode), part in zip(parts, value, strict=True):
            if type(part) is array and part.typecode == typecode:
                numbers += part.buffer_info()  # a call less for the usual ones
            else:
                pack_part(part, numbers)

    return pack


def _array_packer(typecode: str) -> Pack:
    # large arrays are views of memory that stays where it is as long as a view of it lives, and are passed often
    latest: tuple[Callable[[], Any], tuple[int, int]] = (lambda: None), (0, 0)

    def pack(value: Any, numbers: list[int]) -> None:
        nonlocal latest
        known, packed = latest
        if value is known():
            numbers += packed
            return
        if type(value) is array:
            if value.typecode != typecode:
                raise OtherTypes(f"an array of {value.typecode} in the place of one of {typecode}")
            numbers += value.buffer_info()
            return
        view = memoryview(value)
        same = view.itemsize == array(typecode).itemsize and view.format.islower() == typecode.islower()
        if not (same and view.c_contiguous and view.ndim == 1 and not view.readonly):
            raise OtherTypes(f"an array of {view.format} in the place of one of {typecode}")
        packed = ctypes.addressof(ctypes.c_char.from_buffer(view)) if len(view) > 0 else 0, len(view)
        numbers += packed
        if type(value) is memoryview:
            latest = ref(value), packed

    return pack


def _wide_packer(width: int) -> Pack:
    def pack(value: int, numbers: list[int]) -> None:
        if not isinstance(value, WideInteger) or value.width != width:
            raise OtherTypes(f"a {type(value).__name__} in the place of an integer of {width} bits")
        numbers += array("q", value.packed())

    return pack


def _unpacker(kind: Kind) -> Unpack:
    """Return what makes a result of the numbers that an entry point gave."""
    if isinstance(kind, str):
        word, _, detail = kind.partition(" ")
        if word == "wide":
            return _wide_unpacker(int(detail))
        return {"none": lambda numbers: None, "bool": lambda numbers: bool(next(numbers)), "int": next}[word]
    name = kind[1]
    parts = [_unpacker(part) for part in kind[2]]
    if not name:
        return lambda numbers: tuple([part(numbers) for part in parts])
    module, _, class_name = name.partition(":")
    made = getattr(import_module(module), class_name)
    return lambda numbers: made._make([part(numbers) for part in parts])


def _wide_unpacker(width: int) -> Unpack:
    def unpack(numbers: Iterator[int]) -> int:
        words = array("q", [next(numbers) for _ in range(width // WORD_BITS)])
        return WideInteger(int.from_bytes(words.tobytes(), "little", signed=True), width)

    return unpack


def _length(kind: Kind) -> int:
    """Return how many numbers a result takes."""
    if isinstance(kind, str):
        word, _, detail = kind.partition(" ")
        return int(detail) // WORD_BITS if word == "wide" else int(word != "none")
    return sum(map(_length, kind[2]))
