import asyncio
import copy
import random
from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.errors import BudgetExceeded, CallFailed, ModelError, ModelUnavailable
from support.models import attempts, connect, patient
from support.models.attempts import Attempts, Pace, Patience, Wider
from support.models.calls import Meter, metered
from support.models.money import Budget
from support.models.profiles import Price
from support.models.request import Completion, Request, Transport
from support.presence import Presence

ASKED = Request(
    "m", "http://127.0.0.1/v1", (("user", "Who?"),), None, 0.0, None, 100, 0
)
PRICE = Price(input=1000.0, output=1000.0)  # a tenth of a cent a token
WELL, CUT = Completion("well", 10, 5), Completion("", 10, 100, "length", 1.0)
BOUND = attempts.prompt_bound(ASKED.messages)
WORST = PRICE.worst(BOUND, ASKED.max_tokens)


def now():
    return asyncio.get_running_loop().time()


def failing(fault="500", kind=CallFailed, **more):
    error = kind(f"it said {fault}.")
    error.fault, error.transient = fault, True
    for name, value in more.items():
        setattr(error, name, value)
    return error


GONE = failing("no connection", ModelUnavailable, waits=True)
NO_CHAT, LOST = failing("no completion"), failing("502", waits=True)
LOADING = failing("loading", waits=True)
TIMED_OUT = failing("time-out", charged=True)


class Script(Transport):
    """Follows a list, its last line for ever: completions, errors, silence in seconds. What is cut gets more room."""

    model, endpoint = "m", "http://127.0.0.1/v1"

    def __init__(self, *lines, seen=lambda: None):
        self.lines, self.sent, self.rooms, self.seen, self.wide = (
            list(lines),
            [],
            [],
            seen,
            100,
        )

    def room(self, request):
        return self.wide

    def widen(self, request, completion, room):
        self.wide = 2 * room if completion.finish_reason == "length" else self.wide
        return "wider" if self.wide > room else ""

    async def complete(self, request):
        self.seen()
        self.sent.append(now())
        self.rooms.append(request.max_tokens)
        while isinstance(
            line := self.lines.pop(0) if self.lines[1:] else self.lines[0], float
        ):
            await asyncio.sleep(line)
        if isinstance(line, BaseException):
            raise copy.copy(line)
        return line


async def outcomes(
    script, calls=1, faults=None, price=None, pace=(), answered=True, seed=0, **patience
):
    """What calls brought, one after the other, at an endpoint that has answered before: a completion or an error."""
    made, ends = Attempts(script, Patience(**patience), Pace(*pace)), []
    made._answered, made._rng = answered, random.Random(seed)
    for _ in range(calls):
        try:
            ends.append(
                await made.complete(ASKED, [] if faults is None else faults, price)
            )
        except ModelError as error:
            ends.append(error)
    return [*ends, [turn.tokens for turn in made._pace._turns]] if pace else ends


@pytest.mark.parametrize(
    "fault", ["429", "500", "broken connection", "time-out", "no completion"]
)
def test_what_may_pass_is_tried_again_after_waits_that_double(run, fault):
    script, faults = Script(*[failing(fault)] * 40, WELL), []
    assert run(outcomes(script, faults=faults, max_retries=40, deadline=float("inf"))) == [WELL]
    assert [(met.kind, met.said) for met in faults] == [
        (fault, f"it said {fault}.")
    ] * 40
    waits = [b - a for a, b in zip(script.sent, script.sent[1:], strict=False)]
    assert (
        waits == pytest.approx([met.waited for met in faults], abs=0.001)
        and len(set(waits)) > 30
    )
    assert all(
        0.499 <= wait / min(60.0, 0.5 * 2**retry) <= 1.001
        for retry, wait in enumerate(waits)
    )


def test_an_endpoint_that_asks_to_wait_is_left_alone_but_no_longer_than_a_call_may_take(
    run,
):
    for retries in (0, 6):
        script = Script(failing("429", retry_after=20.0), WELL)
        assert run(outcomes(script, 2, max_retries=retries))[1] == WELL
        assert 20.0 <= min(script.sent[1:]) <= max(script.sent[1:]) <= 22.0
    error, other = run(
        outcomes(script := Script(failing("429", retry_after=86400.0), WELL), 2)
    )
    assert (
        "it asks to wait 86400 s" in str(error)
        and other == WELL
        and script.sent[1] < 600
    )


def test_the_deadline_holds_for_attempts_and_waits_and_not_for_the_queue(run):
    script = Script(*[line for _ in range(50) for line in (7.0, failing("time-out"))])
    assert "would pass the deadline of 60 s" in str(
        run(outcomes(script, max_retries=49, deadline=60.0))
    )
    assert 30.0 < script.sent[-1] + 7.0 <= 60.0
    script = Script(*[line for _ in range(5) for line in (1.0, WELL)])
    assert (
        run(outcomes(script, 5, pace=(1,), deadline=10.0))[:5] == [WELL] * 5
        and script.sent[-1] > 240
    )
    [error] = run(
        outcomes(Script(10_000.0, WELL), faults=(faults := []), deadline=60.0)
    )
    assert "within the deadline of 60 s" in str(error) and [
        met.kind for met in faults
    ] == ["deadline"]
    assert error.__context__ is error.__cause__ is None, (
        "the frames hold the request, and with it the key"
    )


