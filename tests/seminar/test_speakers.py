"""Rule-based speakers behave as their personas say: when they answer, what they name, what they hold back."""

import asyncio
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.seminar.artefacts import load_templates
from support.seminar.data import Persona, in_words, scenario
from support.seminar.records import ORGANISER, REPLY, Mail
from support.seminar.replies import FIRM, NO, PERHAPS, YIELDS
from support.seminar.speakers import RuleBasedSpeaker, seat_speakers
from support.seminar.views import ANSWER, ASK, LATER, Letter, Response

TEMPLATES = load_templates()


@dataclass
class Thread:
    """One person's correspondence; the mechanism's own post is tested elsewhere."""

    speaker: object
    start: date
    offered: tuple[date, ...]
    organiser: str = "Noor Halvard"
    day: int = 1
    mails: tuple[Mail, ...] = ()
    given: tuple[date, ...] = ()
    answers: list = field(default_factory=list)

    def letter(self):
        """What the person sees today."""
        today = self.start + timedelta(days=self.day - 1)
        return Letter("Ana Ray", self.organiser, self.day, today, self.mails, self.offered, self.given)

    def ask(self):
        """What the person does today."""
        response = asyncio.run(self.speaker.answer(self.letter()))
        if response.kind != LATER:
            self.answers.append((self.day, response))
            self.mails += (self._mail(REPLY, "Ana Ray", ORGANISER, response.subject, response.body),)
        return response

    def send(self, kind, slots=None, question="", body=None):
        """A mail of today, out of the project's template unless a body is given; returns the reaction."""
        slots = self.offered if slots is None else slots
        dates = "\n".join(map(in_words, slots))
        date_ = in_words(slots[0]) if slots else ""
        filled = TEMPLATES[kind].fill(
            speaker="Ana", dates=dates, date=date_, question=question, organiser=self.organiser
        )
        self.mails += (self._mail(kind, ORGANISER, "Ana Ray", filled[0], body or filled[1], slots),)
        if kind == "confirmation":
            self.given = (*self.given, slots[0])
        return self.ask()

    def wait(self, until):
        """Go to that day and ask again."""
        self.day = until
        return self.ask()

    def through(self, kind, slots=None, question="", body=None):
        """A mail, and the first reply to it that is no note in between; None where nothing ever comes."""
        count, response = len(self.speaker.said), self.send(kind, slots, question, body)
        while len(self.speaker.said) == count and response.until is not None:
            response = self.wait(response.until)
        self.day += 1
        return response if len(self.speaker.said) > count else None

    def _mail(self, kind, sender, to, subject, body, slots=()):
        return Mail(len(self.mails) + 1, self.day, kind, sender, to, subject, body, tuple(d.isoformat() for d in slots))


@pytest.fixture(scope="session")
def correspond():
    """A function from a speaker and the dates that are offered to a `Thread`; it starts on a Monday."""

    def begun(speaker, offered, start=date(2027, 8, 16)):
        return Thread(speaker, start, tuple(offered))

    return begun


FOUR = scenario("four")


SLOTS = FOUR.slots


ANA = Persona("ana", "Ana Ray", "ana@example.org", "professor", days=0)


MORE = "Could you kindly tell me whether there are other dates that you could offer?"


SURE = "Is this date certain?"


def speaker(seed=0, **changes):
    return RuleBasedSpeaker(replace(ANA, **changes), FOUR, np.random.default_rng(seed))


def seeds(count, **changes):
    return [speaker(seed, **changes) for seed in range(count)]


def numbers(text):
    return {int(k) for k in re.findall(r"\d+", text)}


@pytest.mark.parametrize(("days", "expected"), [(0, 1), (1, 2), (4, 5), (5, 8), (6, 9)])
def test_an_answer_takes_the_personas_working_days(correspond, days, expected):
    thread = correspond(speaker(1, days=days), SLOTS)
    thread.through("invitation")
    assert thread.answers[-1][0] == expected


def test_some_people_need_several_mails(correspond):
    thread = correspond(speaker(needs=3), SLOTS)
    assert [thread.send(kind).kind for kind in ("invitation", "follow_up", "follow_up")] == [LATER, LATER, ANSWER]
    assert thread.send("clarification", question=MORE).kind == ANSWER  # once they know the organiser, one is enough


def test_who_forgets_never_answers_that_mail_but_may_answer_the_next(correspond):
    silent = [correspond(s, SLOTS).send("invitation") for s in seeds(300, forgets=0.3)]
    assert np.mean([r == Response(LATER) for r in silent]) == pytest.approx(0.3, abs=0.08)
    thread = correspond(next(s for s in seeds(50, forgets=0.3)), SLOTS)
    for _ in range(20):
        thread.send("follow_up")
    assert thread.answers


