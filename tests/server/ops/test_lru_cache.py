"""A cache holds no more than it may, and lets go of what was used least recently."""

from server.ops.lru_cache import LruCache


def test_what_was_used_least_recently_goes_first() -> None:
    cache: LruCache[str, int] = LruCache(2)
    assert [cache.put("a", 1), cache.put("b", 2), cache.get("a"), cache.put("c", 3)] == [1, 2, 1, 3]
    assert [cache.get(key) for key in "abc"] == [1, None, 3]


def test_values_count_by_their_size_and_the_last_one_stays() -> None:
    cache: LruCache[int, bytes] = LruCache(10, size_of=len)
    for number in range(5):
        cache.put(number, b"12345")
    cache.put(4, b"1")
    cache.put(5, b"1234")
    assert [number for number in range(6) if cache.get(number)] == [3, 4, 5], "five, one and four are ten"
    cache.put(6, b"twenty bytes or more")
    assert [number for number in range(7) if cache.get(number)] == [6]
