"""How a request is sent until it is answered: turns, back-off, a deadline, and the end of a night without answers.

The loop is ours, because every part of it is: what waits in a queue is not on the clock, the money is set aside and
settled for each attempt, and an endpoint's wish to be left alone holds for all calls to it.
"""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from support.calls import Fault, meter
from support.errors import CallFailed, ModelError, ModelUnavailable
from support.llm.pace import Pace
from support.llm.transport import Completion, Request, Transport
from support.money.budget import Budget
from support.money.prices import Price, prompt_bound

FIRST_WAIT, LONGEST_WAIT = 0.5, 60.0
STRANGER = 2  # retries at an endpoint that never answered, where the address is more likely wrong than the server ill
STRANGE = ("no connection", "no completion")


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a call is tried.

    Attributes
    ----------
    max_retries : int
        Attempts after the first.
    deadline : float or None
        Seconds for all attempts and the waits between them; waiting for one's turn does not count.
    failures_in_a_row : int
        Calls that may fail for good, with none answered between them, before all calls are given up.
    """

    max_retries: int = 6
    deadline: float | None = 600.0
    failures_in_a_row: int = 10


@dataclass
class _Course:
    """One call under way: what failed so far, and the seconds that its attempts and waits took."""

    request: Request
    price: Price | None
    faults: list[Fault]
    spent: float = 0.0


class Attempts:
    """Sends the requests of one model."""

    def __init__(
        self,
        transport: Transport,
        patience: Patience,
        pace: Pace,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._transport, self._patience, self._pace, self._sleep = transport, patience, pace, sleep
        self._answered = False
        self._failed = 0

    async def complete(self, request: Request, faults: list[Fault], price: Price | None) -> Completion:
        """The answer to a request; what failed on the way is put into `faults`.

        Raises
        ------
        ModelError
            When the last attempt failed, or the first with an error that no retry can help.
        BudgetExceeded
            When the next attempt could cost more than is left.
        """
        course = _Course(request, price, faults)
        while True:
            try:
                completion = await self._attempt(course)
            except ModelError as error:
                wait = self._wait(error, len(faults))
                if why := self._no_more(error, course, wait):
                    faults.append(Fault(error.fault or type(error).__name__, str(error)))
                    raise self._given_up(error, why) from None
                faults.append(Fault(error.fault, str(error), round(wait, 3)))
            else:
                self._answered, self._failed = True, 0
                return completion
            await self._sleep(wait)
            course.spent += wait

    async def _attempt(self, course: _Course) -> Completion:
        """One attempt, in its turn, its worst case set aside and settled."""
        bound = prompt_bound(course.request.messages, course.request.schema)
        async with self._pace.turn(bound + course.request.max_tokens) as turn:
            with _settled(await _reserved(course, bound), course.price) as bill:
                try:
                    completion = await self._answer(course)
                except ModelError as error:
                    turn.tokens = turn.tokens if error.charged else 0
                    raise
                turn.tokens = completion.prompt_tokens + completion.completion_tokens or turn.tokens
                bill.append(completion)
                return completion

    async def _answer(self, course: _Course) -> Completion:
        started, limit = time.monotonic(), self._patience.deadline
        try:
            async with asyncio.timeout(None if limit is None else max(0.0, limit - course.spent)) as deadline:
                return await self._transport.complete(course.request)
        except TimeoutError:
            if not deadline.expired():  # the transport's own
                raise
        finally:
            course.spent += time.monotonic() - started
        # Raised here, and not where it was caught: its context would hold what was cut off, and with it the key.
        error = CallFailed(
            f"{self._transport.endpoint} did not answer within the deadline of {limit:g} s for one call, retries "
            "included. Raise deadline=, or lower max_tokens."
        )
        error.fault, error.charged = "deadline", True
        raise error

    def _wait(self, error: ModelError, retry: int) -> float:
        """Seconds before the next attempt: twice as long each time, drawn, so that calls do not come back together."""
        doubled = FIRST_WAIT * 2.0 ** min(retry, 60)
        drawn = min(LONGEST_WAIT, doubled) * random.uniform(0.5, 1.0)  # no result depends on it
        if error.retry_after is None:
            return drawn
        limit = self._patience.deadline
        if error.transient and (limit is None or error.retry_after <= limit):
            # It goes for the other calls to this model, too; but none of them is to wait longer than a call may take.
            self._pace.hold(error.retry_after)
        return error.retry_after + min(drawn, 1.0)

    def _no_more(self, error: ModelError, course: _Course, wait: float) -> str:
        """Why there is no further attempt; "" when there is one."""
        if not error.transient:
            return "No retry helps."
        tries, limit = len(course.faults) + 1, self._patience.deadline
        if tries > self._most(error):
            return f"Given up at attempt {tries}."
        if limit is not None and course.spent + wait > limit:
            asked = "" if error.retry_after is None else f" (it asks to wait {error.retry_after:g} s)"
            return f"Given up at attempt {tries}: one more{asked} would pass deadline={limit:g} s."
        return ""

    def _most(self, error: ModelError) -> float:
        """Retries after such an error, the deadline apart."""
        most = self._patience.max_retries
        if not self._answered and error.fault in STRANGE:
            return min(STRANGER, most)
        gone = error.fault == "no connection" and self._patience.deadline is not None
        return math.inf if gone and most else most  # it was there: a network that is gone for minutes comes back

    def _given_up(self, error: ModelError, why: str) -> ModelError:
        """The error to raise: the last attempt's with the reason, or the end of all calls."""
        if not isinstance(error, CallFailed):
            return error
        if error.transient:
            error.args = (f"{error} {why}",)
        self._failed += 1
        if self._failed < self._patience.failures_in_a_row:
            return error
        self._failed = 0  # whoever calls again wants to see whether it is over
        return ModelUnavailable(
            f"{self._patience.failures_in_a_row} calls in a row failed at {self._transport.endpoint}, none was "
            f"answered between them; the last: {error} Calls stop here, and what is finished is kept. See how the "
            "provider is, then run again with retry_failed=True (failures_in_a_row= sets the number)."
        )


@dataclass(frozen=True, slots=True)
class _Reservation:
    """What is set aside for an attempt, and in which budget."""

    budget: Budget
    number: int


async def _reserved(course: _Course, bound: int) -> _Reservation | None:
    running, request = meter(), course.request
    if running is None or running.budget is None or course.price is None:
        return None
    what = f"at most {bound} tokens to read and {request.max_tokens} to write, by {request.model}"
    return _Reservation(
        running.budget, await running.budget.reserve(course.price.worst(bound, request.max_tokens), what)
    )


@contextmanager
def _settled(reserved: _Reservation | None, price: Price | None) -> Iterator[list[Completion]]:
    """Settle what was set aside by the completion that is put into the list, or by what is known without one."""
    bill: list[Completion] = []
    usd: float | None = None
    try:
        yield bill
        usd = cost(bill[0], price)
    except ModelError as error:
        usd = None if error.charged else 0.0
        raise
    finally:  # cancelled or broken off: nobody knows what it cost
        if reserved is not None:
            reserved.budget.settle(reserved.number, usd)


def cost(completion: Completion, price: Price | None) -> float | None:
    """US dollars for a completion; None without a price, or where the endpoint does not say how many tokens it took."""
    if price is None or (price.worst(1, 1) and not completion.prompt_tokens + completion.completion_tokens):
        return None
    return price.cost(completion.prompt_tokens, completion.completion_tokens, completion.cached_prompt_tokens)
