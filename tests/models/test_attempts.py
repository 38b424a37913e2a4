import asyncio
import copy
import random
from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.errors import BudgetExceeded, CallFailed, ModelError, ModelUnavailable
from support.models import attempts
from support.models.attempts import Attempts, Pace, Wider
from support.models.calls import Meter, metered
from support.models.money import Budget
from support.models.profiles import FAKE, Price
from support.models.request import Completion, Request, Transport
from support.presence import Presence

HERE, FOREVER = "http://127.0.0.1/v1", float("inf")
ASKED = Request("m", HERE, (("user", "Who?"),), None, 0.0, None, 100, 0)
PRICE = Price(input=1000.0, output=1000.0)  # a tenth of a cent a token
WELL, CUT = Completion("well", 10, 5), Completion("", 10, 100, "length", 1.0)
BOUND = attempts.prompt_bound(ASKED.messages)
WORST = PRICE.worst(BOUND, ASKED.max_tokens)


def now():
    return asyncio.get_running_loop().time()


def failing(fault="500", kind=CallFailed, **more):
    error = kind(f"it said {fault}.")
    error.__dict__ |= {"fault": fault, "transient": True, **more}
    return error


GONE = failing("no connection", ModelUnavailable, waits=True)
LOST = failing("502", waits=True)
TIMED_OUT = failing("time-out", charged=True)


class Script(Transport):
    """Follows a list, its last line for ever: completions, errors, silence in seconds.

    What is cut gets more room.
    """

    model, endpoint = "m", HERE

    def __init__(self, *lines, seen=lambda: None):
        self.lines, self.seen, self.wide = list(lines), seen, 100
        self.sent, self.rooms = [], []

    def room(self, request):
        return self.wide

    def widen(self, request, completion, room):
        if completion.finish_reason == "length":
            self.wide = 2 * room
        return "wider" if self.wide > room else ""

    def next(self):
        return self.lines.pop(0) if self.lines[1:] else self.lines[0]

    async def complete(self, request):
        self.seen()
        self.sent.append(now())
        self.rooms.append(request.max_tokens)
        line = self.next()
        while isinstance(line, float):
            await asyncio.sleep(line)
            line = self.next()
        if isinstance(line, BaseException):
            raise copy.copy(line)
        return line


async def outcomes(script, calls=1, pace=None, price=None, seed=0, **profile):
    """What calls brought, one after the other: a completion or an error.

    The endpoint has answered before, unless it is a stranger.
    """
    answered, faults = not profile.pop("stranger", 0), profile.pop("faults", [])
    made, ends = Attempts(script, FAKE.changed(**profile)), []
    made._answered, made._rng = answered, random.Random(seed)
    made._pace = pace or made._pace
    for _ in range(calls):
        try:
            ends.append(await made.complete(ASKED, faults, price))
        except ModelError as error:
            ends.append(error)
    return ends


@pytest.mark.parametrize("fault", ["429", "broken connection", "no completion"])
def test_what_may_pass_is_tried_again_after_waits_that_double(run, fault):
    script, faults = Script(*[failing(fault)] * 40, WELL), []
    told = {"faults": faults, "max_retries": 40, "deadline": FOREVER}
    assert run(outcomes(script, **told)) == [WELL]
    assert {(met.kind, met.said) for met in faults} == {(fault, f"it said {fault}.")}
    waits = [met.waited for met in faults]
    assert script.sent[-1] == pytest.approx(sum(waits), abs=0.1)
    assert len(set(waits)) > 30  # drawn, so that calls do not come back together
    for retry, wait in enumerate(waits):
        assert 0.499 <= wait / min(60.0, 0.5 * 2**retry) <= 1.001


def test_an_endpoint_that_asks_to_wait_is_left_alone_but_no_longer_than_a_call_may_take(
    run,
):
    script = Script(failing("429", retry_after=20.0), WELL)
    assert run(outcomes(script, 2))[1] == WELL
    assert 20.0 <= min(script.sent[1:]) <= max(script.sent[1:]) <= 22.0
    script = Script(failing("429", retry_after=86400.0), WELL)
    error, other = run(outcomes(script, 2))
    assert "it asks to wait 86400 s" in str(error)
    assert other == WELL and script.sent[1] < 600


def test_the_deadline_holds_for_attempts_and_waits_and_not_for_the_queue(run):
    script = Script(*[7.0, failing("time-out")] * 50)
    [error] = run(outcomes(script, max_retries=49, deadline=60.0))
    assert "would pass the deadline of 60 s" in str(error)
    assert 30.0 < script.sent[-1] + 7.0 <= 60.0
    # The frames hold the request, and with it the key.
    assert error.__context__ is error.__cause__ is None
    script = Script(*[1.0, WELL] * 5)
    assert run(outcomes(script, 5, Pace(1), deadline=10.0)) == [WELL] * 5


@pytest.mark.parametrize("fault", [GONE, LOST])
def test_what_is_gone_for_minutes_ends_no_call_but_a_stranger_is_given_up(run, fault):
    script = Script(*[fault] * 9, WELL)
    assert run(outcomes(script)) == [WELL]
    run(outcomes(script := Script(fault), stranger=True))
    assert len(script.sent) < 8


def test_failures_in_a_row_stop_everything_and_an_answer_begins_the_count_anew(run):
    told = {"max_retries": 0, "failures_in_a_row": 3}
    gone = run(outcomes(Script(failing()), 6, **told))
    assert [type(end) for end in gone] == [CallFailed, CallFailed, ModelUnavailable] * 2
    assert f"3 calls in a row failed at {HERE}" in str(gone[2])
    back = run(outcomes(Script(*[failing(), failing(), WELL] * 2), 6, **told))
    assert [type(end) for end in back] == [CallFailed, CallFailed, Completion] * 2


