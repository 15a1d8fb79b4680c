"""Writes compiled functions as one piece of machine code, which `object_code` loads without numba.

Each function gets an entry point that takes two flat arrays of 64-bit numbers: its arguments, and room for its result.
All functions of a binding are one module of LLVM's and are optimised together. Whoever imports this imports numba.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import llvmlite.binding as llvm
import numba
from llvmlite import ir
from numba.core import cgutils
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target
from numba.np.arrayobj import make_array, populate_array

from engine.compiling.machine_code.object_code import (
    ERROR_AT,
    ERROR_BYTES_AT,
    RESULT_AT,
    Entries,
    Kind,
    ObjectCode,
    target,
)
from engine.compiling.vector_lowering import WORD, joined, words_of
from engine.compiling.wide_integers import WORD_BITS
from engine.compiling.wide_lowering import WideType

types: Any = numba.types

ENTRY = ir.FunctionType(ir.IntType(32), [WORD.as_pointer(), WORD.as_pointer()])

TYPECODES = {
    types.int64: "q",
    types.int32: "i",
    types.uint32: "I",
    types.int16: "h",
    types.uint8: "B",
}
"""The numbers of arrays that entry points take, as `array` names them."""


class _NoEntry(TypeError):
    """A type that no entry point takes."""


def write(functions: Mapping[str, Any]) -> ObjectCode:
    """Return the machine code of functions by name, given what numba has made of them.

    Those with types beside numbers, flat arrays of numbers, and tuples of these are left out.
    """
    with global_compiler_lock:
        entries, module = _optimised(functions)
        return ObjectCode(target(), entries, bytes(cpu_target.target_context.codegen()._tm.emit_object(module)))


def bitcode(functions: Mapping[str, Any]) -> tuple[Entries, bytes]:
    """Return the entry points of the same functions, and LLVM's bitcode, of which any machine makes machine code.

    It needs nothing but what processors have instructions for, or LLVM instructions in the place of one.
    """
    with global_compiler_lock:
        entries, module = _optimised(functions)
        missing = [one.name for one in module.functions if one.is_declaration and not one.name.startswith("llvm.")]
        assert not missing, missing
        return entries, bytes(module.as_bitcode())


def _optimised(functions: Mapping[str, Any]) -> tuple[Entries, Any]:
    """Return entry points, and a module with them and all that they call."""
    entries: dict[str, tuple[Kind, Kind]] = {}
    own = ir.Module("entries")
    compiled = []
    for name, result in functions.items():
        try:
            kinds = _kind(types.Tuple(result.signature.args)), _kind(result.signature.return_type)
        except _NoEntry:
            continue
        _write_entry(own, name, result)
        entries[name] = kinds
        compiled.append(result)
    codegen = cpu_target.target_context.codegen()
    module = llvm.parse_assembly(str(codegen._create_empty_module("object")))
    module.link_in(llvm.parse_assembly(cgutils.normalize_ir_text(str(own))))
    for result in compiled:
        module.link_in(result.library._get_module_for_linking(), preserve=True)
    for function in module.functions:
        if not function.is_declaration and not function.name.startswith("entry_"):
            function.linkage = "internal"
    passes, builder = codegen._module_pass_manager()
    passes.run(module, builder)
    return entries, module


def _kind(of: Any) -> Kind:
    """Return what `object_code` is told of a type."""
    if isinstance(of, types.NoneType):
        return "none"
    if isinstance(of, types.Boolean):
        return "bool"
    if isinstance(of, types.Integer):
        return "int"
    if isinstance(of, WideType):
        return f"wide {of.width}"
    if isinstance(of, types.Array) and of.ndim == 1 and of.layout == "C" and of.dtype in TYPECODES:
        return f"array {TYPECODES[of.dtype]}"
    if isinstance(of, types.BaseTuple):
        made = getattr(of, "instance_class", None)
        name = "" if made is None else f"{made.__module__}:{made.__qualname__}"
        return ("tuple", name, tuple(map(_kind, of)))
    raise _NoEntry(str(of))


def _write_entry(module: Any, name: str, result: Any) -> None:
    """Add the entry point of a compiled function to a module."""
    context = result.target_context
    function = context.declare_function(module, result.fndesc)
    entry = ir.Function(module, ENTRY, f"entry_{name}")
    builder = ir.IRBuilder(entry.append_basic_block())
    taken, room = entry.args
    values = _numbers(builder, taken)
    arguments = [_read(context, builder, kind, values) for kind in result.signature.args]
    status, returned = context.call_conv.call_function(
        builder, function, result.fndesc.restype, result.fndesc.argtypes, arguments
    )
    with builder.if_else(status.is_error) as (failed, succeeded):
        with failed:
            error = builder.load(status.excinfoptr)
            for at, part in ((ERROR_AT, builder.ptrtoint), (ERROR_BYTES_AT, builder.zext)):
                value = part(builder.extract_value(error, at - ERROR_AT), WORD)
                builder.store(value, builder.gep(room, [WORD(at)]))
        with succeeded:
            places = _places(builder, room)
            _store(context, builder, result.signature.return_type, returned, places)
    builder.ret(builder.select(status.is_error, status.code, status.code.type(0)))


def _numbers(builder: Any, taken: Any) -> Iterator[Any]:
    """Yield the numbers of an array, one after the other."""
    at = 0
    while True:
        yield builder.load(builder.gep(taken, [WORD(at)]))
        at += 1


def _places(builder: Any, room: Any) -> Iterator[Any]:
    """Yield pointers to the places of a result."""
    at = RESULT_AT
    while True:
        yield builder.gep(room, [WORD(at)])
        at += 1


def _read(context: Any, builder: Any, kind: Any, numbers: Iterator[Any]) -> Any:
    """Return an argument, made of the next numbers."""
    if isinstance(kind, types.BaseTuple):
        return context.make_tuple(builder, kind, [_read(context, builder, part, numbers) for part in kind])
    if isinstance(kind, types.Array):
        address, length = next(numbers), next(numbers)
        array = make_array(kind)(context, builder)
        size = context.get_abi_sizeof(context.get_data_type(kind.dtype))
        data = builder.inttoptr(address, array.data.type)
        populate_array(array, data, (length,), (WORD(size),), WORD(size), None)
        return array._getvalue()
    if isinstance(kind, types.Boolean):
        return cgutils.is_not_null(builder, next(numbers))
    if isinstance(kind, WideType):
        words = [next(numbers) for _ in range(0, kind.width, WORD_BITS)]
        return joined(builder, words, ir.IntType(kind.width))
    number = next(numbers)
    return number if kind.bitwidth == WORD_BITS else builder.trunc(number, ir.IntType(kind.bitwidth))


def _store(context: Any, builder: Any, kind: Any, value: Any, places: Iterator[Any]) -> None:
    """Write a result to the next places."""
    if isinstance(kind, types.BaseTuple):
        for at, part in enumerate(kind):
            _store(context, builder, part, builder.extract_value(value, at), places)
    elif isinstance(kind, types.Boolean):
        builder.store(builder.zext(value, WORD), next(places))
    elif isinstance(kind, WideType):
        for word in words_of(builder, value):
            builder.store(word, next(places))
    elif isinstance(kind, types.Integer):
        if kind.bitwidth < WORD_BITS:
            value = (builder.sext if kind.signed else builder.zext)(value, WORD)
        builder.store(value, next(places))
