"""Threads that take the chunks of an epoch in order and come to rest together."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Generator, Sequence

__all__ = ["Crew"]


class Crew:
    """Runs functions that train a chunk, each in a thread.

    Also a single one is run in a thread of its own: a KeyboardInterrupt, which Python raises in the main thread, then
    never falls between the training of a chunk and its entry in the books. When a single one has told
    how far it has come it waits until the caller asks for more, so that whoever looks on, and may stop it, sees the
    matrices exactly as they are after that chunk.

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
        self,
        hands: Sequence[Callable[[int], None]],
        first: int,
        end: int,
        stop: threading.Event,
        pause: float = 0.0,
    ) -> Generator[int, None, None]:
        """Train the chunks [first, end), a thread for each hand, yielding how many are done.

        It yields after each chunk; with a single hand, which has to wait while the caller looks, no more often than
        every `pause` seconds. Stops early when `stop` is set. Whether it ends, is closed or raises: the threads rest
        then. Close it (`contextlib.closing`) to have them finish the chunks they are at and rest.
        """
        hands = hands[: end - first]
        news: queue.SimpleQueue[BaseException | int | None] = queue.SimpleQueue()  # None: a thread has ended
        lock, leave, turn = threading.Lock(), threading.Event(), threading.Semaphore(0)
        self.reached, self.sound = first, False

        def take() -> int | None:
            with lock:
                if leave.is_set() or stop.is_set() or self.reached >= end:
                    return None
                self.reached += 1
                return self.reached - 1

        def tell(done: int) -> None:
            news.put(done)
            if len(hands) == 1:
                turn.acquire()

        def train(hand: Callable[[int], None]) -> None:
            told, done = time.perf_counter(), 0
            try:
                while (chunk := take()) is not None:
                    hand(chunk)
                    done += 1
                    if len(hands) > 1 or time.perf_counter() - told >= pause:
                        tell(done)
                        told, done = time.perf_counter(), 0
                if done:
                    tell(done)
            except BaseException as error:  # handed to the calling thread
                leave.set()
                news.put(error)
            finally:
                news.put(None)

        threads = [threading.Thread(target=train, args=(hand,), daemon=True) for hand in hands]
        finished, at_work, failed = 0, len(threads), False
        try:
            for number, thread in enumerate(threads, 1):
                try:
                    thread.start()
                except RuntimeError as error:
                    raise MemoryError(
                        f"thread {number} of {len(threads)} could not be started ({error}); use fewer workers"
                    ) from error
            while at_work:
                message = news.get()
                if isinstance(message, BaseException):
                    failed = True
                    raise message
                if message is None:
                    at_work -= 1
                    continue
                finished += message
                yield finished
                turn.release()
        finally:
            leave.set()
            turn.release()
            for thread in threads:
                if thread.ident is not None:
                    thread.join()
            while not news.empty():  # one may have failed after the caller had stopped listening
                failed = isinstance(news.get(), BaseException) or failed
            self.sound = not failed
