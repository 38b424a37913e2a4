"""How a request is sent until it is answered: pace, time, back-off, and the end of it.

What waits in a queue is not on the clock, the money is set aside and settled for each
attempt, and an endpoint's wish to be left alone holds for all calls to it.
"""

from __future__ import annotations

import asyncio
import math
import random
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from support.errors import (
    BudgetExceeded,
    CallFailed,
    Filtered,
    ModelError,
    ModelUnavailable,
)
from support.models.calls import Fault, meter
from support.models.money import Budget, purse
from support.models.profiles import Price, prompt_bound

if TYPE_CHECKING:
    from support.models.request import Completion, Request, Transport

T = TypeVar("T")
FIRST_WAIT, LONGEST_WAIT = 0.5, 60.0
# Retries at an endpoint that never answered: the address is more likely wrong than the
# server ill.
STRANGER = 2
STRANGE = ("no connection", "no completion")
MINUTE = 60.0
# Seconds between looks: a call that took fewer tokens than it might makes room early.
LOOK = 0.25
COUNTS = (
    "prompt_tokens",
    "completion_tokens",
    "cached_prompt_tokens",
    "thinking_tokens",
    "latency",
)
LONGER = (
    "Set TIMEOUT (a notebook's parameter), timeout= here, or `timeout` in the model's "
    "entry of models.toml; or lower max_tokens."
)


class Wider(Exception):
    """The same question is to be asked anew: more may be needed than was set aside.

    `had` is the reply that was of no use, where one came and was paid.
    """

    def __init__(self, had: Completion | None = None) -> None:
        self.had = had


class PerLoop(Generic[T]):
    """One object for each running event loop: sessions belong to the loop's own."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make, self._lock = make, threading.Lock()
        self._made: dict[asyncio.AbstractEventLoop, T] = {}

    def get(self) -> T:
        """The object of the running loop, made on first use; closed loops are dropped."""
        loop = asyncio.get_running_loop()
        with self._lock:
            if loop not in self._made:
                open_ = {k: v for k, v in self._made.items() if not k.is_closed()}
                self._made = {**open_, loop: self._make()}
            return self._made[loop]

    def pop(self) -> T | None:
        """Take out the object of the running loop, None when there is none."""
        with self._lock:
            return self._made.pop(asyncio.get_running_loop(), None)


@dataclass
class Turn:
    """One attempt's share: its tokens, at most and then as counted, and when it ended."""

    tokens: int
    ended: float = math.inf


