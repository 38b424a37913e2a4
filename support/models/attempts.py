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
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from support.errors import CallFailed, Filtered, ModelError, ModelUnavailable
from support.models.calls import Fault, meter
from support.models.money import Budget, purse
from support.models.profiles import Price, Profile, prompt_bound
from support.models.request import Completion, Request, Transport

T = TypeVar("T")
FIRST_WAIT = 0.5
LONGEST_WAIT = 60.0
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


class Wider(ModelError):
    """The same question is to be asked anew: more may be needed than was set aside.

    `had` is the reply that was of no use, where one came and was paid.
    """


class PerLoop(Generic[T]):
    """One object for each running event loop: sessions belong to the loop's own."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._made = WeakKeyDictionary[asyncio.AbstractEventLoop, T]()

    def get(self) -> T:
        """The object of the running loop, made on first use."""
        loop = asyncio.get_running_loop()
        if loop not in self._made:
            self._made[loop] = self._make()
        return self._made[loop]


@dataclass
class Turn:
    """One attempt's share: its tokens, at most and then as counted, and when it ended."""

    tokens: int
    ended: float = math.inf


class Pace:
    """A sliding window over the attempts of one model, and how many go at once.

    Requests and tokens are those of a minute; none means no limit. A bucket that refills
    (the usual limiter) lets twice its size pass in the minute after a rest. Here an
    attempt counts from when it is sent until a minute after it was answered: at
    whichever moment between the two an endpoint counts it, no minute holds more than
    the limit. A call that alone is larger waits for an empty window.
    """

    def __init__(self, requests: int | None = None, tokens: int | None = None) -> None:
        self._requests = requests or math.inf
        self._tokens = tokens or math.inf
        self._limited = bool(requests or tokens)
        self._turns: list[Turn] = []
        self._held_until = 0.0
        self._narrowed = -math.inf
        self._flying = 0
        self._wide = math.inf
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
            if self._limited:
                turns = [turn for turn in self._turns if now < turn.ended + MINUTE]
                self._turns = turns
                used = sum(turn.tokens for turn in turns)
                full = len(turns) >= self._requests or used + tokens > self._tokens
                if turns and full:
                    return None
                turns.append(turn)
            self._flying += 1
            return turn


@dataclass
class _Course:
    """One call under way: what failed so far, and the seconds that it took."""

    request: Request
    faults: list[Fault]
    price: Price | None
    had: list[Completion] = field(default_factory=list)  # those that were paid
    tries: int = 0
    spent: float = 0.0