@pytest.mark.parametrize("seed", range(6))
def test_which_mails_are_forgotten_does_not_depend_on_what_was_written_before(correspond, seed):
    patterns = []
    for questions in ((), (MORE, SURE)):
        thread = correspond(speaker(seed, forgets=0.5, vague=0.5), SLOTS)
        thread.send("invitation")
        extra = [("clarification", q) for q in questions] or [("follow_up", ""), ("follow_up", "")]
        kinds = [thread.send(kind, question=question).kind for kind, question in extra + [("follow_up", "")] * 12]
        patterns.append([kind == LATER for kind in kinds])
    assert patterns[0] == patterns[1] and True in patterns[0] and False in patterns[0]


def test_some_slow_people_say_that_it_will_take_a_while_and_keep_to_it(correspond):
    threads = [correspond(s, SLOTS) for s in seeds(200, days=5)]
    notes = [(t, r) for t in threads if (r := t.send("invitation")).kind == ANSWER]
    assert 0.15 < len(notes) / 200 < 0.35
    for thread, note in notes:
        assert note.until == 8 and note.meant == () and "in a week" in note.body
        assert thread.wait(8).kind in (ANSWER, ASK)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.floats(0, 1), st.floats(0, 1), st.integers(1, 5))
def test_no_reply_names_a_date_that_it_does_not_mean(correspond, seed, share, vague, limit):
    one = speaker(seed, share=share, vague=vague, limit=limit, cancels=0.5)
    thread = correspond(one, SLOTS)
    for kind, slots, question in (
        ("invitation", SLOTS, ""), ("clarification", (), MORE), ("clarification", SLOTS[1:3], SURE),
        ("confirmation", SLOTS[:1], ""), ("follow_up", SLOTS[2:], ""),
    ):  # fmt: skip
        response = thread.through(kind, slots, question)
        said = one.said[-1]
        assert numbers(response.body) <= {d.day for d in (*said.firm, *said.vague, *said.cannot)}
        assert not set(said.named) & set(said.cannot) and not set(said.firm) & set(said.vague)
        assert response.meant == said.named


def test_all_that_is_meant_is_written_out_unless_it_is_told_as_a_whole(correspond):
    for one in seeds(150, share=0.6, vague=0.3):
        response = correspond(one, SLOTS).through("invitation")
        missing = {d.day for d in response.meant} - numbers(response.body)
        told = re.search(r"(?i)all of|any of|every|whichever|pick any", response.body)
        month = re.search(r"October|November|December|September", response.body)
        assert not missing or told or (len(missing) == 1 and month)


def test_meant_are_the_dates_named_and_true(correspond):
    for one in seeds(100, share=0.6, vague=0.4):
        truth = {slot: one.truth.mood(slot) for slot in SLOTS}
        response = correspond(one, SLOTS).through("invitation")
        said = one.said[-1]
        assert response.meant == said.named
        for mood, days in ((FIRM, said.firm), (PERHAPS, said.vague), (NO, said.cannot)):
            assert all(truth[day] == mood for day in days)


def test_a_cold_question_yields_one_date_and_a_warm_one_up_to_the_limit(correspond):
    counts = {}
    for body in ("Name another date.", "Could you please name another date?"):
        thread = correspond(speaker(3, limit=2), SLOTS)
        thread.through("invitation")
        counts[body] = len(thread.through("clarification", (), body=body).meant)
    assert list(counts.values()) == [1, 2]


def test_who_has_nothing_more_to_offer_says_so_and_repeats_what_stands(correspond):
    thread = correspond(speaker(limit=4), SLOTS)
    first = thread.through("invitation")
    again = thread.through("clarification", (), MORE)
    assert first.meant == again.meant == SLOTS and thread.speaker.said[-1].act == "only"


def test_nobody_is_free_and_declines_and_nothing_is_meant(correspond):
    for one in seeds(30, share=0.0):
        response = correspond(one, SLOTS).through("invitation")
        assert response.meant == () and one.said[-1].act == "decline" and not numbers(response.body)


def test_a_vague_date_that_is_asked_for_is_certain_or_gone(correspond):
    outcomes = Counter()
    for one in seeds(80, vague=1.0, limit=1):
        thread = correspond(one, SLOTS)
        (slot,) = thread.through("invitation").meant
        assert one.said[-1].vague == (slot,)
        thread.through("clarification", (slot,), SURE)
        outcomes[one.said[-1].firm == (slot,), one.said[-1].cannot == (slot,)] += 1
    assert set(outcomes) == {(True, False), (False, True)} and outcomes[True, False] > outcomes[False, True] > 5


