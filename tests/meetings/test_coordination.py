"""The coordination protocol: who is asked what, what is checked, and which option becomes the candidate."""

import asyncio

import pytest

from support.errors import MalformedReply
from support.meetings.coordination import TURNS, coordinate
from support.meetings.records import Score
from support.meetings.scenario import Intent, Remark, Suggestion

MEMBERS = ("Ana", "Ben", "Cy")
NINE, TEN, NOON = (f"2026-02-16T{h}:00-05:00" for h in ("09", "10", "12"))
SCORES = {NINE: (3, 0, 0), TEN: (1, 1, 0), NOON: (3, 3, 0)}


class Person:
    """Says its lines, the last one for ever."""

    kind = "fake"

    def __init__(self, *lines):
        self.lines, self.seen = list(lines), []

    async def answer(self, chat):
        self.seen.append(chat)
        return self.lines.pop(0) if len(self.lines) > 1 else self.lines[0]


class Leader:
    """In all three roles: asks until somebody says "done"; theta is what was said; proposes the next of its plans."""

    kind = "fake"

    def __init__(self, *plans, scores=SCORES, agreed=()):
        self.plans, self.scores, self.agreed = list(plans), scores, dict(agreed)
        self.briefs, self.intents = [], []

    async def remark(self, chat):
        return Remark("When?", done=bool(chat.turns) and chat.turns[-1].text == "done")

    async def extract(self, chat):
        return Intent(
            tuple(text for text in chat.spoken if text != "done"),
            self.agreed.get(chat.member),
        )

    async def propose(self, brief):
        self.briefs.append(brief)
        plan = self.plans.pop(0) if len(self.plans) > 1 else self.plans[0]
        if isinstance(plan, Exception):
            raise plan
        return [
            p if isinstance(p, Suggestion) else Suggestion(p, MEMBERS) for p in plan
        ]

    async def score(self, meeting, options, intents, round):
        self.intents.append(intents)
        return [
            Score(o.id, m, v)
            for o in options
            for m, v in zip(MEMBERS, self.scores[o.start], strict=False)
        ]


@pytest.fixture(scope="module")
def play(small):
    """A function that plays a coordination to its end."""
    scenario = small(dict.fromkeys(MEMBERS, ()), duration=30)

    def rounds(leader, people=None, **options):
        seats = people or {m: Person("mornings", "done") for m in MEMBERS}

        async def every():
            return [
                entry
                async for entry in coordinate(
                    scenario, seats, leader, leader, leader, **options
                )
            ]

        return asyncio.run(every())

    return rounds


def test_the_candidate_satisfies_most_members_and_stays_among_the_options(play):
    first, second = play(leader := Leader([NINE, TEN], [TEN, NOON]), rounds=2)
    assert [o.id for o in first.options] == ["O1", "O2"] and first.candidate == "O2"
    assert [o.id for o in second.options] == ["O2", "O3"] and second.candidate == "O3"
    assert leader.briefs[1].candidate.start == TEN and leader.briefs[1].satisfied == 2
    _, second = play(Leader([NINE, TEN], [NOON, NINE]), rounds=2)
    assert [o.start for o in second.options] == [
        TEN,
        NOON,
    ] and "the candidate was left out" in second.breaches
    [entry] = play(
        Leader([Suggestion(NINE, ("Ana",))]),
        {m: Person("hm") for m in MEMBERS},
        rounds=1,
    )
    assert entry.breaches == (
        "1 options where 2 were asked for",
        "O1 satisfies 1, at least 2 were asked for",
    )
    assert [c.interactions for c in entry.conversations] == [TURNS] * 3


def test_members_see_the_options_of_the_round_before_and_no_other_member_s_talk(play):
    people = {m: Person(f"I am {m}", "done", f"still {m}", "done") for m in MEMBERS}
    play(Leader([NINE, TEN]), people, rounds=2)
    for name, person in people.items():
        assert [len(c.options) for c in person.seen] == [0, 0, 2, 2] and person.seen[
            -1
        ].candidate == "O2"
        assert not [
            t
            for c in person.seen
            for t in c.turns
            if t.speaker not in ("assistant", name)
        ]


def test_theta_is_of_the_round_unless_it_is_tracked(play):
    lines = (
        "I prefer mornings.",
        "done",
        "Agrees to Monday 16 February at 10:00",
        "done",
        "after 2 pm",
        "done",
    )
    for tracking, last in (
        (False, ("after 2 pm",)),
        (True, ("I prefer mornings.", "after 2 pm")),
    ):
        leader = Leader([NINE, TEN])
        play(leader, {m: Person(*lines) for m in MEMBERS}, rounds=3, tracking=tracking)
        assert leader.intents[-1]["Ana"].preferences == last


def test_agreement_with_an_option_that_was_not_shown_does_not_count_and_the_audit_stays_out_of_the_loop(
    play,
):
    audit = Leader(scores={NINE: (0, 0, 3), TEN: (0, 0, 0)})
    first, second = play(
        Leader([NINE, TEN], agreed={"Ana": "O1", "Ben": "O9"}), rounds=2, audit=audit
    )
    assert [c.agreed for c in first.conversations] == [None, None, None]
    assert [c.agreed for c in second.conversations] == ["O1", None, None]
    assert first.candidate == "O2" and [s.value for s in first.audit] == [
        0,
        0,
        3,
        0,
        0,
        0,
    ]


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        (
            [Suggestion(NINE, ("Zoe",))],
            "members: 'Zoe' given; expected members of meeting m1: Ana, Ben, Cy",
        ),
        ([Suggestion("tomorrow")], "start: 'tomorrow' given"),
        ([NINE, TEN, NOON], "options: 3 given; expected at most 2"),
        (MalformedReply("no JSON"), "no JSON"),
    ],
)
def test_a_reply_that_does_not_fit_leaves_the_candidate_and_is_told(play, plan, said):
    first, second, third = play(Leader([NINE, TEN], plan, [TEN, NOON]), rounds=3)
    assert [o.start for o in second.options] == [
        TEN
    ] and second.candidate == first.candidate
    [error] = second.format_errors
    assert (error.agent, error.phase) == (
        "coordinator",
        "propose",
    ) and said in error.detail
    assert third.candidate == "O3"


def test_scores_that_do_not_fit_leave_the_candidate(play):
    first, second = play(
        Leader([NINE, TEN], [TEN, NOON], scores={**SCORES, NOON: (3, 3)}), rounds=2
    )
    assert second.scores == () and second.candidate == first.candidate
    assert "expected one for each option and member" in second.format_errors[0].detail
