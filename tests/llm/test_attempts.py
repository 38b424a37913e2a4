import asyncio
from contextlib import closing
from types import SimpleNamespace

import pytest

from support.calls import metered
from support.errors import BudgetExceeded, CallFailed, ContextOverflow, ModelError, ModelUnavailable
from support.llm import attempts
from support.llm.attempts import Attempts, Patience
from support.llm.pace import Pace
from support.llm.transport import Completion, Request, Transport
from support.money import Budget, Meter, Price
from support.presence import Presence

ASKED = Request("m", "http://127.0.0.1/v1", (("user", "Who?"),), None, 0.0, None, 100, 0)
PRICE = Price(input=1000.0, output=1000.0)  # a tenth of a cent a token
WELL = Completion("well", prompt_tokens=10, completion_tokens=5)


def failing(fault="500", kind=CallFailed, transient=True, charged=False, retry_after=None):
    error = kind(f"it said {fault}.")
    error.fault, error.transient, error.charged, error.retry_after = fault, transient, charged, retry_after
    return error


class Script(Transport):
    """Follows a list: completions, errors, seconds of silence; or a function that gives the next one."""

    model, endpoint = "m", "http://127.0.0.1/v1"

    def __init__(self, *lines):
        self.lines, self.sent = iter(lines), []

    async def complete(self, request):
        self.sent.append(asyncio.get_running_loop().time())
        line = next(self.lines)
        while isinstance(line, float):
            await asyncio.sleep(line)
            line = next(self.lines)
        if isinstance(line, BaseException):
            raise line
        return line


@pytest.fixture
def run(virtual_time, monkeypatch):
    """As `asyncio.run`, in virtual time."""
    monkeypatch.setattr(attempts, "time", SimpleNamespace(monotonic=virtual_time.clock))
    return virtual_time.run


def sender(script, requests=None, tokens=None, answered=True, **patience):
    """Attempts at a script; at an endpoint that has answered before, unless it is said otherwise."""
    pace = Pace(requests, tokens, clock=lambda: asyncio.get_running_loop().time())
    made = Attempts(script, Patience(**patience), pace)
    made._answered = answered
    return made


async def outcome(made, faults=None, price=None):
    """What a call brought: its completion, or the error that it ended with."""
    try:
        return await made.complete(ASKED, [] if faults is None else faults, price)
    except ModelError as error:
        return error


@pytest.mark.parametrize("fault", ["408", "409", "429", "500", "503", "broken connection", "time-out", "no completion"])
def test_what_may_pass_is_tried_again_until_it_is_answered(run, fault):
    script, faults = Script(*[failing(fault)] * 6, WELL), []
    assert run(outcome(sender(script), faults)) is WELL
    assert len(script.sent) == 7
    assert [met.kind for met in faults] == [fault] * 6
    assert [met.said for met in faults] == [f"it said {fault}."] * 6


def test_the_retries_come_to_an_end_that_is_told(run):
    script, faults = Script(*[failing("500") for _ in range(9)]), []
    error = run(outcome(sender(script, max_retries=3), faults))
    assert isinstance(error, CallFailed)
    assert str(error) == "it said 500. Given up at attempt 4."
    assert len(script.sent) == len(faults) == 4
    assert faults[-1].waited == 0.0


def test_no_retries_are_no_retries(run):
    script = Script(failing("500"), WELL)
    assert isinstance(run(outcome(sender(script, max_retries=0))), CallFailed)
    assert len(script.sent) == 1


@pytest.mark.parametrize("kind", [ModelUnavailable, ContextOverflow, CallFailed])
def test_what_no_retry_can_help_is_raised_at_once_as_it_was_said(run, kind):
    script, faults = Script(failing("400", kind, transient=False), WELL), []
    error = run(outcome(sender(script), faults))
    assert type(error) is kind
    assert str(error) == "it said 400."
    assert [(met.kind, met.waited) for met in faults] == [("400", 0.0)]


