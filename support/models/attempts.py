"""How a request is sent until it is answered: pace, back-off, a deadline, and the end of a night without answers.

What waits in a queue is not on the clock, the money is set aside and settled for each attempt, and an endpoint's wish
to be left alone holds for all calls to it.
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
from typing import TYPE_CHECKING, Generic, TypeVar

from support.errors import BudgetExceeded, CallFailed, ModelError, ModelUnavailable
from support.models.calls import Fault, meter
from support.models.money import Budget, purse
from support.models.profiles import Price, prompt_bound

if TYPE_CHECKING:
    from support.models.request import Completion, Request, Transport

T = TypeVar("T")
FIRST_WAIT, LONGEST_WAIT = 0.5, 60.0
STRANGER = 2  # retries at an endpoint that never answered, where the address is more likely wrong than the server ill
STRANGE = ("no connection", "no completion")
MINUTE = 60.0
LOOK = 0.25  # seconds between looks: a call that took fewer tokens than it might have makes room early


class Wider(Exception):
    """A refusal taught that this model needs more room than was set aside: nothing was charged, ask again."""


class PerLoop(Generic[T]):
    """One object for each running event loop: semaphores and sessions belong to the loop that made them."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make, self._made, self._lock = (
            make,
            dict[asyncio.AbstractEventLoop, T](),
            threading.Lock(),
        )

    def get(self) -> T:
        """The object of the running loop, made on first use; those of closed loops are dropped."""
        loop = asyncio.get_running_loop()
        with self._lock:
            if loop not in self._made:
                self._made = {
                    old: thing
                    for old, thing in self._made.items()
                    if not old.is_closed()
                }
                self._made[loop] = self._make()
            return self._made[loop]

    def pop(self) -> T | None:
        """Take out the object of the running loop, None when there is none."""
        with self._lock:
            return self._made.pop(asyncio.get_running_loop(), None)


@dataclass
class Turn:
    """One attempt's share: its tokens, at most at first and as counted afterwards, and when it was answered."""

    tokens: int
    ended: float = math.inf