class Pace:
    """A sliding window over the attempts of one model, and how many go at once.

    Requests and tokens are those of a minute, None for no limit. A bucket that refills
    (the usual limiter) lets twice its size pass in the minute after a rest. Here an
    attempt counts from when it is sent until a minute after it was answered: at
    whichever moment between the two an endpoint counts it, no minute holds more than
    the limit. A call that alone is larger waits for an empty window.
    """

    def __init__(
        self,
        requests_per_minute: int | None = None,
        tokens_per_minute: int | None = None,
    ) -> None:
        self._requests = requests_per_minute or math.inf
        self._tokens = tokens_per_minute or math.inf
        self._turns: list[Turn] = []
        self._held_until, self._narrowed = 0.0, -math.inf
        self._flying, self._wide = 0, math.inf
        self._lock = threading.Lock()  # a widget may call from another thread
        # First come, first served: a large call is not overtaken for ever.
        self._queue = PerLoop(asyncio.Lock)

    def hold(self, seconds: float) -> None:
        """Send nothing for so long: the endpoint asked for it."""
        self._held_until = max(self._held_until, time.monotonic() + seconds)

    def narrow(self, sent: float) -> None:
        """Half as many at once, after a time-out of an attempt that was sent then.

        Once for all that were sent together.
        """
        if sent > self._narrowed:
            self._wide = max(1, min(self._wide, self._flying) // 2)
            self._narrowed = time.monotonic()

    def widen(self) -> None:
        """One more at once for every round of answers."""
        self._wide += 1 / self._wide

    @asynccontextmanager
    async def turn(self, tokens: int) -> AsyncIterator[Turn]:
        """Wait until an attempt of at most so many tokens may be sent.

        Set `tokens` of what comes to what it took.
        """
        async with self._queue.get():
            while (turn := self._taken(tokens)) is None:
                await asyncio.sleep(LOOK)
        try:
            yield turn
        finally:
            self._flying -= 1
            turn.ended = time.monotonic()

    def _taken(self, tokens: int) -> Turn | None:
        now = time.monotonic()
        with self._lock:
            if now < self._held_until or self._flying + 1 > self._wide:
                return None
            turn = Turn(tokens)
            if min(self._requests, self._tokens) < math.inf:
                turns = [turn for turn in self._turns if now < turn.ended + MINUTE]
                self._turns = turns
                full = sum(turn.tokens for turn in turns) + tokens > self._tokens
                if len(turns) >= self._requests or (turns and full):
                    return None
                turns.append(turn)
            self._flying += 1
            return turn


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a call is tried."""

    max_retries: int = 6  # attempts after the first
    # Seconds for all of them, with the waits between, but not for one's turn.
    deadline: float | None = 600.0
    # Calls that failed for good, none answered between them, until all is given up.
    failures_in_a_row: int = 10
    timeout: float = 120.0  # seconds for an attempt; doubled after one that took longer


@dataclass
class _Course:
    """One call under way: what failed so far, and the seconds that it took."""

    request: Request
    faults: list[Fault]
    price: Price | None
    had: list[Completion]
    tries: int = 0
    spent: float = 0.0


class Attempts:
    """Sends the requests of one model."""

    def __init__(self, transport: Transport, patience: Patience, pace: Pace) -> None:
        self._transport, self._patience, self._pace = transport, patience, pace
        self._rng = random.Random()  # no result depends on it
        self._deadline = math.inf if patience.deadline is None else patience.deadline
        self._timeout = patience.timeout
        self._answered, self._failed = False, 0

    async def complete(
        self, request: Request, faults: list[Fault], price: Price | None
    ) -> Completion:
        """The answer to a request; what failed on the way is put into `faults`."""
        course = _Course(request, faults, price, [])
        while True:
            known, room = len(self._transport.learnt), self._transport.room(request)
            wait: float | None = None
            try:
                completion = await self._attempt(course, room)
            except Wider:
                continue
            except ModelError as error:
                wait = self._failed_once(error, course)
            finally:
                learnt = self._transport.learnt[known:]
                faults.extend(Fault("learnt", said) for said in learnt)
            if wait is not None:
                await asyncio.sleep(wait)
                course.spent += wait
                continue
            self._answered, self._failed = True, 0
            self._pace.widen()
            wider = self._transport.widen(request, completion, room)
            if not wider:
                return self._summed(course.had)
            faults.append(Fault("cut off", wider))

    @staticmethod
    def _summed(had: list[Completion]) -> Completion:
        """The last of several completions, with the tokens of all."""
        sums = {name: sum(getattr(one, name) for one in had) for name in COUNTS}
        return replace(had[-1], **sums)

    def _failed_once(self, error: ModelError, course: _Course) -> float:
        """Seconds to wait for the next attempt; the error, where there is none."""
        wait, course.tries = self._wait(error, course.tries), course.tries + 1
        why = self._no_more(error, course, wait)
        waited = 0.0 if why else round(wait, 3)
        fault = error.fault or type(error).__name__
        course.faults.append(Fault(fault, str(error), waited))
        if why:
            raise self._given_up(error, why) from None
        return wait

    async def _attempt(self, course: _Course, room: int) -> Completion:
        """One attempt, in its turn, its worst case set aside and settled.

        `room` is all that the reply may take.
        """
        request, price = course.request, course.price
        bound = prompt_bound(request.messages, request.schema)
        worst = price.worst(bound, room) if price else 0.0
        what = f"at most {bound} tokens to read and {room} to write, by {request.model}"
        async with self._pace.turn(bound + room) as turn:
            reserved: list[tuple[Budget, int]] = []
            usd: float | None = 0.0  # until it is sent
            had: Any = None
            try:
                for budget in budgets() if price else ():
                    reserved.append((budget, await budget.reserve(worst, what)))
                usd = None  # cancelled or broken off: nobody knows what it cost
                had = await self._answer(course, room)
                return had
            except (ModelError, BudgetExceeded, Wider) as error:
                had = getattr(error, "had", None)
                if not had and not getattr(error, "charged", False):
                    turn.tokens, usd = 0, 0.0  # not sent, or refused
                raise
            finally:
                if had:
                    course.had.append(had)
                    used = had.prompt_tokens + had.completion_tokens
                    turn.tokens, usd = used or turn.tokens, cost(had, price)
                for budget, number in reserved:
                    budget.settle(number, usd)

    async def _answer(self, course: _Course, room: int) -> Completion:
        started, left = time.monotonic(), self._deadline - course.spent
        limit = max(0.0, min(self._timeout, left))
        try:
            async with asyncio.timeout(limit) as clock:
                asked = replace(course.request, max_tokens=room)
                return await self._transport.complete(asked)
        except TimeoutError:
            if not clock.expired():  # the transport's own
                raise
        finally:
            course.spent += time.monotonic() - started
        # Raised here, and not where it was caught: its context would hold what was cut
        # off, and with it the key.
        raise self._late(limit, started, limit < left)

    def _late(self, limit: float, sent: float, passing: bool) -> CallFailed:
        """The error of an attempt without an answer; the next may take twice as long."""
        self._pace.narrow(sent)
        if limit == self._timeout:
            self._timeout = min(2 * limit, self._deadline)
        within = f"in {limit:g} s"
        if not passing:
            within = f"within the deadline of {self._deadline:g} s, retries included"
        said = f"{self._transport.endpoint} did not answer {within}. {LONGER}"
        error = CallFailed(said)
        error.fault = "time-out" if passing else "deadline"
        error.transient, error.charged = passing, True
        return error

    def _wait(self, error: ModelError, retry: int) -> float:
        """Seconds before the next attempt.

        Twice as long each time, and drawn, so that calls do not come back together.
        """
        longest = min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** min(retry, 60))
        drawn = longest * self._rng.uniform(0.5, 1.0)
        if error.retry_after is None:
            return drawn
        if error.transient and error.retry_after <= self._deadline:
            # It goes for the other calls to this model, too; but none of them is to
            # wait longer than a call may take.
            self._pace.hold(error.retry_after)
        return error.retry_after + min(drawn, 1.0)

    def _no_more(self, error: ModelError, course: _Course, wait: float) -> str:
        """Why there is no further attempt; "" when there is one."""
        if not error.transient:
            return "No retry helps."
        most: float = self._patience.max_retries
        there = self._answered or error.fault == "loading"
        if not self._answered and error.fault in STRANGE:
            most = min(STRANGER, most)
        elif most and there and error.waits and self._deadline < math.inf:
            # It was there: what is gone for minutes comes back before the deadline.
            most = math.inf
        given_up = f"Given up at attempt {course.tries}"
        if course.tries > most:
            return f"{given_up}."
        if course.spent + wait <= self._deadline:
            return ""
        after = error.retry_after
        asked = "" if after is None else f" (it asks to wait {after:g} s)"
        return (
            f"{given_up}: one more{asked} would pass the deadline of "
            f"{self._deadline:g} s (deadline=, or `deadline` in models.toml)."
        )

    def _given_up(self, error: ModelError, why: str) -> ModelError:
        """The error to raise: the last attempt's, or the end of all calls."""
        if isinstance(error, CallFailed) and error.transient:
            error.args = (f"{error} {why}",)
        if isinstance(error, Filtered) or not isinstance(error, CallFailed):
            return error
        self._failed += 1
        if self._failed < self._patience.failures_in_a_row:
            return error
        # Whoever calls again wants to see whether it is over.
        number, self._failed = self._failed, 0
        return ModelUnavailable(
            f"{number} calls in a row failed at {self._transport.endpoint}, none was "
            f"answered between them; the last: {error} Calls stop here, and what is "
            "finished is kept. See how the provider is, then run again with "
            "retry_failed=True (failures_in_a_row= sets the number)."
        )


def budgets() -> list[Budget]:
    """What a call has to be paid from: the budget of the run, and the purse of all."""
    running = meter()
    both = (running.budget if running else None, purse())
    return [budget for budget in both if budget is not None]


def cost(completion: Completion, price: Price | None) -> float | None:
    """US dollars for a completion.

    None without a price, or where the endpoint does not say how many tokens it took.
    """
    read, written = completion.prompt_tokens, completion.completion_tokens
    if price is None or (price.worst(1, 1) and not read + written):
        return None
    return price.cost(read, written, completion.cached_prompt_tokens)
