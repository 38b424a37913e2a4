"""The coordination protocol: who is asked what, what is checked, and which option becomes the candidate."""

import asyncio
from types import SimpleNamespace

import pytest

from support.errors import MalformedReply
from support.meetings.coordination import TURNS, coordinate
from support.meetings.data import Meeting
from support.meetings.records import Score
from support.meetings.scenario import Intent, Remark, Suggestion

MEMBERS = ("Ana", "Ben", "Cy")
MEETING = Meeting(
    "M1", "Dan", MEMBERS, "Budget", "2026-02-16", 30, "Please come.", "2026-02-10T09:00-05:00", "America/New_York"
)
NINE, TEN, NOON = (f"2026-02-16T{h}:00-05:00" for h in ("09", "10", "12"))


class Person:
    kind = "fake"

    def __init__(self, *lines):
        self.lines, self.seen = list(lines), []

    async def answer(self, chat):
        self.seen.append(chat)
        return self.lines.pop(0) if len(self.lines) > 1 else self.lines[0]


class Talker:
    """Asks until somebody says "done"; theta is what was said."""

    kind = "fake"

    def __init__(self, agreed=None):
        self.agreed = agreed or {}

    async def remark(self, chat):
        return Remark("When?", done=bool(chat.turns) and chat.turns[-1].text == "done")

    async def extract(self, chat):
        said = tuple(t.text for t in chat.turns if t.speaker == chat.member and t.text != "done")
        return Intent(said, self.agreed.get(chat.member))


class Proposer:
    kind = "fake"

    def __init__(self, *plans):
        self.plans, self.briefs = list(plans), []

    async def propose(self, brief):
        self.briefs.append(brief)
        plan = self.plans.pop(0) if len(self.plans) > 1 else self.plans[0]
        if isinstance(plan, Exception):
            raise plan
        return [p if isinstance(p, Suggestion) else Suggestion(p, MEMBERS) for p in plan]


class Judge:
    kind = "fake"

    def __init__(self, by_start):
        self.by_start, self.intents = by_start, []

    async def score(self, meeting, options, intents, round):
        self.intents.append(intents)
        return [Score(o.id, m, v) for o in options for m, v in zip(MEMBERS, self.by_start[o.start], strict=True)]


SCENARIO = SimpleNamespace(meeting=MEETING, members=MEMBERS)
JUDGE = {NINE: (3, 0, 0), TEN: (1, 1, 0), NOON: (3, 3, 0)}


def play(proposer, judge=None, people=None, talker=None, **options):
    seats = people or {m: Person("mornings", "done") for m in MEMBERS}

    async def all_rounds():
        return [
            r async for r in coordinate(SCENARIO, seats, talker or Talker(), proposer, judge or Judge(JUDGE), **options)
        ]

    return asyncio.run(all_rounds())


def test_the_candidate_satisfies_most_members_and_stays_among_the_options():
    proposer = Proposer([NINE, TEN], [TEN, NOON])
    first, second = play(proposer, rounds=2)
    assert [o.id for o in first.options] == ["O1", "O2"] and first.candidate == "O2"
    assert [o.id for o in second.options] == ["O2", "O3"] and second.candidate == "O3"
    assert proposer.briefs[1].candidate.start == TEN and proposer.briefs[1].satisfied == 2
    _, second = play(Proposer([NINE, TEN], [NOON, NINE]), rounds=2)
    assert [o.start for o in second.options] == [TEN, NOON] and "the candidate was left out" in second.breaches
    [entry] = play(Proposer([Suggestion(NINE, ("Ana",))]), people={m: Person("hm") for m in MEMBERS}, rounds=1)
    assert entry.breaches == ("1 options where 2 were asked for", "O1 satisfies 1, at least 2 were asked for")
    assert [c.interactions for c in entry.conversations] == [TURNS] * 3


def test_members_see_the_options_of_the_round_before_and_no_other_member_s_talk():
    people = {m: Person(f"I am {m}", "done", f"still {m}", "done") for m in MEMBERS}
    play(Proposer([NINE, TEN]), people=people, rounds=2)
    for name, person in people.items():
        assert [len(c.options) for c in person.seen] == [0, 0, 2, 2] and person.seen[-1].candidate == "O2"
        assert not [t for c in person.seen for t in c.turns if t.speaker not in ("assistant", name)]


def test_theta_is_of_the_round_unless_it_is_tracked():
    lines = ("I prefer mornings.", "done", "Agrees to Monday 16 February at 10:00", "done", "after 2 pm", "done")
    for tracking, last in ((False, ("after 2 pm",)), (True, ("I prefer mornings.", "after 2 pm"))):
        judge = Judge(JUDGE)
        play(Proposer([NINE, TEN]), judge, {m: Person(*lines) for m in MEMBERS}, rounds=3, tracking=tracking)
        assert judge.intents[-1]["Ana"].preferences == last


def test_agreement_with_an_option_that_was_not_shown_does_not_count_and_the_audit_stays_out_of_the_loop():
    talker, audit = Talker({"Ana": "O1", "Ben": "O9"}), Judge({NINE: (0, 0, 3), TEN: (0, 0, 0)})
    first, second = play(Proposer([NINE, TEN]), talker=talker, rounds=2, audit=audit)
    assert [c.agreed for c in first.conversations] == [None, None, None]
    assert [c.agreed for c in second.conversations] == ["O1", None, None]
    assert first.candidate == "O2" and [s.value for s in first.audit] == [0, 0, 3, 0, 0, 0]


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        ([Suggestion(NINE, ("Zoe",))], "members: 'Zoe' given; expected members of meeting M1: Ana, Ben, Cy"),
        ([Suggestion("tomorrow")], "start: 'tomorrow' given"),
        ([NINE, TEN, NOON], "options: 3 given; expected at most 2"),
        (MalformedReply("no JSON"), "no JSON"),
    ],
)
def test_a_reply_that_does_not_fit_leaves_the_candidate_and_is_told(plan, said):
    first, second, third = play(Proposer([NINE, TEN], plan, [TEN, NOON]), rounds=3)
    assert [o.start for o in second.options] == [TEN] and second.candidate == first.candidate
    [error] = second.format_errors
    assert (error.agent, error.phase) == ("coordinator", "propose") and said in error.detail
    assert third.candidate == "O3"


def test_scores_that_do_not_fit_leave_the_candidate():
    class Careless(Judge):
        async def score(self, meeting, options, intents, round):
            given = list(await super().score(meeting, options, intents, round))
            return given if round == 1 else given[:-1]

    first, second = play(Proposer([NINE, TEN], [TEN, NOON]), Careless(JUDGE), rounds=2)
    assert second.scores == () and second.candidate == first.candidate
    assert "expected one for each option and member" in second.format_errors[0].detail
