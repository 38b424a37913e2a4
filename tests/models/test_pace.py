import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st

from support.models.attempts import Pace


def now():
    return asyncio.get_running_loop().time()


async def attempt(pace, log, start, takes, worst, used):
    """One attempt that begins to wait at `start`; logged as the endpoint sees it: sent, answered, tokens used."""
    await asyncio.sleep(start)
    async with pace.turn(worst) as turn:
        sent = now()
        await asyncio.sleep(takes)
        turn.tokens = used
    log.append((sent, now(), used))


def course(virtual_time, attempts, requests=None, tokens=None, looks=1):
    """What an endpoint sees of attempts, in virtual time; more `looks` make for fewer looks, so that an hour passes."""

    async def all_of():
        pace, log = Pace(requests, tokens, clock=now, sleep=lambda seconds: asyncio.sleep(seconds * looks)), []
        await asyncio.gather(*(attempt(pace, log, *one) for one in attempts))
        return sorted(log)

    log = virtual_time.run(all_of())
    assert len(log) == len(attempts)
    return log


def fullest(log, weight):
    """The largest sum in a minute that begins where one was answered, each attempt counted wherever it hurts most."""
    windows = ([one for one in log if one[0] < last[1] + 60 and one[1] >= last[1]] for last in log)
    return max((sum(map(weight, window)) for window in windows), default=0)


SECONDS = st.sampled_from([0.0, 0.0, 0.1, 1.0, 7.3, 29.9, 60.0, 61.0])
ATTEMPT = st.tuples(SECONDS, SECONDS, st.integers(1, 250), st.floats(0, 1)).map(
    lambda drawn: (*drawn[:3], int(min(drawn[2], 100) * drawn[3]))
)


@settings(max_examples=100)
@given(st.none() | st.integers(1, 4), st.sampled_from([None, 100]), st.lists(ATTEMPT, max_size=12))
def test_property_no_minute_holds_more_requests_or_tokens_used_than_the_limits(virtual_time, requests, most, attempts):
    log = course(virtual_time, attempts, requests, most, looks=10)
    assert requests is None or fullest(log, lambda one: 1) <= requests
    assert most is None or fullest(log, lambda one: one[2]) <= most


def test_a_large_call_is_not_overtaken_for_ever_and_what_was_not_used_makes_room_at_once(virtual_time):
    log = course(virtual_time, [*((n / 2, 0.1, 30, 30) for n in range(40)), (3.25, 0.1, 100, 100)], tokens=100)
    assert [tokens for *_, tokens in log].index(100) == 7, "those that were there before it, and none that came later"
    assert course(virtual_time, [(0.0, 2.0, 90, 10), (1.0, 0.0, 90, 10)], tokens=100)[1][0] <= 3.0


def test_who_is_cancelled_lets_the_next_pass_and_counts_no_longer_than_a_minute(virtual_time):
    async def study():
        pace, log = Pace(1, clock=now), []
        tasks = [asyncio.create_task(attempt(pace, log, start, 1000.0 - 500 * start, 1, 1)) for start in (0, 2, 2, 2)]
        await asyncio.sleep(5.0)
        for task in (tasks[0], tasks[1], tasks[3]):
            task.cancel()
        await asyncio.wait(tasks)
        return [sent for sent, *_ in log]

    [sent] = virtual_time.run(study())
    assert 65 <= sent <= 66