def test_failures_in_a_row_stop_everything_and_an_answer_begins_the_count_anew(run):
    gone = run(outcomes(Script(failing()), 6, max_retries=0, failures_in_a_row=3))
    assert [type(end) for end in gone] == [CallFailed, CallFailed, ModelUnavailable] * 2
    assert "3 calls in a row failed at http://127.0.0.1/v1" in str(
        gone[2]
    ) and "Given up at attempt 1." in str(gone[2])
    back = run(
        outcomes(
            Script(*[failing(), failing(), WELL] * 2),
            6,
            max_retries=0,
            failures_in_a_row=3,
        )
    )
    assert [type(end) for end in back] == [CallFailed, CallFailed, Completion] * 2


TRIES = [
    (GONE, {"answered": False}, 3),
    (NO_CHAT, {"answered": False}, 3),
    (LOST, {"answered": False}, 7),
    (GONE, {"max_retries": 0}, 1),
    (NO_CHAT, {}, 7),
]


@pytest.mark.parametrize("seed", range(2))
def test_a_stranger_is_given_up_sooner_than_who_has_answered_before(run, seed):
    for fault, options, tries in TRIES:
        run(outcomes(script := Script(fault), seed=seed, **options))
        assert len(script.sent) == tries


@pytest.mark.parametrize("fault", [GONE, LOST, LOADING])
def test_what_is_gone_for_minutes_ends_no_call_before_its_deadline(run, fault):
    run(outcomes(script := Script(fault)))
    assert script.sent[-1] > 500
    answered = fault is not LOADING
    lines = [fault] * 9 + [WELL]
    assert run(outcomes(Script(*lines), answered=answered)) == [WELL]


class Serial(Transport):
    """A server that answers one question after the other, also those given up."""

    model, endpoint = "m", "http://127.0.0.1/v1"

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


async def crowd(server, number, **patience):
    made = Attempts(server, Patience(**patience), Pace())
    asked = (made.complete(ASKED, [], None) for _ in range(number))
    return await asyncio.gather(*asked)


@pytest.mark.parametrize("takes", [20.0, 45.0, 100.0])
def test_a_serial_server_is_stormed_once_and_then_answers_all(run, takes):
    server = Serial(takes)
    assert run(crowd(server, 8, deadline=2400.0)) == [WELL] * 8
    assert server.most[7] == 8 and len(server.most) <= 20
    assert all(flying <= 5 for flying in server.most[8:])


def test_after_time_outs_fewer_go_at_once_and_more_again_with_answers():
    pace = Pace()
    pace._flying = 8
    for sent, wide in [(1.0, 4), (0.5, 4)]:
        pace.narrow(sent)
        assert pace._wide == wide
    pace._narrowed = -1.0
    for _ in range(3):
        pace._narrowed = -1.0
        pace.narrow(0.0)
    assert pace._wide == 1
    for _ in range(20):
        pace.widen()
    assert 5 < pace._wide < 8


def test_a_server_that_takes_fifteen_minutes_is_heard_with_a_time_out_of_twenty(
    run, monkeypatch
):
    patient(1200.0)
    try:
        model = connect("m", base_url="http://127.0.0.1:9/v1")
    finally:
        patient(None)
    patience = model._attempts._patience
    assert (patience.timeout, patience.deadline) == (1200.0, 6000.0)
    assert run(crowd(Serial(900.0), 1, timeout=1200.0, deadline=6000.0)) == [WELL]
    with pytest.raises(CallFailed, match=r"did not answer in 120 s\. Set TIMEOUT"):
        run(crowd(Serial(900.0), 1, max_retries=0))


@pytest.fixture
def account(tmp_path):
    """The budget of a run, 1000 dollars."""
    with (
        Presence(tmp_path / "s") as presence,
        closing(Budget(1000.0, tmp_path / "s", "s", presence)) as opened,
    ):
        yield opened


async def under(account, script, **options):
    with metered(Meter(account)):
        return await outcomes(script, price=PRICE, **options)


def test_the_worst_case_of_each_room_is_set_aside_settled_summed_and_the_budget_never_passed(
    run, account
):
    seen, faults = [], []
    script = Script(
        Wider(),
        CUT,
        CUT,
        failing(),
        TIMED_OUT,
        WELL,
        seen=lambda: seen.append(account.reserved),
    )
    [had] = run(under(account, script, faults=faults))
    assert (had.text, had.prompt_tokens, had.completion_tokens, had.latency) == (
        "well",
        30,
        205,
        2.0,
    )
    assert script.rooms == [100, 100, 200, 400, 400, 400] and account.reserved == 0.0
    assert seen == pytest.approx([PRICE.worst(BOUND, room) for room in script.rooms])
    late = PRICE.worst(BOUND, 400)  # it may have been charged
    assert (account.uncertain, account.spent) == (
        pytest.approx(late),
        pytest.approx(0.235 + late),
    )
    assert [met.kind for met in faults] == ["cut off", "cut off", "500", "time-out"]
    account.settle(asyncio.run(account.reserve(999.0, "most")), 999.75 - late - WORST)
    with pytest.raises(
        BudgetExceeded, match=r"at most \d+ tokens to read and 200 to write, by m"
    ):
        run(under(account, script := Script(CUT)))
    assert (
        script.rooms == [100]
        and account.reserved == 0.0
        and account.spent <= account.limit_usd
    )


