"""Threads that take the chunks of an epoch in order and come to rest together."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator, Sequence

__all__ = ["Crew"]

_PATIENCE = 0.05  # seconds after which the calling thread looks whether anybody is still at work


class Crew:
    """Runs functions that train a chunk, each in a thread.

    Also a single one is run in a thread of its own: a KeyboardInterrupt, which Python raises in the main thread, then
    never falls between the training of a chunk and its entry in the books. It waits after each chunk until the caller
    asks for the next, so that whoever looks on, and may stop it, sees the matrices exactly as that chunk leaves them.

    Attributes
    ----------
    reached : int
        When the threads rest, all chunks before this one are done.
    sound : bool
        Whether no thread is at work and none has failed: only then does `reached` hold.
    """

    def __init__(self) -> None:
        self.reached = 0
        self.sound = True

    def work(
        self, hands: Sequence[Callable[[int], None]], first: int, end: int, stop: threading.Event
    ) -> Generator[int, None, None]:
        """Train the chunks [first, end), a thread for each hand, yielding after each chunk how many are done.

        Stops early when `stop` is set. Whether it ends, is closed or raises: the threads rest then. Close it
        (`contextlib.closing`) to have them finish the chunks they are at and rest.
        """
        done: queue.SimpleQueue[BaseException | None] = queue.SimpleQueue()
        lock, leave, turn = threading.Lock(), threading.Event(), threading.Semaphore(0)
        hands = hands[: end - first]
        alone = len(hands) == 1
        self.reached, self.sound = first, False

        def take() -> int | None:
            with lock:
                if leave.is_set() or stop.is_set() or self.reached >= end:
                    return None
                self.reached += 1
                return self.reached - 1

        def train(hand: Callable[[int], None]) -> None:
            try:
                while (chunk := take()) is not None:
                    hand(chunk)
                    done.put(None)
                    if alone:
                        turn.acquire()
            except BaseException as error:  # handed to the calling thread
                leave.set()
                done.put(error)

        threads = [threading.Thread(target=train, args=(hand,), daemon=True) for hand in hands]
        finished, failed = 0, False
        try:
            for thread in threads:
                thread.start()
            while any(thread.is_alive() for thread in threads) or not done.empty():
                try:
                    error = done.get(timeout=_PATIENCE)
                except queue.Empty:
                    continue
                if error is not None:
                    failed = True
                    raise error
                finished += 1
                yield finished
                turn.release()
        finally:
            leave.set()
            turn.release()
            for thread in threads:
                if thread.ident is not None:
                    thread.join()
            while not done.empty():  # one may have failed after the caller had stopped listening
                failed = done.get() is not None or failed
            self.sound = not failed