def test_waits_double_are_drawn_and_have_an_end(run):
    def waits():
        faults = []
        run(outcome(sender(Script(*[failing()] * 12, WELL), max_retries=12, deadline=None), faults))
        return [met.waited for met in faults]

    first, second = waits(), waits()
    assert first != second
    for made in (first, second):
        bounds = [min(60.0, 0.5 * 2**retry) for retry in range(12)]
        assert all(bound / 2 - 0.001 <= wait <= bound + 0.001 for wait, bound in zip(made, bounds, strict=True))
        assert len({wait / bound for wait, bound in zip(made, bounds, strict=True)}) > 6


def test_waits_stay_finite_after_thousands_of_retries(run):
    script, faults = Script(*[failing()] * 1100, WELL), []
    assert run(outcome(sender(script, max_retries=2000, deadline=None), faults)) is WELL
    assert max(met.waited for met in faults) <= 60.0


def test_the_seconds_noted_are_the_seconds_waited(run):
    script, faults = Script(*[failing()] * 3, WELL), []
    run(outcome(sender(script), faults))
    between = [later - earlier for earlier, later in zip(script.sent, script.sent[1:], strict=False)]
    assert between == pytest.approx([met.waited for met in faults], abs=0.001)


def test_an_endpoint_that_asks_to_wait_is_left_alone_as_long_by_this_call_and_by_the_others(run):
    script = Script(failing("429", retry_after=20.0), WELL, WELL, WELL)

    async def study():
        made = sender(script)
        first = asyncio.create_task(outcome(made))
        await asyncio.sleep(1.0)
        return await asyncio.gather(first, outcome(made), outcome(made))

    assert run(study()) == [WELL] * 3
    assert script.sent[0] == 0.0
    assert 20.0 <= min(script.sent[1:]) <= max(script.sent[1:]) <= 22.0


def test_a_call_without_retries_still_has_the_others_wait(run):
    script = Script(failing("429", retry_after=20.0), WELL)

    async def study():
        made = sender(script, max_retries=0)
        return await outcome(made), await outcome(made)

    error, completion = run(study())
    assert isinstance(error, CallFailed)
    assert completion is WELL
    assert script.sent[1] >= 20.0


def test_a_wait_beyond_the_deadline_is_not_begun_by_this_call_nor_by_others(run):
    script = Script(failing("429", retry_after=86400.0), WELL)

    async def study():
        made, faults = sender(script, deadline=600.0), []
        return await outcome(made, faults), faults, await outcome(made)

    error, faults, other = run(study())
    assert "it asks to wait 86400 s" in str(error)
    assert "would pass deadline=600 s" in str(error)
    assert len(faults) == 1
    assert other is WELL
    assert script.sent[1] < 600, "without this, a night is spent in silence, on no call's deadline"


def test_an_error_that_no_retry_helps_holds_nobody_up(run):
    script = Script(failing("400", transient=False, retry_after=50.0), WELL)

    async def study():
        made = sender(script)
        return await outcome(made), await outcome(made)

    assert run(study())[1] is WELL
    assert script.sent[1] == 0.0


def test_the_deadline_holds_for_attempts_and_waits_together(run):
    script = Script(*[line for _ in range(50) for line in (7.0, failing("time-out"))])
    error = run(outcome(sender(script, max_retries=49, deadline=60.0)))
    assert "would pass deadline=60 s" in str(error)
    assert 30.0 < script.sent[-1] + 7.0 <= 60.0


def test_a_stall_is_cut_at_the_deadline(run):
    script, faults = Script(failing("500"), 10_000.0, WELL), []

    async def study():
        error = await outcome(sender(script, deadline=60.0), faults)
        return error, asyncio.get_running_loop().time()

    error, ended = run(study())
    assert "within the deadline of 60 s" in str(error)
    assert ended == pytest.approx(60.0, abs=0.01)
    assert [met.kind for met in faults] == ["500", "deadline"]


