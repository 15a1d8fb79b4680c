"""Integers of several machine words for numba: their types, and their operations in LLVM.

LLVM has integers of any width, so most operations take a line. Numbers are signed, and behave like Python's in shifts
to the right and in comparisons. An import of this module loads numba and registers the types.
"""

import operator
from collections.abc import Callable
from functools import cache
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import lower_builtin, lower_cast, lower_constant
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import (
    NativeValue,
    box,
    intrinsic,
    models,
    overload,
    register_model,
    typeof_impl,
    unbox,
)

from engine.compiling.wide_integers import WORD_BITS, WideInteger, WideTable, popcount, unpacked

WORD = ir.IntType(WORD_BITS)

ALIGNMENT = WORD_BITS // 8
"""Alignment in bytes of a number in an arena: that of its words."""


class WideType(types.Type):  # type: ignore[misc]
    """The type of integers of a width."""

    def __init__(self, width: int) -> None:
        super().__init__(name=f"Wide{width}")
        self.width = width

    def unify(self, _context: Any, other: Any) -> Any:
        """Make a variable wide that is a machine word in one branch and wide in another."""
        return self if isinstance(other, types.Integer) else None

    def can_convert_from(self, _context: Any, other: Any) -> Any:
        """Convert machine words implicitly."""
        return Conversion.safe if isinstance(other, types.Integer) else None


class WideTableType(types.Type):  # type: ignore[misc]
    """The type of tables of ``count`` integers of a width."""

    def __init__(self, width: int, count: int) -> None:
        super().__init__(name=f"WideTable{width}x{count}")
        self.element = WideType(width)
        self.count = count


@register_model(WideType)
class _WideModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: WideType) -> None:
        super().__init__(manager, kind, ir.IntType(kind.width))


@register_model(WideTableType)
class _TableModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: WideTableType) -> None:
        super().__init__(manager, kind, ir.IntType(kind.element.width).as_pointer())


@typeof_impl.register(WideInteger)  # type: ignore[untyped-decorator]
def _type_of_number(number: WideInteger, _context: Any) -> WideType:
    return WideType(number.width)


@typeof_impl.register(WideTable)  # type: ignore[untyped-decorator]
def _type_of_table(table: WideTable, _context: Any) -> WideTableType:
    return WideTableType(table.width, len(table))


# between Python and compiled code


@unbox(WideType)  # type: ignore[untyped-decorator]
def _unbox(kind: WideType, number: Any, context: Any) -> Any:
    api, builder = context.pyapi, context.builder
    value = cgutils.alloca_once_value(builder, ir.Constant(ir.IntType(kind.width), 0))
    words = api.call_method(number, "packed")
    failed = cgutils.is_null(builder, words)
    with builder.if_then(builder.not_(failed)):
        place = builder.bitcast(api.bytes_as_string(words), ir.IntType(kind.width).as_pointer())
        builder.store(builder.load(place, align=1), value)
        api.decref(words)
    return NativeValue(builder.load(value), is_error=failed)


