"""Work on several threads: its order, its errors."""

import threading

import pytest

from core.parallel import in_threads


def test_results_come_in_the_order_of_the_items():
    gate = threading.Event()

    def work(number):
        if number == 0:
            # With one core there is one thread, and nobody to wait for.
            gate.wait(0.2)
        gate.set()
        return number * 10

    assert in_threads(work, range(5)) == [0, 10, 20, 30, 40]


def test_an_error_comes_out():
    with pytest.raises(ZeroDivisionError):
        in_threads(lambda number: 1 / number, [1, 0])