def test_further_dates_and_a_confirmation_can_be_asked_for_in_one_mail(correspond):
    one = next(s for s in seeds(50, vague=0.5, limit=1) if s.truth.mood(s.truth.suiting(SLOTS)[0]) == PERHAPS)
    thread = correspond(one, SLOTS)
    (slot,) = thread.through("invitation").meant
    thread.through("clarification", (), f"{SURE} {MORE}")
    said = one.said[-1]
    assert slot in {*said.firm, *said.cannot} and len(said.named) >= 1 and set(said.named) - {slot}


def test_a_confirmed_date_is_accepted_and_one_that_does_not_suit_is_refused(correspond):
    for one in seeds(40, share=0.5):
        thread = correspond(one, SLOTS)
        thread.through("invitation")
        fine = one.truth.mood(SLOTS[0]) == FIRM
        response = thread.through("confirmation", SLOTS[:1])
        assert one.said[-1].act == ("accept" if fine else "refuse")
        assert set(response.meant) <= (set(SLOTS[:1]) if fine else set())
        assert one.said[-1].cannot == (() if fine else SLOTS[:1])


def test_cancellations_come_once_after_the_acceptance_and_before_the_date(correspond):
    cancelled = 0
    for one in seeds(60, cancels=0.5):
        thread = correspond(one, SLOTS)
        thread.through("invitation")
        response = thread.send("confirmation", SLOTS[:1])
        if response.until is None:
            continue
        last = thread.wait(response.until)
        cancelled += 1
        assert one.said[-1].act == "cancel" and last.meant == () and last.until is None
        assert one.truth.mood(SLOTS[0]) == NO and thread.day < (SLOTS[0] - thread.start).days + 1
    assert 18 <= cancelled <= 42


FARE = {"issue": "She asks who pays the train.", "issue_kind": "expenses"}


def conditional(wanted, **changes):
    return next(s for s in seeds(100, **FARE, **changes) if s.truth.conditional == wanted)


def test_an_issue_is_raised_once_and_a_condition_is_a_question(correspond):
    for wanted, kind in ((True, ASK), (False, ANSWER)):
        thread = correspond(conditional(wanted, limit=1), SLOTS)
        first = thread.through("invitation")
        assert first.kind == kind and first.meant and "?" in first.body
        assert thread.through("clarification", (), MORE).kind == ANSWER


def test_who_would_have_another_weekday_asks_once_and_then_declines_only(correspond):
    for one in seeds(30, share=0.0, issue="She asks for another day.", issue_kind="weekday"):
        thread = correspond(one, SLOTS)
        first, again = thread.through("invitation"), thread.through("follow_up")
        assert "?" in first.body and "?" not in again.body
        assert (first.kind, again.kind) == (ASK if one.truth.conditional else ANSWER, ANSWER)


@pytest.mark.parametrize(
    ("yields", "answer", "act"),
    [
        (True, "Yes, the train is paid.", "noted"),
        (False, "Yes, the train is paid.", "noted"),
        (True, "Unfortunately the train cannot be paid.", "noted"),
        (False, "Unfortunately the train cannot be paid.", "withdraw"),
    ],
)
def test_a_condition_is_settled_by_an_answer_to_it(correspond, yields, answer, act):
    one = next(s for s in seeds(200, **FARE) if s.truth.conditional and s.truth.yields == yields)
    thread = correspond(one, SLOTS)
    thread.through("invitation")
    thread.through("clarification", (), answer)
    assert one.said[-1].act == act
    assert bool(one.truth.suiting(SLOTS)) == (act == "noted")


def test_a_condition_that_nobody_answered_stands_in_the_way_unless_it_is_given_up(correspond):
    acts = Counter()
    for one in (s for s in seeds(200, **FARE) if s.truth.conditional):
        thread = correspond(one, SLOTS)
        thread.through("invitation")
        thread.through("confirmation", SLOTS[:1])
        assert one.said[-1].act == ("accept" if one.truth.yields else "refuse")
        acts[one.said[-1].act] += 1
    assert acts["accept"] / acts.total() == pytest.approx(YIELDS, abs=0.15)


def test_letters_vary_and_every_person_writes_in_the_five_voices_manner(correspond):
    bodies = []
    for seed in range(12):
        for one in seat_speakers(FOUR, "prompt", np.random.default_rng(seed)).values():
            bodies.append(correspond(one, SLOTS).through("invitation").body)
    assert len(set(bodies)) > 0.9 * len(bodies)
