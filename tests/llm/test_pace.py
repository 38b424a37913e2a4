import asyncio
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.llm.pace import Pace


@dataclass
class Sent:
    """An attempt as the endpoint sees it: it may count it, with the tokens used, at any moment of its course."""

    sent: float
    answered: float
    tokens: int


def now():
    """The loop's own clock, which is virtual here."""
    return asyncio.get_running_loop().time()


def paced(requests=None, tokens=None, looks=1):
    """A pace in virtual time; a larger `looks` makes for fewer looks, so that an hour passes sooner."""
    return Pace(requests, tokens, clock=now, sleep=lambda seconds: asyncio.sleep(seconds * looks))


async def attempt(pace, log, start, takes, worst, used):
    """One attempt that begins to wait at `start`; `used` None is an attempt that fails without an answer."""
    await asyncio.sleep(start)
    async with pace.turn(worst) as turn:
        sent = now()
        await asyncio.sleep(takes)
        turn.tokens = turn.tokens if used is None else used
    log.append(Sent(sent, now(), worst if used is None else used))


def course(virtual_time, pace, attempts):
    """What an endpoint sees of attempts."""
    log = []

    async def all_of():
        await asyncio.gather(*(attempt(pace, log, *one) for one in attempts))

    virtual_time.run(all_of())
    assert len(log) == len(attempts)
    return sorted(log, key=lambda one: one.sent)


def fullest(log, weight):
    """The largest sum in any window of a minute, when each attempt is counted wherever it hurts most.

    A window can be moved to the right, without losing any, until it begins where one was answered.
    """
    return max(
        (
            sum(weight(one) for one in log if one.sent < last.answered + 60 and one.answered >= last.answered)
            for last in log
        ),
        default=0,
    )


SECONDS = st.sampled_from([0.0, 0.0, 0.1, 1.0, 7.3, 29.9, 60.0, 61.0])
LIMIT = 100
ATTEMPT = st.tuples(SECONDS, SECONDS, st.integers(1, 250), st.floats(0, 1)).map(
    lambda drawn: (*drawn[:3], int(min(drawn[2], LIMIT) * drawn[3]))
)


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 4), st.lists(ATTEMPT, max_size=12))
def test_property_no_minute_holds_more_requests_than_the_limit(virtual_time, limit, attempts):
    assert fullest(course(virtual_time, paced(requests=limit, looks=10), attempts), lambda one: 1) <= limit


@settings(deadline=None, max_examples=40)
@given(st.lists(ATTEMPT, max_size=12))
def test_property_no_minute_holds_more_tokens_than_the_limit_when_those_used_are_counted(virtual_time, attempts):
    assert fullest(course(virtual_time, paced(tokens=LIMIT, looks=10), attempts), lambda one: one.tokens) <= LIMIT


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 4), st.lists(ATTEMPT, max_size=12))
def test_property_both_limits_hold_together(virtual_time, limit, attempts):
    log = course(virtual_time, paced(limit, LIMIT, looks=10), attempts)
    assert fullest(log, lambda one: 1) <= limit
    assert fullest(log, lambda one: one.tokens) <= LIMIT


def test_the_minute_after_a_rest_holds_no_more_than_any_other(virtual_time):
    log = course(virtual_time, paced(requests=10), [(120.0, 0.0, 1, 1)] * 40)
    assert [round(one.sent) for one in log] == [120] * 10 + [180] * 10 + [240] * 10 + [300] * 10


def test_an_attempt_that_takes_long_counts_until_a_minute_after_its_answer(virtual_time):
    slow, quick = course(virtual_time, paced(requests=1), [(0.0, 100.0, 1, 1), (1.0, 0.0, 1, 1)])
    assert quick.sent >= slow.answered + 60
    assert quick.sent <= slow.answered + 61


def test_a_call_that_took_less_than_it_might_have_makes_room_at_once(virtual_time):
    first, second = course(virtual_time, paced(tokens=100), [(0.0, 2.0, 90, 10), (1.0, 0.0, 90, 10)])
    assert first.answered <= second.sent <= first.answered + 1