def test_the_error_at_the_deadline_holds_no_trace_of_what_was_cut_off(run):
    """The frames that were cut hold the request, and with it the key."""
    error = run(outcome(sender(Script(10_000.0), deadline=1.0)))
    assert error.__context__ is None
    assert error.__cause__ is None


def test_the_deadline_does_not_count_the_queue(run):
    script = Script(*[line for _ in range(5) for line in (1.0, WELL)])

    async def study():
        made = sender(script, requests=1, deadline=10.0)
        return await asyncio.gather(*(outcome(made) for _ in range(5)))

    assert run(study()) == [WELL] * 5
    assert script.sent[-1] > 240


def test_without_a_deadline_a_long_answer_is_awaited(run):
    assert run(outcome(sender(Script(100_000.0, WELL), deadline=None))) is WELL


@pytest.mark.parametrize("deadline", [None, 60.0], ids=["no deadline", "a deadline"])
def test_a_time_out_of_the_transport_s_own_is_not_taken_for_the_deadline(run, deadline):
    with pytest.raises(TimeoutError, match="mine"):
        run(outcome(sender(Script(TimeoutError("mine")), deadline=deadline)))


def test_failures_in_a_row_stop_everything_and_say_so(run):
    async def study():
        made = sender(Script(*[failing("500") for _ in range(6)]), max_retries=0, failures_in_a_row=3)
        return [await outcome(made) for _ in range(6)]

    ends = run(study())
    assert [type(end) for end in ends] == [CallFailed, CallFailed, ModelUnavailable] * 2
    assert "3 calls in a row failed at http://127.0.0.1/v1" in str(ends[2])
    assert "the last: it said 500. Given up at attempt 1. Calls stop here" in str(ends[2])


def test_an_answer_between_begins_the_count_anew(run):
    lines = [failing(), failing(), WELL, failing(), failing(), WELL]

    async def study():
        made = sender(Script(*lines), max_retries=0, failures_in_a_row=3)
        return [type(await outcome(made)) for _ in lines]

    assert run(study()) == [CallFailed, CallFailed, Completion] * 2


def test_retries_that_are_answered_in_the_end_are_no_failures(run):
    lines = [failing(), failing(), WELL] * 5

    async def study():
        made = sender(Script(*lines), failures_in_a_row=2)
        return [type(await outcome(made)) for _ in range(5)]

    assert run(study()) == [Completion] * 5


@pytest.mark.parametrize(
    ("fault", "kind"), [("no connection", ModelUnavailable), ("no completion", CallFailed)], ids=["no one", "no chat"]
)
def test_a_stranger_is_given_up_sooner_than_who_has_answered_before(run, fault, kind):
    def tries(answered):
        script = Script(*[failing(fault, kind) for _ in range(20)])
        assert type(run(outcome(sender(script, answered=answered)))) is kind
        return len(script.sent)

    assert tries(False) == 3
    assert tries(True) == 7 if fault == "no completion" else tries(True) > 10


def test_a_network_that_is_gone_for_minutes_ends_no_call_before_its_deadline(run):
    gone = [failing("no connection", ModelUnavailable) for _ in range(30)]
    there, never = Script(*gone[:12], WELL), Script(*gone)
    assert run(outcome(sender(there, deadline=3600.0))) is WELL
    lost = run(outcome(sender(never, deadline=600.0)))
    assert type(lost) is ModelUnavailable and never.sent[-1] - never.sent[0] > 500
    assert len(run_without_retries(run, gone).sent) == 1


def run_without_retries(run, gone):
    """Whoever allows no retry gets none."""
    script = Script(*gone)
    run(outcome(sender(script, max_retries=0)))
    return script


