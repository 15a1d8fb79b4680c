"""Operations on integers of several machine words that carry nothing from word to word, in LLVM's terms.

LLVM computes with integers of any width a word at a time. Here their words are a vector, of which one instruction
computes with several.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils

from engine.compiling.wide_integers import WORD_BITS

WORD = ir.IntType(WORD_BITS)


def _vector(builder: Any, number: Any) -> Any:
    """Return the words of a number, the lowest first, as a vector: one instruction computes with several of them."""
    return builder.bitcast(number, ir.VectorType(WORD, number.type.width // WORD_BITS))


def by_words(operation: str) -> Callable[..., Any]:
    """Return what carries out an operation on two numbers that has nothing to carry from word to word."""

    def lower(builder: Any, left: Any, right: Any) -> Any:
        words = getattr(builder, operation)(_vector(builder, left), _vector(builder, right))
        return builder.bitcast(words, left.type)

    return lower


def _moved(builder: Any, words: Any, count: int, filling: Any) -> Any:
    """Return the words, each ``count`` places higher, or lower where that is negative; others fill up."""
    length = words.type.count
    places = [place - count if 0 <= place - count < length else length for place in range(length)]
    mask = ir.Constant(ir.VectorType(ir.IntType(32), length), places)
    return builder.shuffle_vector(words, filling, mask)


def _all(builder: Any, word: Any, length: int) -> Any:
    """Return a vector of so many times a word."""
    kind = ir.VectorType(WORD, length)
    one = builder.insert_element(ir.Constant(kind, ir.Undefined), word, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(ir.IntType(32), length), [0] * length))


def shifted_left(builder: Any, number: Any, distance: Any) -> Any:
    """Return a number shifted to the left; what leaves it at the top is lost."""
    if number.type.width <= 2 * WORD_BITS:
        return builder.shl(number, builder.zext(distance, number.type))
    nothing = ir.Constant(ir.VectorType(WORD, number.type.width // WORD_BITS), None)
    return _shift(builder, number, distance, "fshl", 1, lambda _: nothing)


def shifted_right(builder: Any, number: Any, distance: Any) -> Any:
    """Return a number shifted to the right, with copies of its sign drawn in."""
    if number.type.width <= 2 * WORD_BITS:
        return builder.ashr(number, builder.zext(distance, number.type))

    def signs(words: Any) -> Any:
        last = builder.extract_element(words, ir.Constant(ir.IntType(32), words.type.count - 1))
        return _all(builder, builder.ashr(last, ir.Constant(WORD, WORD_BITS - 1)), words.type.count)

    return _shift(builder, number, distance, "fshr", -1, signs)


def _shift(
    builder: Any, number: Any, distance: Any, funnel_name: str, step: int, filling_of: Callable[[Any], Any]
) -> Any:
    """Shift a number of more than two words: LLVM would write it to memory, and read it from a place beside that.

    Distances of less than a word are the usual ones. For others words are moved by 1, 2, 4, 8 where the distance has
    that bit (a barrel shifter).
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


def words_of(builder: Any, number: Any) -> list[Any]:
    """Return the words of a number, the lowest first."""
    places = range(0, number.type.width, WORD_BITS)
    return [builder.trunc(builder.lshr(number, ir.Constant(number.type, place)), WORD) for place in places]


def joined(builder: Any, words: list[Any], kind: Any) -> Any:
    """Return the number that has these words, the lowest first."""
    number = builder.zext(words[0], kind)
    for place, word in enumerate(words[1:], 1):
        high = builder.shl(builder.zext(word, kind), ir.Constant(kind, place * WORD_BITS))
        number = builder.or_(number, high)
    return number


def inverted(builder: Any, number: Any) -> Any:
    """Return a number with every bit turned over."""
    return by_words("xor")(builder, number, ir.Constant(number.type, -1))
