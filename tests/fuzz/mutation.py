"""Changed samples, at random."""

from collections.abc import Iterator
from random import Random

TOKENS: tuple[bytes, ...] = (
    *(b"\n", b"\r\n", b" ", b"\t", b"\0", b"-", b"0", b"-1", b"999999999999", b"1e9", b".", b"|", b"| ", b"#", b"\xff"),
    *("٣".encode(), "а".encode(), "\u2028".encode(), b"\x1b[2J", b"W", b"B", b"_", b"white", b"x" * 1100),
)
"""Tokens that parsers often misread: line ends, signs, large numbers, lookalike digits and letters."""


def mutated(samples: list[bytes], chance: Random) -> Iterator[bytes]:
    """Yield inputs without end; the samples themselves come first."""
    yield from samples
    while True:
        data = bytearray(chance.choice(samples))
        for _ in range(chance.choice((1, 1, 2, 4, 16))):
            _change(data, samples, chance)
        yield bytes(data)


def _change(data: bytearray, samples: list[bytes], chance: Random) -> None:
    begin = chance.randrange(len(data) + 1)
    end = min(len(data), begin + chance.choice((1, 1, 2, 5, 40)))
    match chance.randrange(7):
        case 0:
            del data[begin:end]
        case 1:
            data[begin:begin] = chance.choice(TOKENS)
        case 2:
            data[begin:end] = chance.choice(TOKENS)
        case 3:
            data[begin:end] = chance.randbytes(end - begin)
        case 4:
            data[begin:begin] = data[begin:end] * chance.choice((1, 2, 30))
        case 5:
            other = chance.choice(samples)
            place = chance.randrange(len(other) + 1)
            data[begin:end] = other[place : place + chance.choice((4, 20, 200))]
        case _:
            lines = bytes(data).split(b"\n")
            chance.shuffle(lines)
            data[:] = b"\n".join(lines)