def test_a_call_without_an_answer_counts_at_its_worst(virtual_time):
    first, second = course(virtual_time, paced(tokens=100), [(0.0, 2.0, 90, None), (1.0, 0.0, 90, 10)])
    assert second.sent >= first.answered + 60


def test_a_call_larger_than_the_limit_is_sent_alone(virtual_time):
    log = course(virtual_time, paced(tokens=100), [(0.0, 1.0, 50, 50), (0.5, 1.0, 500, 100), (0.6, 1.0, 10, 10)])
    small, large, last = log
    assert large.sent >= small.answered + 60
    assert last.sent >= large.answered + 60


def test_a_large_call_is_not_overtaken_for_ever_by_small_ones(virtual_time):
    small = [(second / 2, 0.1, 30, 30) for second in range(40)]
    log = course(virtual_time, paced(tokens=100), [*small, (3.25, 0.1, 100, 100)])
    [large] = [one for one in log if one.tokens == 100]
    assert log.index(large) == 7, "those that were there before it, and none that came later"


def test_nothing_is_sent_while_the_endpoint_wants_to_be_left_alone(virtual_time):
    for pace in (paced(), paced(requests=100), paced(tokens=10_000)):

        async def study(pace=pace):
            pace.hold(30.0)
            pace.hold(10.0)  # the longer one holds
            log = []
            await asyncio.gather(*(attempt(pace, log, start, 0.0, 1, 1) for start in (0.0, 5.0, 29.0, 40.0)))
            return sorted(one.sent for one in log)

        sent = virtual_time.run(study())
        assert min(sent) >= 30.0
        assert sent[2] < 32.0
        assert sent[3] == 40.0


def test_without_limits_nothing_is_kept_locked_or_waited_for():
    async def never(seconds):
        raise AssertionError("waited")

    pace = Pace(sleep=never)

    async def study():
        for _ in range(100):
            async with pace.turn(10), pace.turn(10):
                pass

    asyncio.run(study())
    assert pace._turns == []


def test_turns_that_no_minute_holds_any_more_are_forgotten(virtual_time):
    pace = paced(requests=5)
    course(virtual_time, pace, [(0.0, 0.0, 1, 1)] * 100)
    assert len(pace._turns) <= 5


def test_who_is_cancelled_while_waiting_lets_the_next_one_pass(virtual_time):
    async def study():
        pace, log = paced(requests=1), []
        await attempt(pace, log, 0.0, 0.0, 1, 1)
        waiting = [asyncio.create_task(attempt(pace, log, 0.0, 0.0, 1, 1)) for _ in range(3)]
        await asyncio.sleep(1.0)
        waiting[0].cancel()
        waiting[2].cancel()
        await asyncio.wait(waiting)
        return [one.sent for one in log], len(pace._turns)

    sent, kept = virtual_time.run(study())
    assert len(sent) == 2
    assert 60 <= sent[1] <= 61
    assert kept == 1


def test_who_is_cancelled_under_way_counts_for_a_minute_and_not_for_ever(virtual_time):
    async def study():
        pace, log = paced(requests=1), []
        under_way = asyncio.create_task(attempt(pace, log, 0.0, 1000.0, 1, 1))
        await asyncio.sleep(5.0)
        under_way.cancel()
        await attempt(pace, log, 0.0, 0.0, 1, 1)
        return log[0].sent

    assert 65 <= virtual_time.run(study()) <= 66


def test_event_loops_share_the_limit():
    now = [0.0]

    async def pause(seconds):
        now[0] += seconds
        await asyncio.sleep(0)

    pace = Pace(requests_per_minute=1, clock=lambda: now[0], sleep=pause)

    async def once():
        async with pace.turn(1):
            return now[0]

    assert asyncio.run(once()) == 0.0
    assert asyncio.run(once()) == pytest.approx(60.0, abs=0.5)
