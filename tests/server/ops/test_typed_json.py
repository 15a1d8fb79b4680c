"""Threads that are the first to read a type, all at the same time, read it: with msgspec alone the process ended."""

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from server.ops.typed_json import convert, decode

ROOT = Path(__file__).parents[3]

TYPES = 60
"""With `msgspec.convert` in the place of ours, twenty were enough in eight of eight runs."""

RACE = """
import sys, threading
from typing import NamedTuple
import msgspec
from server.ops.typed_json import convert, decode

def work(kind, read, found):
    barrier.wait()
    found.append(read(kind))

READS = [
    lambda kind: decode(b'{"b3":[{"a2":{"x":[1]}}]}', kind),
    lambda kind: convert({"b3": [{"a2": {"x": [1]}}]}, kind),
]
sys.setswitchinterval(1e-6)
for number in range(int(sys.argv[1])):
    inner = msgspec.defstruct("Inner", [(f"a{at}", dict[str, list[int]] | None, None) for at in range(20)])
    kind = msgspec.defstruct("Outer", [(f"b{at}", list[inner] | None, None) for at in range(20)])
    barrier, found = threading.Barrier(4), []
    threads = [threading.Thread(target=work, args=(kind, READS[number % 2], found)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [one.b3[0].a2 for one in found] == 4 * [{"x": [1]}], found
"""


@pytest.mark.slow
def test_types_are_read_for_the_first_time_by_several_threads_at_once() -> None:
    done = subprocess.run([sys.executable, "-P", "-c", RACE, str(TYPES)], cwd=ROOT, check=False)
    assert done.returncode == 0


class Point(msgspec.Struct):
    x: int


def test_they_read_and_refuse_what_msgspec_does() -> None:
    assert decode(b'{"x": 1}', Point) == decode('{"x": 1}', Point) == convert({"x": 1}, Point) == Point(1)
    with pytest.raises(msgspec.ValidationError):
        decode(b'{"x": "1"}', Point)
    with pytest.raises(msgspec.ValidationError):
        convert({}, Point)
