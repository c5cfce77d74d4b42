"""The threads of a training: every chunk once, rest when asked, nothing lost when something fails."""

import contextlib
import threading
import time

import pytest

from w2v.training.crew import Crew


def hands(number, done, work=lambda chunk: None):
    def hand(chunk):
        work(chunk)
        done.append(chunk)

    return [hand] * number


@pytest.mark.parametrize("pause", [0.0, 0.01, 60.0])
@pytest.mark.parametrize("number", [1, 2, 5, 40])
def test_every_chunk_is_taken_once(number, pause):
    crew, done, told = Crew(), [], []
    for count in crew.work(hands(number, done), 3, 20, threading.Event(), pause):
        told.append(count)
    assert sorted(done) == list(range(3, 20)) and told == sorted(set(told)) and told[-1] == 17
    assert crew.reached == 20 and crew.sound and threading.active_count() == 1
    if number > 1 or pause == 0:
        assert len(told) == 17
    if pause == 60 and number == 1:
        assert told == [17]


def test_a_single_hand_waits_while_the_caller_looks():
    crew, done = Crew(), []
    for count in crew.work(hands(1, done), 0, 6, threading.Event()):
        time.sleep(0.002)
        assert done == list(range(count))


@pytest.mark.parametrize("number", [1, 3])
@pytest.mark.parametrize("how", ["close", "stop", "raise"])
def test_all_rest_when_the_caller_leaves(number, how):
    crew, done, stop = Crew(), [], threading.Event()
    slow = hands(number, done, lambda chunk: time.sleep(0.01))
    with (
        contextlib.suppress(KeyboardInterrupt),
        contextlib.closing(crew.work(slow, 0, 1000, stop)) as work,
    ):
        for count in work:
            if count < 5:
                continue
            if how == "raise":
                raise KeyboardInterrupt
            if how == "close":
                break
            stop.set()
    assert threading.active_count() == 1 and crew.sound
    assert sorted(done) == list(range(crew.reached)) and 5 <= crew.reached < 1000
    if number == 1:
        assert crew.reached == 5


@pytest.mark.parametrize("listening", [True, False])
@pytest.mark.parametrize("number", [1, 3])
def test_a_failure_is_raised_and_told_apart(number, listening):
    def fail(chunk):
        if chunk >= 4:
            raise MemoryError(chunk)

    crew, done = Crew(), []
    with contextlib.closing(crew.work(hands(number, done, fail), 0, 50, threading.Event(), 60.0)) as work:
        if listening:
            with pytest.raises(MemoryError):
                list(work)
        elif number > 1:
            next(work)
            time.sleep(0.05)  # it fails while nobody listens
    if listening or number > 1:
        assert not crew.sound
    assert threading.active_count() == 1


def test_nothing_to_do():
    crew = Crew()
    assert list(crew.work(hands(2, []), 7, 7, threading.Event())) == []
    assert crew.reached == 7 and crew.sound
