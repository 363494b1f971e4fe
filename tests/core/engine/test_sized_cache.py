import threading

from core.engine import SizedCache


def test_what_was_put_is_found():
    cache: SizedCache[object] = SizedCache(10)
    assert cache.get("a") is None
    cache.put("a", 1, 4)
    assert cache.get("a") == 1
    assert (len(cache), cache.used_bytes) == (1, 4)


def test_the_longest_unused_makes_room():
    cache: SizedCache[object] = SizedCache(10)
    for name in "abc":
        cache.put(name, name, 3)
    assert cache.get("a") == "a"
    cache.put("d", "d", 3)
    assert [name for name in "abcd" if cache.get(name)] == ["a", "c", "d"]
    assert cache.used_bytes == 9


def test_one_large_value_may_take_the_place_of_several():
    cache: SizedCache[object] = SizedCache(10)
    for name in "abc":
        cache.put(name, name, 3)
    cache.put("large", "large", 10)
    assert cache.get("large") == "large"
    assert (len(cache), cache.used_bytes) == (1, 10)


def test_what_is_larger_than_the_whole_memory_is_not_kept():
    cache: SizedCache[object] = SizedCache(10)
    cache.put("a", 1, 4)
    cache.put("larger", 2, 11)
    assert cache.get("larger") is None
    assert cache.get("a") == 1


def test_a_value_put_again_is_counted_once():
    cache: SizedCache[object] = SizedCache(10)
    cache.put("a", 1, 4)
    cache.put("a", 2, 6)
    assert cache.get("a") == 2
    assert (len(cache), cache.used_bytes) == (1, 6)


def test_an_old_value_does_not_outlive_a_new_one_that_is_too_large():
    cache: SizedCache[object] = SizedCache(10)
    cache.put("a", 1, 4)
    cache.put("a", 2, 11)
    assert cache.get("a") is None
    assert (len(cache), cache.used_bytes) == (0, 0)


def test_threads_may_share_it():
    cache: SizedCache[object] = SizedCache(50)

    def work(number):
        for step in range(500):
            cache.put((number, step % 7), step, 1 + step % 5)
            cache.get((number, (step + 3) % 7))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert cache.used_bytes <= 50
    assert cache.used_bytes == sum(size for _, size in cache._entries.values())