class Attempts:
    """Sends the requests of one model, as its profile says how often and how long."""

    def __init__(self, transport: Transport, profile: Profile) -> None:
        self._transport = transport
        self._profile = profile
        self._pace = Pace(profile.requests_per_minute, profile.tokens_per_minute)
        self._rng = random.Random()  # no result depends on it
        self._deadline = profile.patience
        self._timeout = profile.timeout
        self._answered = False
        self._failed = 0

    async def complete(
        self, request: Request, faults: list[Fault], price: Price | None
    ) -> Completion:
        """The answer to a request; what failed on the way is put into `faults`."""
        course = _Course(request, faults, price)
        endpoint = self._transport
        while True:
            known = len(endpoint.learnt)
            room = endpoint.room(request)
            came = await self._attempt(course, room)
            faults.extend(Fault("learnt", said) for said in endpoint.learnt[known:])
            if isinstance(came, Completion):
                self._answered = True
                self._failed = 0
                self._pace.widen()
                wider = endpoint.widen(request, came, room)
                if not wider:
                    had = course.had
                    sums = {name: sum(getattr(x, name) for x in had) for name in COUNTS}
                    return replace(came, **sums)
                faults.append(Fault("cut off", wider))
            elif not isinstance(came, Wider):
                wait = self._next(came, course)
                await asyncio.sleep(wait)
                course.spent += wait

    async def _attempt(self, course: _Course, room: int) -> Completion | ModelError:
        """One attempt, in its turn, its worst case set aside and settled.

        `room` is all that the reply may take.
        """
        request = course.request
        price = course.price
        bound = prompt_bound(request.messages, request.schema)
        worst = price.worst(bound, room) if price else 0.0
        what = f"at most {bound} tokens to read and {room} to write, by {request.model}"
        async with self._pace.turn(bound + room) as turn:
            reserved: list[tuple[Budget, int]] = []
            usd: float | None = 0.0  # until it is sent
            try:
                for budget in budgets() if price else ():
                    reserved.append((budget, await budget.reserve(worst, what)))
                usd = None  # cancelled or broken off: nobody knows what it cost
                came = await self._answer(course, room)
                had = came if isinstance(came, Completion) else came.had
                if isinstance(had, Completion):
                    course.had.append(had)
                    used = had.prompt_tokens + had.completion_tokens
                    turn.tokens = used or turn.tokens
                    usd = cost(had, price)
                elif isinstance(came, ModelError) and not came.charged:
                    turn.tokens, usd = 0, 0.0  # not sent, or refused
                return came
            finally:
                for budget, number in reserved:
                    budget.settle(number, usd)

    async def _answer(self, course: _Course, room: int) -> Completion | ModelError:
        """What came of an attempt: errors as well, whose frames would hold the key."""
        started = time.monotonic()
        left = self._deadline - course.spent
        limit = max(0.0, min(self._timeout, left))
        try:
            async with asyncio.timeout(limit) as clock:
                asked = replace(course.request, max_tokens=room)
                return await self._transport.complete(asked)
        except ModelError as error:
            return error
        except TimeoutError:
            if not clock.expired():  # the transport's own
                raise
        finally:
            course.spent += time.monotonic() - started
        self._pace.narrow(started)
        self._timeout = max(self._timeout, min(2 * limit, self._deadline))
        within = f"in {limit:g} s"
        last = limit == left
        if last:
            within = f"within the deadline of {self._deadline:g} s, retries included"
        late = CallFailed(
            f"{self._transport.endpoint} did not answer {within}. {LONGER}"
        )
        late.fault = "deadline" if last else "time-out"
        late.transient = not last
        late.charged = True
        return late

    def _next(self, error: ModelError, course: _Course) -> float:
        """Seconds to wait for the next attempt; the error, where there is none.

        Twice as long each time, and drawn, so that calls do not come back together.
        """
        longest = min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** min(course.tries, 60))
        wait = longest * self._rng.uniform(0.5, 1.0)
        after = error.retry_after
        if after is not None:
            wait = after + min(wait, 1.0)
            if error.transient and after <= self._deadline:
                # It goes for the other calls to this model, too; but none of them is
                # to wait longer than a call may take.
                self._pace.hold(after)
        course.tries += 1
        given_up = f"Given up at attempt {course.tries}"
        why = ""
        if not error.transient:
            why = "No retry helps."
        elif course.tries > self._most(error):
            why = f"{given_up}."
        elif course.spent + wait > self._deadline:
            asked = "" if after is None else f" (it asks to wait {after:g} s)"
            why = (
                f"{given_up}: one more{asked} would pass the deadline of "
                f"{self._deadline:g} s (deadline=, or `deadline` in models.toml)."
            )
        waited = 0.0 if why else round(wait, 3)
        course.faults.append(Fault(error.fault or "error", str(error), waited))
        if why:
            raise self._given_up(error, why)
        return wait

    def _most(self, error: ModelError) -> float:
        """How often to try again after such an error."""
        most = self._profile.max_retries
        if error.waits and most and (self._answered or error.fault == "loading"):
            # It was there: what is gone for minutes comes back before the deadline.
            return math.inf if self._deadline < math.inf else most
        stranger = not self._answered and error.fault in STRANGE
        return min(STRANGER, most) if stranger else most

    def _given_up(self, error: ModelError, why: str) -> ModelError:
        """The error to raise: the last attempt's, or the end of all calls."""
        if isinstance(error, CallFailed) and error.transient:
            error.args = (f"{error} {why}",)
        if isinstance(error, Filtered) or not isinstance(error, CallFailed):
            return error
        self._failed += 1
        if self._failed < self._profile.failures_in_a_row:
            return error
        # Whoever calls again wants to see whether it is over.
        number = self._failed
        self._failed = 0
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
    read = completion.prompt_tokens
    written = completion.completion_tokens
    if price is None or read > price.long:
        return None
    if price.worst(1, 1) and not read + written:
        return None
    return price.cost(read, written, completion.cached_prompt_tokens)
