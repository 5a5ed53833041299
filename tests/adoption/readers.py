"""Many people who read pages at the same time, without a pause."""

import http.client
import random
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Self

SERVER_ERROR = 500
UNAVAILABLE = 503
# A request that is answered later is none for a person.
SECONDS = 120


class Readers:
    """Threads that ask for one page after another; `answers` counts what they got.

    An answer is a status, "503 Retry-After", "refused" where no server listens, or "broken off".
    """

    def __init__(self, number: int, ports: Sequence[int], pages: Sequence[str], cookies: dict[str, str]) -> None:
        self.ports, self.pages = ports, pages
        self.cookies = "; ".join(f"{name}={value}" for name, value in cookies.items())
        self.answers, self.lock = Counter[str](), threading.Lock()
        self.stopped = threading.Event()
        self.threads = [threading.Thread(target=self._read, args=[seed]) for seed in range(number)]

    @contextmanager
    def reading(self) -> Iterator[Self]:
        for thread in self.threads:
            thread.start()
        try:
            yield self
        finally:
            self.stopped.set()
            for thread in self.threads:
                thread.join()

    def errors(self) -> dict[str, int]:
        """Return what no reader may get: errors, and 503 without a word of when to come again."""
        fine = {"200", "503 Retry-After", "refused"}
        return {answer: count for answer, count in self.answers.items() if answer not in fine}

    def _read(self, seed: int) -> None:
        rng = random.Random(seed)
        while not self.stopped.is_set():
            answer = self._answer(rng.choice(self.ports), rng.choice(self.pages))
            with self.lock:
                self.answers[answer] += 1
            if answer != "200":
                self.stopped.wait(1)

    def _answer(self, port: int, page: str) -> str:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
        try:
            connection.request("GET", page, headers={"Host": "localhost", "Cookie": self.cookies})
            response = connection.getresponse()
            response.read()
        except ConnectionRefusedError:
            return "refused"
        except (OSError, http.client.HTTPException) as error:
            return f"broken off ({type(error).__name__})"
        finally:
            connection.close()
        if response.status == UNAVAILABLE and response.headers.get("Retry-After"):
            return "503 Retry-After"
        return str(response.status)
