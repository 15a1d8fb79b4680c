"""Arithmetic on bits that the rules of several games have in common, interpreted and compiled alike."""

HASH_FACTOR = 0x2545F4914F6CDD1D
HASH_MASK = (1 << 62) - 1


def mix(value: int, more: int) -> int:
    """Stir a number of 62 bits into a hash of 62 bits."""
    value = ((value ^ more) * HASH_FACTOR) & HASH_MASK
    return value ^ (value >> 31)


def run_shifts(run: int) -> tuple[int, ...]:
    """Return shifts that leave one bit of every ``run`` neighbouring ones, each as far as the ones before reach."""
    shifts = []
    length = 1
    while length < run:
        shifts.append(min(length, run - length))
        length += shifts[-1]
    return tuple(shifts)


def popcount(bits: int) -> int:
    """Count the bits that are set in a number >= 0. Compiled to one machine instruction."""
    return bits.bit_count()