class Pace:
    """A sliding window over the attempts of one model: requests and tokens a minute, None for no limit.

    A bucket that refills (the usual limiter) lets twice its size pass in the minute after a rest. Here an attempt
    counts from when it is sent until a minute after it was answered: at whichever moment between the two an endpoint
    counts it, no minute holds more than the limit. A call that alone is larger waits for an empty window.
    """

    def __init__(
        self,
        requests_per_minute: int | None = None,
        tokens_per_minute: int | None = None,
    ) -> None:
        self._requests, self._tokens = (
            requests_per_minute or math.inf,
            tokens_per_minute or math.inf,
        )
        self._turns, self._held_until = list[Turn](), 0.0
        self._lock = threading.Lock()  # a widget may call from another thread
        self._queue = PerLoop(
            asyncio.Lock
        )  # first come, first served: a large call is not overtaken for ever

    def hold(self, seconds: float) -> None:
        """Send nothing for so long: the endpoint asked for it."""
        self._held_until = max(self._held_until, time.monotonic() + seconds)

    @asynccontextmanager
    async def turn(self, tokens: int) -> AsyncIterator[Turn]:
        """Wait until an attempt of at most so many tokens may be sent; set `tokens` of what comes to what it took."""
        if (
            self._requests == self._tokens == math.inf
            and time.monotonic() >= self._held_until
        ):
            yield Turn(tokens)
            return
        async with self._queue.get():
            while (turn := self._taken(tokens)) is None:
                await asyncio.sleep(LOOK)
        try:
            yield turn
        finally:
            turn.ended = time.monotonic()

    def _taken(self, tokens: int) -> Turn | None:
        with self._lock:
            now = time.monotonic()
            self._turns = [turn for turn in self._turns if now < turn.ended + MINUTE]
            full = (
                self._turns
                and sum(turn.tokens for turn in self._turns) + tokens > self._tokens
            )
            if now < self._held_until or len(self._turns) >= self._requests or full:
                return None
            self._turns.append(turn := Turn(tokens))
            return turn


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a call is tried."""

    max_retries: int = 6  # attempts after the first
    deadline: float | None = (
        600.0  # seconds for all of them, with the waits between, but not for one's turn
    )
    failures_in_a_row: int = 10  # calls that failed for good, none answered between them, until all is given up


@dataclass
class _Course:
    """One call under way: what failed so far, and the seconds that its attempts and waits took."""

    request: Request
    faults: list[Fault]
    price: Price | None
    tries: int = 0
    spent: float = 0.0


class Attempts:
    """Sends the requests of one model."""

    def __init__(self, transport: Transport, patience: Patience, pace: Pace) -> None:
        self._transport, self._patience, self._pace = transport, patience, pace
        self._rng = random.Random()  # no result depends on it
        self._deadline = math.inf if patience.deadline is None else patience.deadline
        self._answered, self._failed = False, 0

    async def complete(
        self, request: Request, faults: list[Fault], price: Price | None
    ) -> Completion:
        """The answer to a request; what failed on the way, and what was learnt, is put into `faults`."""
        course = _Course(request, faults, price)
        had: list[Completion] = []
        while True:
            known, room = len(self._transport.learnt), self._transport.room(request)
            try:
                completion = await self._attempt(course, room)
            except Wider:
                continue
            except ModelError as error:
                wait, course.tries = self._wait(error, course.tries), course.tries + 1
                if why := self._no_more(error, course, wait):
                    faults.append(
                        Fault(error.fault or type(error).__name__, str(error))
                    )
                    raise self._given_up(error, why) from None
                faults.append(Fault(error.fault, str(error), round(wait, 3)))
                await asyncio.sleep(wait)
                course.spent += wait
                continue
            finally:
                faults.extend(
                    Fault("learnt", said) for said in self._transport.learnt[known:]
                )
            self._answered, self._failed = True, 0
            had.append(completion)
            if not (wider := self._transport.widen(request, completion, room)):
                names = (
                    "prompt_tokens",
                    "completion_tokens",
                    "cached_prompt_tokens",
                    "latency",
                )
                return replace(
                    completion,
                    **{name: sum(getattr(one, name) for one in had) for name in names},
                )
            faults.append(Fault("cut off", wider))

    async def _attempt(self, course: _Course, room: int) -> Completion:
        """One attempt, in its turn, its worst case set aside and settled; `room` is all that the reply may take."""
        request, price = course.request, course.price
        bound = prompt_bound(request.messages, request.schema)
        worst = price.worst(bound, room) if price else 0.0
        async with self._pace.turn(bound + room) as turn:
            what = f"at most {bound} tokens to read and {room} to write, by {request.model}"
            reserved: list[tuple[Budget, int]] = []
            usd: float | None = 0.0  # until it is sent
            try:
                for budget in budgets() if price else ():
                    reserved.append((budget, await budget.reserve(worst, what)))
                usd = None  # cancelled or broken off: nobody knows what it cost
                completion = await self._answer(course, room)
                turn.tokens = (
                    completion.prompt_tokens + completion.completion_tokens
                    or turn.tokens
                )
                usd = cost(completion, price)
                return completion
            except (ModelError, BudgetExceeded, Wider) as error:
                if not getattr(error, "charged", False):  # not sent, or refused
                    turn.tokens, usd = 0, 0.0
                raise
            finally:
                for budget, number in reserved:
                    budget.settle(number, usd)

    async def _answer(self, course: _Course, room: int) -> Completion:
        started, limit = time.monotonic(), self._deadline
        try:
            async with asyncio.timeout(
                max(0.0, limit - course.spent) if limit < math.inf else None
            ) as deadline:
                return await self._transport.complete(
                    replace(course.request, max_tokens=room)
                )
        except TimeoutError:
            if not deadline.expired():  # the transport's own
                raise
        finally:
            course.spent += time.monotonic() - started
        # Raised here, and not where it was caught: its context would hold what was cut off, and with it the key.
        limits = f"the deadline of {limit:g} s for one call, retries included. Raise deadline=, or lower max_tokens."
        error = CallFailed(f"{self._transport.endpoint} did not answer within {limits}")
        error.fault, error.charged = "deadline", True
        raise error

    def _wait(self, error: ModelError, retry: int) -> float:
        """Seconds before the next attempt: twice as long each time, drawn, so that calls do not come back together."""
        drawn = min(
            LONGEST_WAIT, FIRST_WAIT * 2.0 ** min(retry, 60)
        ) * self._rng.uniform(0.5, 1.0)
        if error.retry_after is None:
            return drawn
        if error.transient and error.retry_after <= self._deadline:
            # It goes for the other calls to this model, too; but none of them is to wait longer than a call may take.
            self._pace.hold(error.retry_after)
        return error.retry_after + min(drawn, 1.0)

    def _no_more(self, error: ModelError, course: _Course, wait: float) -> str:
        """Why there is no further attempt; "" when there is one."""
        if not error.transient:
            return "No retry helps."
        most: float = self._patience.max_retries
        if not self._answered and error.fault in STRANGE:
            most = min(STRANGER, most)
        elif most and error.fault == "no connection" and self._deadline < math.inf:
            most = math.inf  # it was there: a network that is gone for minutes comes back before the deadline
        if course.tries > most:
            return f"Given up at attempt {course.tries}."
        if course.spent + wait > self._deadline:
            asked = (
                ""
                if error.retry_after is None
                else f" (it asks to wait {error.retry_after:g} s)"
            )
            return f"Given up at attempt {course.tries}: one more{asked} would pass deadline={self._deadline:g} s."
        return ""

    def _given_up(self, error: ModelError, why: str) -> ModelError:
        """The error to raise: the last attempt's with the reason, or the end of all calls."""
        if not isinstance(error, CallFailed):
            return error
        if error.transient:
            error.args = (f"{error} {why}",)
        self._failed += 1
        if self._failed < self._patience.failures_in_a_row:
            return error
        number, self._failed = (
            self._failed,
            0,
        )  # whoever calls again wants to see whether it is over
        return ModelUnavailable(
            f"{number} calls in a row failed at {self._transport.endpoint}, none was answered between them; the last: "
            f"{error} Calls stop here, and what is finished is kept. See how the provider is, then run again with "
            "retry_failed=True (failures_in_a_row= sets the number)."
        )


def budgets() -> list[Budget]:
    """What a call has to be paid from: the budget of the run at work, and the purse of all runs."""
    running = meter()
    return [
        budget
        for budget in (running.budget if running else None, purse())
        if budget is not None
    ]


def cost(completion: Completion, price: Price | None) -> float | None:
    """US dollars for a completion; None without a price, or where the endpoint does not say how many tokens it took."""
    if price is None or (
        price.worst(1, 1)
        and not completion.prompt_tokens + completion.completion_tokens
    ):
        return None
    return price.cost(
        completion.prompt_tokens,
        completion.completion_tokens,
        completion.cached_prompt_tokens,
    )