def test_a_stranger_is_none_any_more_once_it_has_answered(run):
    script = Script(WELL, *[failing("no completion")] * 5, WELL)

    async def study():
        made = sender(script, answered=False)
        return [await outcome(made) for _ in range(2)]

    assert run(study()) == [WELL, WELL]


@pytest.fixture
def account(tmp_path):
    """The budget of a run, 1000 dollars."""
    path = tmp_path / "s.sqlite"
    with Presence(path) as presence, closing(Budget(1000.0, path, "s", presence)) as opened:
        yield opened


WORST = PRICE.worst(attempts.prompt_bound(ASKED.messages), ASKED.max_tokens)


def under(account, script, **options):
    """A call under a budget."""

    async def study():
        with metered(Meter(account)):
            return await outcome(sender(script, **options), price=PRICE)

    return study()


def test_the_worst_case_is_set_aside_before_an_attempt_and_settled_after_it(run, account):
    seen = []

    class Looking(Script):
        async def complete(self, request):
            seen.append(account.reserved)
            return await super().complete(request)

    assert run(under(account, Looking(WELL))) is WELL
    assert seen == [pytest.approx(WORST)]
    assert (account.spent, account.uncertain, account.reserved) == (0.015, 0.0, 0.0)


def test_an_attempt_that_cannot_be_paid_is_not_sent(run, account):
    account.settle(asyncio.run(account.reserve(1000.0, "all but a little")), 1000.0 - WORST / 2)
    script = Script(WELL)
    with pytest.raises(BudgetExceeded, match=r"at most \d+ tokens to read and 100 to write, by m"):
        run(under(account, script))
    assert script.sent == []
    assert account.reserved == 0.0


def test_failed_attempts_count_where_the_endpoint_may_charge_for_them(run, account):
    run(under(account, Script(failing("500"), failing("429"), failing("time-out", charged=True), WELL)))
    assert account.uncertain == pytest.approx(WORST)
    assert account.spent == pytest.approx(WORST + 0.015)
    assert account.reserved == 0.0


def test_what_was_cut_at_the_deadline_counts_at_its_worst(run, account):
    run(under(account, Script(10_000.0), deadline=5.0))
    assert account.uncertain == pytest.approx(WORST)


@pytest.mark.parametrize("how", ["cancelled", "broken"])
def test_an_attempt_that_is_broken_off_counts_at_its_worst(run, account, how):
    async def study():
        call = asyncio.create_task(under(account, Script(10.0, KeyError("a bug"))))
        await asyncio.sleep(5.0)
        if how == "cancelled":
            call.cancel()
        return await asyncio.gather(call, return_exceptions=True)

    [end] = run(study())
    assert isinstance(end, asyncio.CancelledError if how == "cancelled" else KeyError)
    assert account.uncertain == pytest.approx(WORST)
    assert account.reserved == 0.0


def test_a_call_that_is_cancelled_before_it_is_sent_costs_nothing(run, account):
    async def study():
        held = await account.reserve(999.99, "most of it")
        call = asyncio.create_task(under(account, script))
        await asyncio.sleep(1.0)
        call.cancel()
        await asyncio.wait([call])
        account.settle(held, 0.0)

    script = Script(WELL)
    run(study())
    assert (script.sent, account.spent, account.reserved) == ([], 0.0, 0.0)


def test_an_endpoint_that_does_not_say_how_many_tokens_it_took_counts_at_its_worst(run, account):
    run(under(account, Script(Completion("well"))))
    assert account.uncertain == pytest.approx(WORST)


def test_the_tokens_of_a_turn_are_those_that_were_used(run):
    script = Script(WELL, failing("500"), failing("time-out", charged=True), WELL)
    made = sender(script, tokens=100_000)

    async def study():
        await outcome(made)
        await outcome(made)
        return [turn.tokens for turn in made._pace._turns]

    worst = attempts.prompt_bound(ASKED.messages) + ASKED.max_tokens
    assert run(study()) == [15, 0, worst, 15]