class Serial(Transport):
    """A server that answers one question after the other, also those given up."""

    model, endpoint = "m", HERE

    def __init__(self, takes):
        self.takes, self.free, self.flying, self.most = takes, 0.0, 0, []

    async def complete(self, request):
        self.flying += 1
        self.most.append(self.flying)
        self.free = max(self.free, now()) + self.takes
        try:
            await asyncio.sleep(self.free - now())
        finally:
            self.flying -= 1
        return WELL


async def crowd(server, number, **profile):
    made = Attempts(server, FAKE.changed(**profile))
    asked = (made.complete(ASKED, [], None) for _ in range(number))
    return await asyncio.gather(*asked)


@pytest.mark.parametrize("takes", [20.0, 45.0, 100.0])
def test_a_serial_server_is_stormed_once_and_then_answers_all(run, takes):
    server = Serial(takes)
    assert run(crowd(server, 8, deadline=2400.0)) == [WELL] * 8
    assert server.most[7] == 8 and len(server.most) <= 20
    assert all(flying <= 5 for flying in server.most[8:])


@pytest.fixture
def account(tmp_path):
    """The budget of a run, 1000 dollars."""
    path = tmp_path / "s"
    with Presence(path) as here, closing(Budget(1000.0, path, "s", here)) as opened:
        yield opened


async def under(account, script, **options):
    with metered(Meter(account)):
        return await outcomes(script, price=PRICE, **options)


def test_the_worst_case_of_each_room_is_set_aside_settled_and_summed(
    run, account, held
):
    seen, faults, kinds = [], [], ["cut off", "cut off", "500", "time-out"]
    lines = Wider(), CUT, CUT, failing(), TIMED_OUT, WELL
    script = Script(*lines, seen=lambda: seen.append(held(account)[2]))
    [had] = run(under(account, script, faults=faults))
    assert had == Completion("well", 30, 205, latency=2.0)
    assert script.rooms == [100, 100, 200, 400, 400, 400]
    assert seen == pytest.approx([PRICE.worst(BOUND, room) for room in script.rooms])
    assert [met.kind for met in faults] == kinds
    late = PRICE.worst(BOUND, 400)  # it may have been charged
    assert held(account) == pytest.approx([0.235, late, 0.0])


def test_a_wider_room_does_not_pass_the_budget(run, account, held):
    most = asyncio.run(account.reserve(999.0, "most"))
    account.settle(most, 1000.0 - WORST - 0.05)
    told = r"at most \d+ tokens to read and 200 to write, by m"
    with pytest.raises(BudgetExceeded, match=told):
        run(under(account, script := Script(CUT)))
    assert script.rooms == [100] and held(account)[2] == 0.0
    assert account.spent <= account.limit_usd


@pytest.mark.parametrize("sent", [True, False])
@pytest.mark.parametrize("lines", [[10.0, WELL], [Completion("x")], [KeyError()]])
def test_what_may_have_been_charged_costs_its_worst_but_not_before(
    run, account, lines, sent, monkeypatch, held
):
    purse = Budget(1000.0, account.path.with_name("purse"), "p", account._presence)
    monkeypatch.setattr(attempts, "purse", lambda: purse)

    async def study():
        most = 0 if sent else await purse.reserve(999.99, "most of it")
        call = asyncio.create_task(under(account, Script(*lines)))
        await asyncio.wait([call], timeout=1.0)
        call.cancel()
        await asyncio.wait([call])
        purse.settle(most, 0.0)

    run(study())
    assert held(account) == pytest.approx([0.0, WORST * sent, 0.0])
    assert purse.spent == pytest.approx(WORST * sent)


async def attempt(pace, log, start, takes, worst, used):
    """One attempt that begins to wait at `start`; logged as the endpoint sees it."""
    await asyncio.sleep(start)
    async with pace.turn(worst) as turn:
        sent = now()
        await asyncio.sleep(takes)
        turn.tokens = used
    log.append((sent, now(), used))


def course(run, tries, requests=None, tokens=None, looks=1):
    """When attempts were sent and answered, and their tokens, in virtual time.

    More `looks` make for fewer looks, so that an hour passes.
    """
    log = []

    async def all_of():
        pace = Pace(requests, tokens)
        await asyncio.gather(*(attempt(pace, log, *one) for one in tries))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(attempts, "LOOK", attempts.LOOK * looks)
        run(all_of())
    assert len(log) == len(tries)
    return sorted(log)


def fullest(log, weight):
    """The largest sum in a minute that begins where one was answered.

    Each attempt counts wherever it hurts most.
    """
    sums = [0]
    for _, answered, _ in log:
        window = [one for one in log if one[0] < answered + 60 and one[1] >= answered]
        sums.append(sum(map(weight, window)))
    return max(sums)


SECONDS = st.sampled_from([0.0, 0.0, 0.1, 1.0, 7.3, 29.9, 60.0, 61.0])
ATTEMPT = st.tuples(SECONDS, SECONDS, st.integers(1, 250), st.floats(0, 1)).map(
    lambda drawn: (*drawn[:3], int(min(drawn[2], 100) * drawn[3]))
)
REQUESTS, TOKENS = st.none() | st.integers(1, 4), st.sampled_from([None, 100])


@settings(max_examples=100)
@given(REQUESTS, TOKENS, st.lists(ATTEMPT, max_size=12))
def test_property_no_minute_holds_more_requests_or_tokens_used_than_the_limits(
    run, requests, most, tries
):
    log = course(run, tries, requests, most, looks=10)
    assert requests is None or fullest(log, lambda one: 1) <= requests
    assert most is None or fullest(log, lambda one: one[2]) <= most