@box(WideType)  # type: ignore[untyped-decorator]
def _box(kind: WideType, value: Any, context: Any) -> Any:
    api, builder = context.pyapi, context.builder
    place = builder.bitcast(cgutils.alloca_once_value(builder, value), ir.IntType(8).as_pointer())
    words = api.bytes_from_string_and_size(place, ir.Constant(api.py_ssize_t, kind.width // 8))
    make = api.unserialize(api.serialize_object(unpacked))
    number = api.call_function_objargs(make, (words,))
    api.decref(make)
    api.decref(words)
    return number


@lower_constant(WideType)  # type: ignore[untyped-decorator]
def _constant(_context: Any, _builder: Any, kind: WideType, number: int) -> Any:
    return ir.Constant(ir.IntType(kind.width), int(number))


@lower_constant(WideTableType)  # type: ignore[untyped-decorator]
def _constant_table(_context: Any, builder: Any, kind: WideTableType, table: WideTable) -> Any:
    element = ir.IntType(kind.element.width)
    values = ir.Constant(ir.ArrayType(element, kind.count), [ir.Constant(element, int(value)) for value in table])
    held = cgutils.global_constant(builder, "wide_table", values)
    return builder.bitcast(held, element.as_pointer())


# conversions


@lower_cast(types.Integer, WideType)  # type: ignore[untyped-decorator]
def _widen(_context: Any, builder: Any, kind: Any, wide: WideType, value: Any) -> Any:
    extend = builder.sext if kind.signed else builder.zext
    return extend(value, ir.IntType(wide.width))


@lower_cast(types.IntegerLiteral, WideType)  # type: ignore[untyped-decorator]
def _widen_literal(_context: Any, _builder: Any, kind: Any, wide: WideType, _value: Any) -> Any:
    return ir.Constant(ir.IntType(wide.width), kind.literal_value)


# operations without carries between words: one vector instruction computes several words


def _vector(builder: Any, number: Any) -> Any:
    """Return the words of a number as a vector, the lowest word first."""
    return builder.bitcast(number, ir.VectorType(WORD, number.type.width // WORD_BITS))


def _by_words(name: str) -> Callable[..., Any]:
    """Return a function that executes an LLVM instruction on vectors of words."""

    def lower(builder: Any, *numbers: Any) -> Any:
        words = getattr(builder, name)(*(_vector(builder, number) for number in numbers))
        return builder.bitcast(words, numbers[0].type)

    return lower


def _moved(builder: Any, words: Any, count: int, filling: Any) -> Any:
    """Return a vector with the words ``count`` places higher, or lower if it is negative. Other words fill the rest."""
    length = words.type.count
    places = [place - count if 0 <= place - count < length else length for place in range(length)]
    mask = ir.Constant(ir.VectorType(ir.IntType(32), length), places)
    return builder.shuffle_vector(words, filling, mask)


def _all(builder: Any, word: Any, length: int) -> Any:
    """Return a vector of ``length`` equal words."""
    kind = ir.VectorType(WORD, length)
    one = builder.insert_element(ir.Constant(kind, ir.Undefined), word, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(ir.IntType(32), length), [0] * length))


def _shifted_left(builder: Any, number: Any, distance: Any) -> Any:
    """Return a number shifted to the left. Bits that leave it at the top are lost."""
    if number.type.width <= 2 * WORD_BITS:
        return builder.shl(number, builder.zext(distance, number.type))
    nothing = ir.Constant(ir.VectorType(WORD, number.type.width // WORD_BITS), None)
    return _shift(builder, number, distance, "fshl", 1, lambda _: nothing)


def _shifted_right(builder: Any, number: Any, distance: Any) -> Any:
    """Return a number shifted to the right, filled with copies of its sign."""
    if number.type.width <= 2 * WORD_BITS:
        return builder.ashr(number, builder.zext(distance, number.type))

    def signs(words: Any) -> Any:
        last = builder.extract_element(words, ir.Constant(ir.IntType(32), words.type.count - 1))
        return _all(builder, builder.ashr(last, ir.Constant(WORD, WORD_BITS - 1)), words.type.count)

    return _shift(builder, number, distance, "fshr", -1, signs)


def _shift(
    builder: Any, number: Any, distance: Any, funnel_name: str, step: int, filling_of: Callable[[Any], Any]
) -> Any:
    """Shift a number of more than two words in registers, where LLVM would use memory.

    Most distances are less than a word. For larger ones, words move by 1, 2, 4, 8 for each bit of the distance (a
    barrel shifter).
    """
    length = number.type.width // WORD_BITS
    kind = ir.VectorType(WORD, length)
    name = f"llvm.{funnel_name}.v{length}i{WORD_BITS}"
    funnel = cgutils.get_or_insert_function(builder.module, ir.FunctionType(kind, [kind, kind, kind]), name)
    vector = _vector(builder, number)
    filling = filling_of(vector)

    def within_word(words: Any, distance: Any) -> Any:
        beside = _moved(builder, words, step, filling)
        pair = (words, beside) if step > 0 else (beside, words)
        return builder.call(funnel, (*pair, _all(builder, distance, length)))

    shifted = cgutils.alloca_once(builder, kind)
    is_near = builder.icmp_unsigned("<", distance, ir.Constant(WORD, WORD_BITS))
    with builder.if_else(is_near, likely=True) as (near, far):
        with near:
            builder.store(within_word(vector, distance), shifted)
        with far:
            words = vector
            count = 1
            while count < length:
                bit = builder.and_(distance, ir.Constant(WORD, count * WORD_BITS))
                is_set = builder.icmp_unsigned("!=", bit, ir.Constant(WORD, 0))
                words = builder.select(is_set, _moved(builder, words, step * count, filling), words)
                count *= 2
            rest = builder.and_(distance, ir.Constant(WORD, WORD_BITS - 1))
            builder.store(within_word(words, rest), shifted)
    return builder.bitcast(builder.load(shifted), number.type)


# all operations


def _define(function: Any, typing: Callable[..., Any], lower: Callable[..., Any], *arguments: Any) -> None:
    """Register a function with numba: the types of its result and its arguments, or None, and its LLVM code."""

    class Template(AbstractTemplate):  # type: ignore[misc]
        def generic(self, args: Any, kws: Any) -> Any:
            return typing(*args) if not kws and len(args) == len(arguments) else None

    infer_global(function)(Template)

    def carry_out(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return lower(builder, *args)

    lower_builtin(function, *arguments)(carry_out)


def _instruction(name: str) -> Callable[..., Any]:
    """Return a function that executes an LLVM instruction."""
    return lambda builder, *numbers: getattr(builder, name)(*numbers)


def _wide_among(left: Any, right: Any) -> Any:
    """Return the wide type of two arguments, one of which is wide and the other wide or a machine word."""
    wide = left if isinstance(left, WideType) else right
    fits = isinstance(wide, WideType) and all(kind == wide or isinstance(kind, types.Integer) for kind in (left, right))
    return wide if fits else None


def _of_two(left: Any, right: Any) -> Any:
    wide = _wide_among(left, right)
    return wide and signature(wide, wide, wide)


def _compared(left: Any, right: Any) -> Any:
    wide = _wide_among(left, right)
    return wide and signature(types.boolean, wide, wide)


def _shifted(number: Any, distance: Any) -> Any:
    fits = isinstance(number, WideType) and isinstance(distance, types.Integer)
    return signature(number, number, types.int64) if fits else None


def _of_one(result: Any = None) -> Callable[[Any], Any]:
    return lambda number: signature(result or number, number) if isinstance(number, WideType) else None


def _by_sign(sign: str) -> Callable[..., Any]:
    return lambda builder, left, right: builder.icmp_signed(sign, left, right)


for _name in ("and_", "or_", "xor", "add", "sub"):
    _lower = _instruction(_name) if _name in ("add", "sub") else _by_words(_name)
    for _function in (getattr(operator, _name), getattr(operator, f"i{_name.rstrip('_')}")):
        _define(_function, _of_two, _lower, WideType, WideType)
for _name, _lower in (("lshift", _shifted_left), ("rshift", _shifted_right)):
    for _function in (getattr(operator, _name), getattr(operator, f"i{_name}")):
        _define(_function, _shifted, _lower, WideType, types.int64)
for _name, _sign in {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}.items():
    _define(getattr(operator, _name), _compared, _by_sign(_sign), WideType, WideType)
_define(operator.invert, _of_one(), _by_words("not_"), WideType)
_define(operator.neg, _of_one(), _instruction("neg"), WideType)
_define(bool, _of_one(types.boolean), lambda builder, number: cgutils.is_not_null(builder, number), WideType)
_define(int, _of_one(types.int64), lambda builder, number: builder.trunc(number, WORD), WideType)


@overload(popcount)
def _popcount(bits):  # type: ignore[no-untyped-def]  # numba compares the two signatures
    return (lambda bits: _count_bits(bits)) if isinstance(bits, WideType | types.Integer) else None


@intrinsic  # type: ignore[untyped-decorator]
def _count_bits(_context: Any, number: Any) -> Any:
    def generate(_ctx: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.trunc(builder.ctpop(args[0]), WORD)

    return types.int64(number if isinstance(number, WideType) else types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def smear_down(_context: Any, number: Any) -> Any:
    """Set every bit below the highest set bit of a number >= 0."""

    def generate(_ctx: Any, builder: Any, _signature: Any, args: Any) -> Any:
        kind = args[0].type
        zeros = builder.trunc(builder.ctlz(args[0], ir.Constant(ir.IntType(1), 0)), WORD)
        bits = builder.sub(ir.Constant(WORD, kind.width), zeros)
        return _by_words("not_")(builder, _shifted_left(builder, ir.Constant(kind, -1), bits))

    return number(number), generate


# tables


@overload(len)
def _length(table):  # type: ignore[no-untyped-def]
    if isinstance(table, WideTableType):
        count = table.count
        return lambda table: count
    return None


@overload(operator.getitem)
def _get(table, place):  # type: ignore[no-untyped-def]
    if isinstance(table, WideTableType):
        count = table.count
        return lambda table, place: _element(table, place if place >= 0 else place + count)
    return None


@intrinsic  # type: ignore[untyped-decorator]
def _element(_context: Any, table: Any, place: Any) -> Any:
    def generate(_ctx: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.load(builder.gep(args[0], [args[1]]))

    return table.element(table, types.intp), generate


# arenas


def _pointer(context: Any, builder: Any, kind: Any, arena: Any, place: Any, width: int) -> Any:
    data = context.make_array(kind)(context, builder, arena).data
    return builder.bitcast(builder.gep(data, [place]), ir.IntType(width).as_pointer())


@cache
def reader(width: int) -> Any:
    """Return ``get_fields(arena, at)``, which reads the words of a number from an arena."""

    @intrinsic  # type: ignore[untyped-decorator]
    def get_fields(_context: Any, arena: Any, _at: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return builder.load(_pointer(context, builder, sig.args[0], args[0], args[1], width), align=ALIGNMENT)

        return WideType(width)(arena, types.intp), generate

    return get_fields


@cache
def writer(width: int) -> Any:
    """Return ``put_fields(arena, at, number)``, which writes the words of a number into an arena."""

    @intrinsic  # type: ignore[untyped-decorator]
    def put_fields(_context: Any, arena: Any, _at: Any, _number: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            place = _pointer(context, builder, sig.args[0], args[0], args[1], width)
            builder.store(args[2], place, align=ALIGNMENT)
            return context.get_dummy_value()

        return types.none(arena, types.intp, WideType(width)), generate

    return put_fields