@pytest.mark.parametrize("sent", [True, False])
@pytest.mark.parametrize(
    "lines",
    [[10.0, WELL], [Completion("x")], [KeyError()]],
    ids=["cut", "tokens untold", "bug"],
)
def test_what_may_have_been_charged_costs_its_worst_but_not_before(
    run, account, lines, sent, monkeypatch
):
    purse = Budget(1000.0, account.path.with_name("purse"), "p", account._presence)
    monkeypatch.setattr(attempts, "purse", lambda: purse)

    async def study():
        held = 0 if sent else await purse.reserve(999.99, "most of it")
        await asyncio.wait(
            [call := asyncio.create_task(under(account, Script(*lines)))], timeout=1.0
        )
        call.cancel()
        await asyncio.wait([call])
        purse.settle(held, 0.0)

    run(study())
    assert [account.uncertain, purse.spent, account.reserved] == pytest.approx(
        [WORST * sent, WORST * sent, 0.0]
    )


def test_the_tokens_of_a_turn_are_those_that_were_used(run):
    [*_, tokens] = run(
        outcomes(
            Script(WELL, failing("500"), TIMED_OUT, Wider(), WELL),
            2,
            pace=(None, 100_000),
        )
    )
    assert tokens == [15, 0, BOUND + ASKED.max_tokens, 0, 15]


async def attempt(pace, log, start, takes, worst, used):
    """One attempt that begins to wait at `start`; logged as the endpoint sees it: sent, answered, tokens used."""
    await asyncio.sleep(start)
    async with pace.turn(worst) as turn:
        sent = now()
        await asyncio.sleep(takes)
        turn.tokens = used
    log.append((sent, now(), used))


def course(run, tries, requests=None, tokens=None, looks=1):
    """What an endpoint sees of attempts, in virtual time; more `looks` make for fewer looks, so that an hour passes."""

    async def all_of():
        pace, log = Pace(requests, tokens), []
        await asyncio.gather(*(attempt(pace, log, *one) for one in tries))
        return sorted(log)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(attempts, "LOOK", attempts.LOOK * looks)
        log = run(all_of())
    assert len(log) == len(tries)
    return log


def fullest(log, weight):
    """The largest sum in a minute that begins where one was answered, each attempt counted wherever it hurts most."""
    windows = (
        [one for one in log if one[0] < last[1] + 60 and one[1] >= last[1]]
        for last in log
    )
    return max((sum(map(weight, window)) for window in windows), default=0)


SECONDS = st.sampled_from([0.0, 0.0, 0.1, 1.0, 7.3, 29.9, 60.0, 61.0])
ATTEMPT = st.tuples(SECONDS, SECONDS, st.integers(1, 250), st.floats(0, 1)).map(
    lambda drawn: (*drawn[:3], int(min(drawn[2], 100) * drawn[3]))
)


@settings(max_examples=100)
@given(
    st.none() | st.integers(1, 4),
    st.sampled_from([None, 100]),
    st.lists(ATTEMPT, max_size=12),
)
def test_property_no_minute_holds_more_requests_or_tokens_used_than_the_limits(
    run, requests, most, tries
):
    log = course(run, tries, requests, most, looks=10)
    assert requests is None or fullest(log, lambda one: 1) <= requests
    assert most is None or fullest(log, lambda one: one[2]) <= most


def test_a_large_call_is_not_overtaken_for_ever_and_what_was_not_used_makes_room_at_once(
    run,
):
    log = course(
        run,
        [*((n / 2, 0.1, 30, 30) for n in range(40)), (3.25, 0.1, 100, 100)],
        tokens=100,
    )
    assert [tokens for *_, tokens in log].index(100) == 7, (
        "those that were there before it, and none that came later"
    )
    assert (
        course(run, [(0.0, 2.0, 90, 10), (1.0, 0.0, 90, 10)], tokens=100)[1][0] <= 3.0
    )


def test_who_is_cancelled_lets_the_next_pass_and_counts_no_longer_than_a_minute(run):
    async def study():
        pace, log = Pace(1), []
        tasks = [
            asyncio.create_task(attempt(pace, log, start, 1000.0 - 500 * start, 1, 1))
            for start in (0, 2, 2, 2)
        ]
        await asyncio.sleep(5.0)
        for task in (tasks[0], tasks[1], tasks[3]):
            task.cancel()
        await asyncio.wait(tasks)
        return [sent for sent, *_ in log]

    [sent] = run(study())
    assert 65 <= sent <= 66
